// Questions before what an action needs or cannot take back, in the page's own
// words: what a form holds, what went wrong, what came of it.

import { sentence } from "../base/errors";
import { fill, h, text } from "../ui/dom";

export interface Field {
  name: string;
  label: string;
  type?: "text" | "password" | "checkbox";
  value?: string;
  /** Values and their words, to choose one. */
  choices?: readonly (readonly [value: string, words: string])[];
  optional?: boolean;
  autocomplete?: AutoFill;
}

export interface Question {
  title: string;
  note?: string;
  fields?: readonly Field[];
  /** The word on the button that does it. */
  go: string;
  /** It cannot be taken back. */
  danger?: boolean;
  /** Does it. What it returns is shown, to be copied: it is told this once. */
  work: (given: Record<string, string>) => Promise<{ words: string; secret: string } | undefined>;
  done?: () => void;
}

let numbered = 0;

/** Opens a dialog that asks, does, and says what went wrong. */
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
          checked: f.type === "checkbox" && f.value === "true",
        });
    control.setAttribute("name", f.name);
    controls.set(f.name, control);
    return f.type === "checkbox"
      ? h("div", { class: "row" }, control, h("label", { for: id }, f.label))
      : h("div", { class: "ask-row" }, h("label", { for: id }, f.label), control);
  });
  const error = h("p", { class: "error", role: "alert" });
  const go = h("button", { type: "submit", class: q.danger ? "danger" : "primary" }, q.go);
  const form = h(
    "form",
    {
      onsubmit: async (e: Event) => {
        e.preventDefault();
        text(error, "");
        go.disabled = true;
        const given: Record<string, string> = {};
        for (const [name, c] of controls) {
          given[name] = c instanceof HTMLInputElement && c.type === "checkbox" ? String(c.checked) : c.value;
        }
        try {
          const told = await q.work(given);
          q.done?.();
          if (told) tell(told.words, told.secret);
          else dialog.close();
        } catch (err) {
          text(error, sentence(err));
        }
        go.disabled = false;
      },
    },
    h("h2", null, q.title),
    q.note ? h("p", { class: "dim" }, q.note) : null,
    rows,
    error,
    h(
      "div",
      { class: "row end" },
      h("button", { type: "button", class: "ghost-button", onclick: () => dialog.close() }, "Leave it"),
      go,
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
                () => text(copied, "mark it and copy it by hand"),
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

/** Shows content in a dialog that ends with it. */
export function open(...content: HTMLElement[]): HTMLDialogElement {
  const dialog = h("dialog", { class: "panel", onclose: () => dialog.remove() }, ...content);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** A button that asks for a reason, which those it concerns are told. */
export function withReason(
  words: string,
  question: string,
  work: (reason: string) => Promise<unknown>,
  done: () => void,
): HTMLElement {
  return h(
    "button",
    {
      type: "button",
      class: "ghost-button",
      onclick: () =>
        ask({
          title: question,
          note: "Those it concerns are told the reason, and the audit keeps it.",
          fields: [{ name: "reason", label: "Reason" }],
          go: words,
          danger: true,
          work: async ({ reason }) => void (await work(reason)),
          done,
        }),
    },
    words,
  );
}
