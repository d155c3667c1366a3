export { Ground } from "./ground";
export { hashMask, joinHashes } from "./hash";
export { Vision } from "./vision";
