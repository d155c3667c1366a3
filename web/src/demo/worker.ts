// The worker: the match service with its files.

import packed from "fogkeep-wasm";
import { Files } from "./files";
import { serve } from "./program";

Object.assign(globalThis, { fs: new Files((line) => console.warn(line)) });
serve(globalThis as never, load());

/** The program is packed by the build, so that every static host sends few bytes. */
async function load(): Promise<WebAssembly.Module> {
  await import("wasm_exec"); // it takes the file system that it finds
  const answer = await fetch(packed);
  if (!answer.ok || !answer.body) throw new Error(`${packed}: ${answer.status}`);
  const plain = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(
    new Response(plain, { headers: { "Content-Type": "application/wasm" } }),
  );
}
