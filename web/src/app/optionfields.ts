// The options of a lobby, as the API describes them (gen/player.ts): the fields of
// the host's form, and the line that sums them up. An option that gets a label
// in lobby/options.go appears in both without code here.

import type { FormField } from "../base/openapi";
import { type Options, type OptionWishes, optionWishesForm } from "../gen/player";
import { optionLabel, optionValue } from "../text/names";
import { t } from "../text/text";
import { h } from "../ui/dom";

type Value = string | number | boolean;

/** The fields of the form. `idOf` gives an element's id; `now` are the options to start from. */
export function optionFields(
  idOf: (name: string) => string,
  now?: Options,
  form: readonly FormField[] = optionWishesForm,
): { rows: HTMLElement[][]; read(): OptionWishes } {
  const fields = form.map((f) => {
    const control = controlFor(f, idOf(f.name), currentValue(f, now));
    const label = h("label", { for: idOf(f.name) }, optionLabel(f.name, f.label));
    const row = f.modes ? [h("div", null, label, control.element)] : [label, control.element];
    return { ...f, ...control, row };
  });
  const mode = fields.find((f) => f.name === "mode");
  const chosenMode = () => String(mode?.read() ?? "");
  const showThoseOfMode = () => {
    for (const f of fields) if (f.modes) f.row[0].hidden = !isInMode(f, chosenMode());
  };
  mode?.element.addEventListener("change", showThoseOfMode);
  showThoseOfMode();
  return {
    rows: fields.map((f) => f.row),
    read: () =>
      optionsOf(
        form,
        chosenMode(),
        fields.map((f) => f.read()),
      ),
  };
}

const isInMode = (f: FormField, mode: string): boolean => !f.modes || f.modes.includes(mode);

const currentValue = (f: FormField, options: Options | undefined): Value =>
  (options as Record<string, Value | undefined> | undefined)?.[f.name] ?? f.default;

/** The options that the values of a form make. One that the mode does not have is the default. */
export function optionsOf(form: readonly FormField[], mode: string, values: readonly Value[]): OptionWishes {
  return Object.fromEntries(form.map((f, i) => [f.name, isInMode(f, mode) ? values[i] : f.default]));
}

function controlFor(f: FormField, id: string, value: Value): { element: HTMLElement; read(): Value } {
  if (f.choices) {
    const known = f.choices.some(([v]) => v === value);
    const choices = known ? f.choices : [...f.choices, [value as string | number, String(value)] as const];
    const select = h(
      "select",
      { id },
      choices.map(([v, words]) =>
        h("option", { value: v, selected: v === value }, optionValue(f.name, v, words)),
      ),
    );
    return { element: select, read: () => choices[select.selectedIndex][0] };
  }
  if (f.type === "boolean") {
    const box = h("input", { id, type: "checkbox", checked: value === true });
    return { element: box, read: () => box.checked };
  }
  if (f.type === "number") {
    const number = h("input", {
      id,
      type: "number",
      min: f.minimum,
      max: f.maximum,
      required: true,
      value: String(value),
    });
    return { element: number, read: () => Number(number.value) };
  }
  const text = h("input", { id, type: "text", value: String(value) });
  return { element: text, read: () => text.value };
}

/**
 * Phrases of the summary that are more than "label: value"; null says nothing. An
 * option without one is named when it is not the default.
 */
const PHRASES: { readonly [name: string]: (o: Options) => string | null } = {
  mode: (o) => {
    const mode = choice("mode", o.mode);
    return o.scoreLimit > 0 ? t("rules.modeTo", { mode, score: o.scoreLimit }) : mode;
  },
  scoreLimit: () => null, // with the mode
  ticksPerSecond: (o) =>
    t("rules.speed", {
      speed: choice("ticksPerSecond", o.ticksPerSecond, t("rules.ticks", { count: o.ticksPerSecond })),
    }),
  occlusion: (o) =>
    o.occlusion === "map" ? null : t("rules.occlusion", { what: choice("occlusion", o.occlusion) }),
  timeLimitMinutes: (o) =>
    o.timeLimitMinutes > 0 ? t("rules.timeLimit", { minutes: o.timeLimitMinutes }) : null,
  spectators: ({ spectators: count, spectatorDelay: seconds }) => {
    if (count === 0) return t("rules.noSpectators");
    return seconds > 0
      ? t("rules.spectatorsDelayed", { count, seconds })
      : t("rules.spectatorsLive", { count });
  },
  spectatorDelay: () => null, // with the spectators
  teams: (o) =>
    o.teams === undefined || o.teams === "each"
      ? null
      : t("rules.teams", { teams: choice("teams", o.teams) }),
  chatHistory: (o) => (o.chatHistory ? t("rules.chatHistory") : null),
  bytesPerS: (o) =>
    o.bytesPerS ? t("rules.dataLimit", { kilobytes: Math.round(o.bytesPerS / 100) / 10 }) : null,
};

/** The label of an option's value; `otherwise` for a value that has none. */
function choice(name: string, value: string | number, otherwise = String(value)): string {
  const f = optionWishesForm.find((f) => f.name === name);
  return optionValue(name, value, f?.choices?.find(([v]) => v === value)?.[1] ?? otherwise);
}

function phrase(f: FormField, o: Options): string | null {
  if (PHRASES[f.name]) return PHRASES[f.name](o);
  const value = currentValue(f, o);
  if (value === f.default) return null;
  const label = optionLabel(f.name, f.label);
  if (typeof value === "boolean")
    return t("rules.other", { label, value: t(value ? "common.on" : "common.off") });
  const own = f.choices?.find(([v]) => v === value)?.[1] ?? String(value);
  return t("rules.other", { label, value: optionValue(f.name, value, own) });
}

/** A lobby's options in one line. */
export function optionsLine(o: Options, form: readonly FormField[] = optionWishesForm): string {
  const parts = form.map((f) => phrase(f, o)).filter((p) => p !== null);
  if (o.seed) parts.push(t("rules.seed", { seed: o.seed }));
  return parts.join(" · ");
}
