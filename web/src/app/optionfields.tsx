// The options of a lobby, as the API describes them (gen/player.ts): the fields of
// the host's form, and the line that sums them up. An option that gets a label
// in lobby/model/options.go appears in both without code here.

import {
  type FormField,
  type Options,
  type OptionWishes,
  optionWishesForm,
  type RulesetInfo,
} from "@fogkeep/client";
import type { Signal } from "@preact/signals";
import { optionLabel, optionValue, words } from "../text/names";
import { t } from "../text/text";

export type Value = string | number | boolean;
/** A form's value of each option, by its name. */
export type Values = { readonly [name: string]: Value };

/** The values to start a form from: a lobby's, or the defaults. */
export const valuesOf = (options?: Options, form: readonly FormField[] = optionWishesForm): Values =>
  Object.fromEntries(form.map((f) => [f.name, currentValue(f, options)]));

/**
 * The form where the server offers these rulesets and modes. With one ruleset there is no choice. The chosen ruleset
 * may have modes of its own.
 * Modes that the form does not know come after those it does; the server's own program has added them.
 */
export const formWith = (
  rulesets: readonly RulesetInfo[],
  modes: readonly string[],
  ruleset: Value = "",
  form: readonly FormField[] = optionWishesForm,
): FormField[] =>
  form
    .filter((f) => f.name !== "ruleset" || rulesets.length > 1)
    .map((f) => {
      if (f.name === "ruleset")
        return {
          ...f,
          choices: rulesets.map((r) => [r.id, rulesetLabel(r, rulesets)] as const),
        };
      if (f.name !== "mode") return f;
      const known = f.choices ?? [];
      const own = rulesets.find((r) => r.id === ruleset)?.modes ?? [];
      const added = [...modes, ...own].filter((m) => !known.some(([v]) => v === m));
      return { ...f, choices: [...known, ...added.map((m) => [m, words(m)] as const)] };
    });

/** A ruleset among `all`: by its words, and in a pack with or by the pack's title. */
export const rulesetLabel = ({ id, name, pack }: RulesetInfo, all: readonly RulesetInfo[]): string => {
  if (!pack) return words(id);
  return all.filter((r) => r.pack === pack).length > 1 ? `${pack}: ${words(name)}` : pack;
};

/** The fields of the form. `idOf` gives an element's id. */
export function OptionFields({
  idOf,
  values,
  form = optionWishesForm,
}: {
  idOf: (name: string) => string;
  values: Signal<Values>;
  form?: readonly FormField[];
}) {
  const mode = String(values.value.mode ?? "");
  return (
    <>
      {form
        .filter((f) => isInMode(f, mode))
        .map((f) => (
          <Field
            key={f.name}
            field={f}
            id={idOf(f.name)}
            value={values.value[f.name]}
            change={(v) => {
              values.value = { ...values.value, [f.name]: v };
            }}
          />
        ))}
    </>
  );
}

/** One option of a lobby, to be changed at once. Its element is `#now-` and the option's name. */
export function OptionSelect({
  name,
  value,
  change,
}: {
  name: string;
  value: Value;
  change: (v: Value) => void;
}) {
  const field = optionWishesForm.find((f) => f.name === name);
  return field ? <Field field={field} id={`now-${name}`} value={value} change={change} /> : null;
}

interface FieldProps {
  field: FormField;
  id: string;
  value: Value;
  change: (v: Value) => void;
}

function Field(props: FieldProps) {
  const { field, id } = props;
  const label = optionLabel(field.name, field.label);
  if (field.type === "boolean" && !field.choices) {
    return (
      <label class="row check" for={id}>
        <Control {...props} />
        {label}
      </label>
    );
  }
  return (
    <>
      <label for={id}>{label}</label>
      <Control {...props} />
    </>
  );
}

function Control({ field: f, id, value, change }: FieldProps) {
  if (f.choices) {
    const known = f.choices.some(([v]) => v === value);
    const choices = known ? f.choices : [...f.choices, [value as string | number, String(value)] as const];
    return (
      <select
        id={id}
        value={String(value)}
        onChange={(e) => change(choices[e.currentTarget.selectedIndex][0])}
      >
        {choices.map(([v, words]) => (
          <option key={v} value={String(v)}>
            {optionValue(f.name, v, words)}
          </option>
        ))}
      </select>
    );
  }
  if (f.type === "boolean") {
    return (
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        onChange={(e) => change(e.currentTarget.checked)}
      />
    );
  }
  if (f.type === "number") {
    return (
      <input
        id={id}
        type="number"
        min={f.minimum}
        max={f.maximum}
        required
        value={String(value)}
        onInput={(e) => change(e.currentTarget.value)}
      />
    );
  }
  return <input id={id} type="text" value={String(value)} onInput={(e) => change(e.currentTarget.value)} />;
}

