// Dialogs: a form that an action needs or that confirms it, its error, and a
// result that is shown once.

import { showDialog } from "../ui/dialog";
import { fill, h, text } from "../ui/dom";
import { sentence } from "./words";

export interface Field {
  name: string;
  label: string;
  /** file: what it has as text is given to `run`. */
  type?: "text" | "password" | "checkbox" | "file";
  value?: string;
  /** For a select: values and their labels. */
  choices?: readonly (readonly [value: string, words: string])[];
  optional?: boolean;
  autocomplete?: AutoFill;
  /** Of a file: its endings, and how many bytes it may have. */
  accept?: string;
  bytesMax?: number;
}

export interface Question {
  title: string;
  note?: string;
  fields?: readonly Field[];
  /** Label of the button that runs it. */
  submit: string;
  /** It cannot be undone. */
  danger?: boolean;
  /** Runs it. A secret that it returns is shown once, to be copied. */
  run: (given: Record<string, string>) => Promise<{ words: string; secret: string } | undefined>;
  done?: () => void;
}

let numbered = 0;

/** Opens a dialog with a form. It stays open, with the error, until `run` succeeds. */
export function ask(q: Question): void {
  const controls = new Map<string, HTMLInputElement | HTMLSelectElement>();
  const rows = (q.fields ?? []).map((f) => {
    const id = `ask-${++numbered}`;
    const control = f.choices
      ? h(
          "select",
          { id },
          f.choices.map(([value, words]) => h("option", { value, selected: value === f.value }, words)),
        )
      : h("input", {
          id,
          type: f.type ?? "text",
          value: f.value ?? "",
          required: !f.optional && f.type !== "checkbox",
          autocomplete: f.autocomplete ?? "off",
          accept: f.accept,
          checked: f.type === "checkbox" && f.value === "true",
        });
    control.setAttribute("name", f.name);
    controls.set(f.name, control);
    return f.type === "checkbox"
      ? h("div", { class: "row" }, control, h("label", { for: id }, f.label))
      : h("div", { class: "ask-row" }, h("label", { for: id }, f.label), control);
  });
  const error = h("p", { class: "error", role: "alert" });
  const submit = h("button", { type: "submit", class: q.danger ? "danger" : "primary" }, q.submit);
  const form = h(
    "form",
    {
      onsubmit: async (e: Event) => {
        e.preventDefault();
        text(error, "");
        submit.disabled = true;
        const given: Record<string, string> = {};
        try {
          for (const f of q.fields ?? []) given[f.name] = await answerOf(f, controls.get(f.name));
          const told = await q.run(given);
          q.done?.();
          if (told) tell(told.words, told.secret);
          else dialog.close();
        } catch (err) {
          text(error, sentence(err));
        }
        submit.disabled = false;
      },
    },
    h("h2", null, q.title),
    q.note ? h("p", { class: "dim" }, q.note) : null,
    rows,
    error,
    h(
      "div",
      { class: "row end" },
      h("button", { type: "button", class: "ghost-button", onclick: () => dialog.close() }, "Cancel"),
      submit,
    ),
  );
  const tell = (words: string, secret: string) => {
    const copied = h("span", { class: "dim", role: "status" });
    fill(
      form,
      h("h2", null, q.title),
      h("p", null, words),
      h("output", { class: "secret num" }, secret),
      h(
        "div",
        { class: "row end" },
        copied,
        h(
          "button",
          {
            type: "button",
            class: "ghost-button",
            onclick: () =>
              navigator.clipboard.writeText(secret).then(
                () => text(copied, "copied"),
                () => text(copied, "select it and copy it by hand"),
              ),
          },
          "Copy",
        ),
        h("button", { type: "button", class: "primary", onclick: () => dialog.close() }, "Done"),
      ),
    );
  };
  const dialog = open(form);
}

async function answerOf(f: Field, c?: HTMLInputElement | HTMLSelectElement): Promise<string> {
  if (!(c instanceof HTMLInputElement)) return c?.value ?? "";
  if (c.type === "checkbox") return String(c.checked);
  if (c.type !== "file") return c.value;
  const file = c.files?.[0];
  if (!file) return "";
  const most = f.bytesMax ?? 1 << 20;
  if (file.size > most) throw new Error(`The file has more than ${most >> 10} KiB.`);
  return file.text();
}

/** Opens a dialog with the given content. */
export function open(...content: HTMLElement[]): HTMLDialogElement {
  const dialog = h("dialog", { class: "panel" }, ...content);
  showDialog(dialog);
  return dialog;
}

/** A button of a row. */
export const action = (words: string, onclick: () => void): HTMLElement =>
  h("button", { type: "button", class: "ghost-button", onclick }, words);

/** A button for an action that needs a reason, which is shown to those affected. */
export function reasonButton(
  words: string,
  title: string,
  run: (reason: string) => Promise<unknown>,
  done: () => void,
): HTMLElement {
  return action(words, () =>
    ask({
      title,
      note: "The reason is shown to those affected and kept in the audit log.",
      fields: [{ name: "reason", label: "Reason" }],
      submit: words,
      danger: true,
      run: async ({ reason }) => void (await run(reason)),
      done,
    }),
  );
}
