// Runs the program of the match service, and passes calls and connections on to it.

import type { Answer, Program, Request } from "./api";

/** Of Go's own wasm_exec.js. */
interface GoProgram {
  argv: string[];
  importObject: WebAssembly.Imports;
  run(instance: WebAssembly.Instance): Promise<void>;
}

/** The folder of the journals. */
const JOURNALS = "/journals";

interface Side {
  postMessage(message: Answer, transfer: Transferable[]): void;
  onmessage: ((e: MessageEvent) => void) | null;
}

/** Begins the program once `module` has loaded it and Go's script. Requests that come earlier wait for it. */
export function serve(side: Side, module: Promise<WebAssembly.Module>): void {
  const failed = (err: unknown) => side.postMessage({ number: 0, error: String(err) }, []);
  const program = begin(module, failed);
  program.catch(failed);
  side.onmessage = (e) => {
    if ("alive" in e.data) {
      side.postMessage(e.data, []);
      return;
    }
    // A program that did not begin has said so to the page.
    program.then(
      (does) => handle(side, does, e.data),
      () => undefined,
    );
  };
}

async function handle(
  side: Side,
  program: Program,
  request: Exclude<Request, { alive: true }>,
): Promise<void> {
  if ("way" in request) {
    program[request.way](request.port);
    return;
  }
  const { call, number, argument } = request;
  try {
    side.postMessage({ number, value: await program[call](argument) }, []);
  } catch (err) {
    side.postMessage({ number, error: err instanceof Error ? err.message : String(err) }, []);
  }
}

async function begin(module: Promise<WebAssembly.Module>, ended: (why: unknown) => void): Promise<Program> {
  const loaded = await module;
  const { Go } = globalThis as unknown as { Go: new () => GoProgram };
  const go = new Go();
  go.argv = ["fogkeep", JOURNALS];
  const instance = await WebAssembly.instantiate(loaded, go.importObject);
  return new Promise((resolve) => {
    Object.assign(globalThis, { fogkeepReady: resolve });
    go.run(instance).then(() => ended("exit"), ended);
  });
}
