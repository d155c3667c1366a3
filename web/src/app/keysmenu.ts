// The section of the settings for keys: a preset, the player's changes to it,
// conflicts by name, and export and import of the whole set as a file.

import type { SettingsStore } from "../game/settings";
import {
  ACTIONS,
  type Action,
  actionTitle,
  bindingsOf,
  conflicts,
  keyLabel,
  type OwnKeys,
  PRESETS,
  type PresetName,
} from "../input/hotkeys";
import { readKeySet, writeKeySet } from "../input/keyset";
import { errorText } from "../text/names";
import { t } from "../text/text";
import { fill, h, saveFile, text } from "../ui/dom";

export function keysSection(settings: SettingsStore): HTMLElement {
  const section = h("section", { class: "keys-section" });
  const list = h("div", { class: "keys" });
  const error = h("p", { class: "error", role: "alert", hidden: true });
  const labels = (codes: readonly string[]) => codes.map((c) => keyLabel(c)).join(" / ");

  const preset = h(
    "select",
    {
      onchange: () => {
        settings.change({ preset: preset.value as PresetName });
        draw();
      },
    },
    (Object.keys(PRESETS) as PresetName[]).map((p) => h("option", { value: p }, t(`keys.presetValue.${p}`))),
  );

  const file = h("input", {
    type: "file",
    accept: ".json,application/json",
    hidden: true,
    "aria-label": t("keys.file"),
    onchange: async () => {
      const chosen = file.files?.[0];
      if (!chosen) return;
      error.hidden = true;
      try {
        const { preset, own } = readKeySet(await chosen.text());
        settings.change({ preset, own: { ...settings.value.own, [preset]: own } });
      } catch (err) {
        text(error, errorText(err));
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
    button.textContent = t("keys.press");
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
            ? t("keys.conflict", { key: keyLabel(c.code), actions: c.actions.map(actionTitle).join(", ") })
            : t("keys.reserved", { key: keyLabel(c.code), action: actionTitle(c.actions[0]) }),
        ),
      ),
      ACTIONS.map((action) =>
        h(
          "div",
          { class: "key-row" },
          h("span", null, actionTitle(action)),
          h(
            "button",
            {
              type: "button",
              "data-action": action,
              "aria-label": t("keys.keyFor", { action: actionTitle(action), keys: labels(b[action]) }),
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
    h("h3", null, t("keys.title")),
    h("label", { class: "setting" }, h("span", null, t("keys.preset")), preset),
    list,
    error,
    h(
      "div",
      { class: "row wrap" },
      h("button", { type: "button", onclick: reset }, t("keys.reset")),
      h(
        "button",
        { type: "button", "data-do": "export-keys", onclick: () => save(settings) },
        t("keys.export"),
      ),
      h(
        "button",
        { type: "button", "data-do": "import-keys", onclick: () => file.click() },
        t("keys.import"),
      ),
      file,
    ),
  );
  draw();
  return section;
}

function save(settings: SettingsStore): void {
  const { preset, own } = settings.value;
  saveFile("fogkeep-keys.json", writeKeySet({ preset, own: own[preset] ?? {} }));
}