/** The server's program knows which options its own modes have: the form shows all. */
const isInMode = (f: FormField, mode: string): boolean =>
  !f.modes ||
  f.modes.includes(mode) ||
  !optionWishesForm.find((o) => o.name === "mode")?.choices?.some(([v]) => v === mode);

const currentValue = (f: FormField, options: Options | undefined): Value =>
  (options as Record<string, Value | undefined> | undefined)?.[f.name] ?? f.default;

/** The options that the values of a form make. An option that the mode does not have is the default. */
export function optionsOf(values: Values, form: readonly FormField[] = optionWishesForm): OptionWishes {
  const mode = String(values.mode ?? "");
  const read = (f: FormField) => (f.type === "number" ? Number(values[f.name]) : values[f.name]);
  return Object.fromEntries(form.map((f) => [f.name, isInMode(f, mode) ? read(f) : f.default]));
}

/**
 * Phrases of the summary that are more than "label: value"; null: no phrase. An
 * option without one is named when it is not the default.
 */
const PHRASES: { readonly [name: string]: (o: Options) => string | null } = {
  mode: (o) =>
    o.scoreLimit > 0
      ? t("rules.modeTo", { mode: choice("mode", o.mode, words(o.mode)), score: o.scoreLimit })
      : choice("mode", o.mode, words(o.mode)),
  scoreLimit: () => null, // with the mode
  speedPercent: (o) =>
    t("rules.speed", {
      speed: choice("speedPercent", o.speedPercent, `${o.speedPercent} %`),
    }),
  teams: (o) => (o.teams === "each" ? null : t("rules.teams", { teams: choice("teams", o.teams) })),
  occlusion: (o) =>
    o.occlusion === "map" ? null : t("rules.occlusion", { what: choice("occlusion", o.occlusion) }),
  timeLimitMinutes: (o) =>
    o.timeLimitMinutes > 0 ? t("rules.timeLimit", { minutes: o.timeLimitMinutes }) : null,
  spectators: (o) => {
    const count = o.spectators;
    if (count === 0) return t("rules.noSpectators");
    return o.spectatorDelay > 0
      ? t("rules.spectatorsDelayed", { count, seconds: o.spectatorDelay })
      : t("rules.spectatorsLive", { count });
  },
  spectatorDelay: () => null, // with the spectators
  replays: (o) =>
    o.replays === "link"
      ? t("rules.replaysLink")
      : o.replays === "listed"
        ? t("rules.replaysListed")
        : o.replays === "off"
          ? t("rules.replaysOff")
          : null,
  openOtherTeams: (o) => (o.openOtherTeams ? t("rules.openOtherTeams") : null),
  chatHistory: (o) => (o.chatHistory ? t("rules.chatHistory") : null),
  bytesPerS: (o) =>
    o.bytesPerS ? t("rules.dataLimit", { kilobytes: Math.round(o.bytesPerS / 100) / 10 }) : null,
};

/** The label of an option's value; `otherwise` for a value without one. */
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
  const own = f.choices?.find(([v]) => v === value)?.[1] ?? words(String(value));
  return t("rules.other", { label, value: optionValue(f.name, String(value), own) });
}

/** Wishes for options, each as its label and value. */
export const wishesOf = (wishes: OptionWishes): string[] =>
  optionWishesForm
    .filter((f) => f.name in wishes)
    .map((f) => {
      const value = (wishes as Record<string, Value>)[f.name];
      return typeof value === "boolean"
        ? t("rules.other", {
            label: optionLabel(f.name, f.label),
            value: t(value ? "common.on" : "common.off"),
          })
        : t("rules.other", { label: optionLabel(f.name, f.label), value: choice(f.name, value) });
    });

/** A lobby's options in one line. */
export function optionsLine(o: Options, form: readonly FormField[] = optionWishesForm): string {
  const parts = form.map((f) => phrase(f, o)).filter((p) => p !== null);
  if (o.seed) parts.push(t("rules.seed", { seed: o.seed }));
  return parts.join(" · ");
}
