// The section of the settings for keys: a preset, the player's changes to it,
// conflicts by name, and export and import of the whole set as a file.

import { sentence } from "../base/errors";
import type { SettingsStore } from "../game/settings";
import {
  ACTION_TITLES,
  type Action,
  bindingsOf,
  conflicts,
  keyLabel,
  type OwnKeys,
  PRESET_TITLES,
  type PresetName,
} from "../input/hotkeys";
import { readKeySet, writeKeySet } from "../input/keyset";
import { fill, h, text } from "../ui/dom";

export function keysSection(settings: SettingsStore): HTMLElement {
  const section = h("section", { class: "keys-section" });
  const list = h("div", { class: "keys" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const labels = (codes: readonly string[]) => codes.map((c) => keyLabel(c)).join(" or ");

  const preset = h(
    "select",
    {
      onchange: () => {
        settings.change({ preset: preset.value as PresetName });
        draw();
      },
    },
    (Object.keys(PRESET_TITLES) as PresetName[]).map((p) => h("option", { value: p }, PRESET_TITLES[p])),
  );

  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    "aria-label": "File of keys",
    onchange: async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      error.hidden = true;
      try {
        const { preset, own } = readKeySet(await chosen.text());
        settings.change({ preset, own: { ...settings.value.own, [preset]: own } });
      } catch (err) {
        text(error, sentence(err));
        error.hidden = false;
      }
      file.value = ""; // so that the same file can be chosen again
      draw();
    },
  });

  /** Replaces the player's changes to the chosen preset. */
  const change = (own: OwnKeys) => {
    const { value } = settings;
    settings.change({ own: { ...value.own, [value.preset]: own } });
  };

  /** Waits for the next key on a button, and binds it. */
  const listen = (action: Action, button: HTMLButtonElement) => {
    button.textContent = "Press a key";
    button.addEventListener(
      "keydown",
      (k) => {
        k.preventDefault();
        k.stopPropagation();
        const { preset, own } = settings.value;
        if (k.code !== "Escape") change({ ...own[preset], [action]: [k.code] });
        draw();
        list.querySelector<HTMLElement>(`[data-action="${action}"]`)?.focus();
      },
      { once: true },
    );
    button.addEventListener("blur", () => draw(), { once: true });
  };

  const draw = () => {
    const b = bindingsOf(settings.value.preset, settings.value.own);
    preset.value = settings.value.preset;
    fill(
      list,
      conflicts(b).map((c) =>
        h(
          "p",
          { class: "error" },
          c.actions.length > 1
            ? `${keyLabel(c.code)} does several things: ${c.actions.map((a) => ACTION_TITLES[a]).join(", ")}.`
            : `${keyLabel(c.code)} belongs to the browser; ${ACTION_TITLES[c.actions[0]]} needs another key.`,
        ),
      ),
      (Object.keys(ACTION_TITLES) as Action[]).map((action) =>
        h(
          "div",
          { class: "key-row" },
          h("span", null, ACTION_TITLES[action]),
          h(
            "button",
            {
              type: "button",
              "data-action": action,
              "aria-label": `Key for ${ACTION_TITLES[action]}: ${labels(b[action])}. Press to change.`,
              onclick: (e: Event) => listen(action, e.currentTarget as HTMLButtonElement),
            },
            labels(b[action]),
          ),
        ),
      ),
    );
  };

  const reset = () => {
    change({});
    draw();
  };
  fill(
    section,
    h("h3", null, "Keys"),
    h("label", { class: "setting" }, h("span", null, "Preset"), preset),
    list,
    error,
    h(
      "div",
      { class: "row wrap" },
      h("button", { type: "button", onclick: reset }, "Back to the preset"),
      h(
        "button",
        { type: "button", "data-do": "export-keys", onclick: () => save(settings) },
        "Save to a file",
      ),
      h(
        "button",
        { type: "button", "data-do": "import-keys", onclick: () => file.click() },
        "Load from a file",
      ),
      file,
    ),
  );
  draw();
  return section;
}

function save(settings: SettingsStore): void {
  const { preset, own } = settings.value;
  const url = URL.createObjectURL(
    new Blob([writeKeySet({ preset, own: own[preset] ?? {} })], { type: "application/json" }),
  );
  h("a", { href: url, download: "fogkeep-keys.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
