// The choices of a match against bots: its map, and how good the bots are.

import type { MapInfo, RulesetInfo } from "@fogkeep/client";
import type { Signal } from "@preact/signals";
import { optionLabel } from "../text/names";
import { t } from "../text/text";
import { FactionSelect, RANDOM } from "./factionselect";
import { type MapLoader, MapPicture } from "./mappicture";
import { rulesetLabel } from "./optionfields";
import { type BotLevel, LEVELS, STYLES, type Style, skillNamed, skillOf } from "./skill";

interface MapChoiceProps {
  maps: readonly Pick<MapInfo, "id" | "name" | "hash" | "width" | "height" | "starts">[];
  /** Id of the chosen one; any other value: the first. */
  chosen: Signal<string>;
  load?: MapLoader;
}

export function MapChoice({ maps, chosen, load }: MapChoiceProps) {
  const map = maps.find((m) => m.id === chosen.value) ?? maps[0];
  return (
    <fieldset class="choices maps">
      <legend>{t("lobbyForm.map")}</legend>
      {maps.map((m) => (
        <label key={m.id} class="choice">
          <input
            type="radio"
            name="map"
            value={m.id}
            checked={m === map}
            onChange={() => {
              chosen.value = m.id;
            }}
          />
          <MapPicture map={m} load={load} />
          <b>{m.name}</b>
          <small>{t("lobbyForm.mapFacts", { width: m.width, height: m.height, starts: m.starts })}</small>
        </label>
      ))}
    </fieldset>
  );
}

/** The choice of a bot's level and style. */
export function LevelChoice({ level: chosen }: { level: Signal<BotLevel> }) {
  const { level, style } = skillOf(chosen.value) ?? { level: "easy", style: "balanced" };
  return (
    <fieldset class="choices levels">
      <legend>{t("play.level")}</legend>
      {LEVELS.map((l) => (
        <label key={l} class="choice">
          <input
            type="radio"
            name="level"
            value={l}
            checked={level === l}
            onChange={() => {
              chosen.value = skillNamed(l, style);
            }}
          />
          <b>{t(`level.${l}.name`)}</b>
          <small>{t(`level.${l}.expect`)}</small>
        </label>
      ))}
      <div class="field style">
        <span aria-hidden="true">{t("play.style")}</span>
        <StyleSelect
          label={t("play.style")}
          value={style}
          change={(s) => {
            chosen.value = skillNamed(level, s);
          }}
        />
        <small class="dim">{t(`style.${style}.expect`)}</small>
      </div>
    </fieldset>
  );
}

export function StyleSelect(props: { label: string; value: Style; change: (style: Style) => void }) {
  return (
    <select
      class="style"
      aria-label={props.label}
      value={props.value}
      onChange={(e) => props.change(e.currentTarget.value as Style)}
    >
      {STYLES.map((s) => (
        <option key={s} value={s}>
          {t(`style.${s}.name`)}
        </option>
      ))}
    </select>
  );
}

interface RulesetChoiceProps {
  rulesets: readonly RulesetInfo[];
  ruleset: Signal<string>;
  faction: Signal<string>;
}

/** The ruleset of a match against a bot, and the player's faction if the ruleset has factions. */
export function RulesetChoice({ rulesets, ruleset, faction }: RulesetChoiceProps) {
  if (rulesets.length < 2) return null;
  const chosen = rulesets.find((r) => r.id === ruleset.value);
  return (
    <div class="field">
      <span aria-hidden="true">{optionLabel("ruleset", "")}</span>
      <select
        data-do="ruleset"
        aria-label={optionLabel("ruleset", "")}
        value={ruleset.value}
        onChange={(e) => {
          ruleset.value = e.currentTarget.value;
          faction.value = RANDOM;
        }}
      >
        {rulesets.map((r) => (
          <option key={r.id} value={r.id}>
            {rulesetLabel(r, rulesets)}
          </option>
        ))}
      </select>
      {chosen?.factions ? (
        <FactionSelect
          label={t("play.faction")}
          factions={chosen.factions}
          value={faction.value}
          change={(name) => {
            faction.value = name;
          }}
        />
      ) : null}
    </div>
  );
}
