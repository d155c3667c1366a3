/** The address of the match service's program, packed by gzip. */
declare module "fogkeep-wasm" {
  const url: string;
  export default url;
}

/** Go's own script for programs in JavaScript: sets globalThis.Go. */
declare module "wasm_exec";
