// A scenario becomes a lobby: an admin chooses a file, and is told what is wrong with it,
// by its place, or how players find the lobby.

import { FogkeepError } from "@fogkeep/client";
import { admin } from "./api";
import { Ask } from "./dialog";

/** As the server has it. */
const BYTES_MAX = 1 << 20;

/** The button and dialog that open a scenario file. */
export const OpenScenario = ({ done }: { done: () => void }) => (
  <Ask
    words="Open a scenario"
    name="open-scenario"
    strong
    title="Open a scenario"
    note="It becomes a lobby with the seats of the file. The first player who sits down is the host. The server closes a lobby without players after an hour."
    fields={[{ name: "file", label: "Scenario file", type: "file", accept: ".json", bytesMax: BYTES_MAX }]}
    submit="Open"
    run={({ file }) => upload(file)}
    done={done}
  />
);

/** Uploads a file as it is, and says how its lobby is found. */
export async function upload(
  file: string,
  open: (body: { [key: string]: unknown }) => Promise<{ name: string; link: string }> = admin.openScenario,
): Promise<{ words: string; secret: string }> {
  const body = parse(file);
  try {
    const lobby = await open(body);
    return {
      words: `The lobby “${lobby.name}” is open. Players join it by this link:`,
      secret: lobby.link,
    };
  } catch (err) {
    if (err instanceof FogkeepError && err.field) throw new Error(`At ${err.field}: ${err.message}`);
    throw err;
  }
}

function parse(file: string): { [key: string]: unknown } {
  let body: unknown;
  try {
    body = JSON.parse(file);
  } catch (err) {
    throw new Error(`The file is no JSON: ${err instanceof Error ? err.message : String(err)}`);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new Error("The file is no scenario: it has to be a JSON object.");
  return body as { [key: string]: unknown };
}
