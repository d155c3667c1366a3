// The worker: the match service with its files.

import packed from "fogkeep-wasm";
import type { Answer, StorageState } from "./api";
import { openDisk } from "./disk";
import { Files } from "./files";
import { serve } from "./program";

serve(globalThis as never, load());

/** The program is packed by the build, so that every static host sends few bytes. */
async function load(): Promise<WebAssembly.Module> {
  const [found, answer] = await Promise.all([openDisk(), fetch(packed)]);
  const tell = (storage: StorageState) => postMessage({ storage } satisfies Answer);
  const { disk, saved } = typeof found === "string" ? {} : found;
  tell(typeof found === "string" ? found : "saved");
  const full = (why: unknown) => {
    console.warn(why);
    tell("full");
  };
  Object.assign(globalThis, { fs: new Files((line) => console.warn(line), disk, saved, full) });
  await import("wasm_exec"); // it takes the file system that it finds
  if (!answer.ok || !answer.body) throw new Error(`${packed}: ${answer.status}`);
  const plain = answer.body.pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compileStreaming(
    new Response(plain, { headers: { "Content-Type": "application/wasm" } }),
  );
}
