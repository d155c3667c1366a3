export { Ground } from "./ground.js";
export { hashMask, joinHashes } from "./hash.js";
export { Vision } from "./vision.js";
