// Dialogs: a form that an action needs or that confirms it, its error, and a
// result that is shown once.

import type { InputHTMLAttributes, TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { showView } from "../ui/dialog";
import { ErrorLine, useWorkWith } from "../ui/work";
import { sentence } from "./words";

export interface Field {
  name: string;
  label: string;
  /** file: `run` gets its text. */
  type?: "text" | "date" | "password" | "checkbox" | "file";
  value?: string;
  /** For a select: values and their labels. */
  choices?: readonly (readonly [value: string, words: string])[];
  optional?: boolean;
  autocomplete?: AutoFill;
  /** Of a file: its endings, and how many bytes it may have. */
  accept?: string;
  bytesMax?: number;
}

/** A result that is shown once, to be copied. */
interface Result {
  words: string;
  secret: string;
}

interface Question {
  title: string;
  note?: string;
  fields?: readonly Field[];
  /** The label of the button that runs it; if absent, the label of the button that opens the dialog. */
  submit?: string;
  /** It cannot be undone. */
  danger?: boolean;
  run: (given: Record<string, string>) => Promise<Result | undefined>;
  done?: () => void;
}

interface AskProps extends Question {
  /** The label of the button that asks. */
  words: string;
  /** Names the button for tests. */
  name?: string;
  hint?: string;
  /** The button has a frame of its own: it stands beside a title. */
  strong?: boolean;
}

/** A button that opens a dialog with a form. The dialog stays open, with the error, until `run` succeeds. */
export function Ask({ words, name, hint, strong, ...question }: AskProps) {
  const { title, submit = words } = question;
  return (
    <button
      type="button"
      class={strong ? "" : "ghost-button"}
      data-do={name}
      title={hint}
      onClick={() => showView(title, "", (close) => <Form {...question} submit={submit} close={close} />)}
    >
      {words}
    </button>
  );
}

/** A button for an action that needs a reason, which is shown to those affected. */
export function AskReason(props: {
  words: string;
  title: string;
  run: (body: { reason: string }) => Promise<unknown>;
  done: () => void;
}) {
  return (
    <Ask
      {...props}
      note="The affected players see the reason, and the audit log keeps it."
      fields={[{ name: "reason", label: "Reason" }]}
      danger
      run={async ({ reason }) => void (await props.run({ reason }))}
    />
  );
}

function Form(q: Question & { close: () => void }) {
  const { title, note, fields = [], submit, danger, run, done, close } = q;
  const { busy, error, run: attempt } = useWorkWith(sentence);
  const [result, setResult] = useState<Result>();
  if (result) return <Once title={title} {...result} close={close} />;
  const send = async (form: HTMLFormElement) => {
    const given: Record<string, string> = {};
    for (const f of fields) given[f.name] = await answerOf(f, form.elements.namedItem(f.name));
    const result = await run(given);
    done?.();
    if (result) setResult(result);
    else close();
  };
  return (
    <form
      onSubmit={(e: TargetedSubmitEvent<HTMLFormElement>) => {
        e.preventDefault();
        const form = e.currentTarget;
        void attempt(() => send(form));
      }}
    >
      <h2>{title}</h2>
      {note && <p class="dim">{note}</p>}
      {fields.map((f) => (
        <FieldRow key={f.name} field={f} />
      ))}
      <ErrorLine text={error.value} />
      <div class="row end">
        <button type="button" class="ghost-button" onClick={close}>
          Cancel
        </button>
        <button type="submit" class={danger ? "danger" : "primary"} disabled={busy.value}>
          {submit}
        </button>
      </div>
    </form>
  );
}

/** The browser keeps what is written: a password is nowhere else. */
function FieldRow({ field: f }: { field: Field }) {
  const id = useId();
  const box = f.type === "checkbox";
  const input = {
    id,
    name: f.name,
    type: f.type ?? "text",
    defaultValue: box ? undefined : f.value,
    defaultChecked: box && f.value === "true",
    required: !f.optional && !box,
    autocomplete: f.autocomplete ?? "off",
    accept: f.accept,
  } as InputHTMLAttributes;
  return (
    <div class={box ? "row ask-box" : "ask-row"}>
      <label for={id}>{f.label}</label>
      {f.choices ? (
        <select id={id} name={f.name}>
          {f.choices.map(([value, words]) => (
            <option key={value} value={value} selected={value === f.value}>
              {words}
            </option>
          ))}
        </select>
      ) : (
        <input {...input} />
      )}
    </div>
  );
}

async function answerOf(f: Field, control: Element | RadioNodeList | null): Promise<string> {
  if (!(control instanceof HTMLInputElement)) return (control as HTMLSelectElement).value;
  if (control.type === "checkbox") return String(control.checked);
  if (control.type !== "file") return control.value;
  const file = control.files?.[0];
  if (!file) return "";
  const most = f.bytesMax ?? 1 << 20;
  if (file.size > most) throw new Error(`The file has more than ${most >> 10} KiB.`);
  return file.text();
}

/** Shows a secret until the dialog closes. */
function Once({ title, words, secret, close }: Result & { title: string; close: () => void }) {
  const [copied, setCopied] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(secret).then(
      () => setCopied("copied"),
      () => setCopied("select it and copy it by hand"),
    );
  return (
    <div class="once">
      <h2>{title}</h2>
      <p>{words}</p>
      <output class="secret num">{secret}</output>
      <div class="row end">
        <span class="dim" role="status">
          {copied}
        </span>
        <button type="button" class="ghost-button" onClick={copy}>
          Copy
        </button>
        <button type="button" class="primary" onClick={close}>
          Done
        </button>
      </div>
    </div>
  );
}
