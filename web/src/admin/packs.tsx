// Packs: upload, publish, take back, and lobbies that play the scenarios of published ones.

import { useSignal } from "@preact/signals";
import type { TargetedSubmitEvent } from "preact";
import { useId } from "preact/hooks";
import type { Pack } from "../gen/admin";
import { showView } from "../ui/dialog";
import { ErrorLine, useWorkWith } from "../ui/work";
import { admin, leave, may } from "./api";
import { Ask } from "./dialog";
import { DataTable, Time } from "./table";
import { sentence } from "./words";

/** As the server has it. */
const BYTES_MAX = 32 << 20;

export const Packs = () => (
  <DataTable
    title="Packs"
    list="packs"
    load={() => admin.packs()}
    id={(p) => p.hash}
    columns={{
      Title: (p) => <Title of={p} />,
      Version: (p) => p.version,
      Licence: (p) => p.licence,
      Rulesets: (p) => p.rulesets.join(", "),
      Maps: (p) => p.maps.join(", "),
      Hash: (p) => (
        <span class="dim num" title={p.hash}>
          {p.hash.slice(0, 12)}
        </span>
      ),
      Published: (p) =>
        p.published ? (
          <>
            <Time at={p.published} /> <span class="dim">by {p.by}</span>
          </>
        ) : (
          <span class="dim">no</span>
        ),
    }}
    empty="There are no packs."
    head={({ again }) => may("admin") && <Upload done={again} />}
    actions={(p, { again }) => (
      <>
        {p.published && p.scenarios.length > 0 && may("moderator") && <OpenScenario of={p} />}
        {may("admin") &&
          (p.published ? (
            <Ask
              words="Take back"
              title={`Take ${p.title || p.name} back`}
              note="Lobbies cannot choose it any more. Matches that run go on, and replays keep its files."
              danger
              run={async () => void (await admin.withdrawPack(p.name))}
              done={again}
            />
          ) : (
            <Ask
              words="Publish"
              title={`Publish ${p.title} ${p.version}`}
              note="Lobbies can choose it then, in place of another version of the same pack."
              run={async () => void (await admin.publishPack(p.hash))}
              done={again}
            />
          ))}
      </>
    )}
  />
);

const Title = ({ of: p }: { of: Pack }) =>
  p.title ? (
    <span title={p.about}>
      {p.title} <span class="dim">{p.name}</span>
    </span>
  ) : (
    <>
      {p.name} <span class="chip failed">not on this server</span>
    </>
  );

const OpenScenario = ({ of: p }: { of: Pack }) => (
  <Ask
    words="Open a scenario"
    name="pack-scenario"
    title={`A scenario of ${p.title}`}
    note="It becomes a lobby. The first player who sits down is the host."
    fields={[{ name: "id", label: "Scenario", choices: p.scenarios.map((s) => [s.id, s.name] as const) }]}
    submit="Open"
    run={async ({ id }) => {
      const lobby = await admin.openPackScenario(p.hash, id);
      return {
        words: `The lobby “${lobby.name}” is open. Players join it by this link:`,
        secret: lobby.link,
      };
    }}
  />
);

const Upload = ({ done }: { done: () => void }) => (
  <button
    type="button"
    data-do="upload-pack"
    onClick={() => showView("Upload a pack", "", (close) => <UploadForm done={done} close={close} />)}
  >
    Upload a pack
  </button>
);

function UploadForm({ done, close }: { done: () => void; close: () => void }) {
  const { busy, error, run } = useWorkWith(sentence);
  const part = useSignal(0);
  const id = useId();
  const send = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > BYTES_MAX) throw new Error(`The file has more than ${BYTES_MAX >> 20} MiB.`);
    part.value = 0;
    await upload(file, (sent) => {
      part.value = sent;
    });
    done();
    close();
  };
  return (
    <form
      onSubmit={(e: TargetedSubmitEvent<HTMLFormElement>) => {
        e.preventDefault();
        const input = e.currentTarget.elements.namedItem("file") as HTMLInputElement;
        void run(() => send(input.files?.[0]));
      }}
    >
      <h2>Upload a pack</h2>
      <p class="dim">The server checks the pack and keeps it. Lobbies can choose it once it is published.</p>
      <div class="ask-row">
        <label for={id}>Pack (.fogpack)</label>
        <input id={id} name="file" type="file" accept=".fogpack" required />
      </div>
      {busy.value && <progress max={1} value={part.value} aria-label="Upload" />}
      <div class="faults">
        <ErrorLine text={error.value} />
      </div>
      <div class="row end">
        <button type="button" class="ghost-button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value && part.value === 1 ? "Checking…" : "Upload"}
        </button>
      </div>
    </form>
  );
}

/** Sends a pack. `sent` gets the share that is on its way, from 0 to 1: fetch has no progress of uploads. */
function upload(file: File, sent: (part: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const r = new XMLHttpRequest();
    r.open("POST", "/admin/api/packs");
    r.setRequestHeader("content-type", "application/octet-stream");
    r.upload.onprogress = (e) => sent(e.loaded / e.total);
    r.onerror = () => reject(new Error("The server does not answer. Is it running?"));
    r.onload = () => {
      if (r.status === 200) return resolve();
      if (r.status === 401) leave("Your session has ended. Log in again.");
      reject(new Error(refusal(r.responseText) || `The server refused the pack (${r.status}).`));
    };
    r.send(file);
  });
}

/** The faults in an answer of the server, each on a line. */
function refusal(text: string): string {
  try {
    return String((JSON.parse(text) as { detail?: unknown }).detail ?? "");
  } catch {
    return "";
  }
}
