// The tooltip of a command: its action or product, the price, how it fights, its key, and why it is unavailable.

import {
  type AbilityInfo,
  type MatchState,
  type TypeId,
  type TypeInfo,
  typeOf,
  type WeaponInfo,
} from "@fogkeep/client";
import type { Command } from "../input/commands";
import { keyLabel } from "../input/hotkeys";
import { armourName, resourceName, typeName } from "../text/names";
import { t } from "../text/text";
import { damagePerSecond, typeFacts } from "./typefacts";

/** `active` is the type whose card it is. */
export function CommandTip(props: { state: MatchState; command: Command; active: TypeId | undefined }) {
  const { state, command: c } = props;
  const { rules } = state.info;
  const key = c.codes[0] ? keyLabel(c.codes[0]) : "";
  const makes = c.type === undefined ? null : typeOf(rules, c.type);
  const fights = c.id === "attack" && props.active !== undefined ? typeOf(rules, props.active) : null;
  const ability = c.id.startsWith("ability-")
    ? rules.abilities[Number(c.id.slice("ability-".length))]
    : undefined;
  return (
    <div class="tip" role="tooltip" id="command-tip">
      <div class="row">
        <b>{c.title}</b>
        <span class="grow" />
        {key && <kbd>{key}</kbd>}
      </div>
      {makes && <Makes state={state} type={makes} />}
      {!makes && !fights && c.detail && <span class="dim">{c.detail}</span>}
      {(fights ?? (makes?.worker ? null : makes)) && (
        <Fights state={state} type={(makes ?? fights) as TypeInfo} />
      )}
      {ability && <AbilityLines state={state} ability={ability} />}
      {c.why && <span class="why">{c.why}</span>}
    </div>
  );
}

/** Role, price, build time and health. */
function Makes({ state, type }: { state: MatchState; type: TypeInfo }) {
  const { rules, tickMs } = state.info;
  const facts = typeFacts(rules, type);
  const seconds = Math.round((facts.buildTicks * tickMs) / 1000);
  const costs = facts.cost.map(
    ({ kind, amount }) => `${amount} ${resourceName(rules.resources[kind] ?? "")}`,
  );
  if (facts.population > 0) costs.push(t("card.supply", { count: facts.population }));
  if (seconds > 0) costs.push(t("tip.buildTime", { seconds }));
  const health = [t("tip.health", { health: type.health })];
  if (type.shield > 0) health.push(t("tip.shield", { shield: type.shield }));
  health.push(armourName(rules.armours[type.armour] ?? ""));
  if (type.populationGives > 0) health.push(t("tip.supplyGives", { count: type.populationGives }));
  return (
    <>
      <span>{t(`role.${facts.role}`)}</span>
      <span class="dim">{costs.join(" · ")}</span>
      <span class="dim">{health.join(" · ")}</span>
    </>
  );
}

/** Damage, good and bad opponents. */
function Fights({ state, type }: { state: MatchState; type: TypeInfo }) {
  const { rules, tickMs } = state.info;
  const { weapon, strong, weak, counteredBy } = typeFacts(rules, type);
  const armours = (kinds: readonly number[]) =>
    kinds.map((k) => armourName(rules.armours[k] ?? "")).join(", ");
  return (
    <>
      {weapon && <span class="dim">{weaponText(weapon, tickMs)}</span>}
      {strong.length > 0 && <span class="strong">{t("tip.strong", { what: armours(strong) })}</span>}
      {weak.length > 0 && <span class="weak">{t("tip.weak", { what: armours(weak) })}</span>}
      {type.class === "unit" && counteredBy.length > 0 && (
        <span class="weak">
          {t("tip.counteredBy", {
            what: counteredBy.map((id) => typeName(typeOf(rules, id).name)).join(", "),
          })}
        </span>
      )}
    </>
  );
}

function weaponText(weapon: WeaponInfo, tickMs: number): string {
  const parts = [
    t("tip.damage", { damage: weapon.damage, perSecond: damagePerSecond(weapon, tickMs).toFixed(1) }),
    t("tip.range", { range: (weapon.range / 1024).toFixed(1) }),
  ];
  if (weapon.splash > 0) parts.push(t("tip.splash"));
  return parts.join(" · ");
}

function AbilityLines({ state, ability: a }: { state: MatchState; ability: AbilityInfo }) {
  const { tickMs } = state.info;
  const seconds = (ticks: number) => Math.round((ticks * tickMs) / 100) / 10;
  const parts: string[] = [];
  if (a.range > 0) parts.push(t("tip.range", { range: (a.range / 1024).toFixed(1) }));
  if (a.durationTicks > 0) parts.push(t("tip.lasts", { seconds: seconds(a.durationTicks) }));
  if (a.cooldownTicks > 0) parts.push(t("tip.cooldown", { seconds: seconds(a.cooldownTicks) }));
  return (
    <>
      <span>{t(`abilityDoes.${a.kind}` as "abilityDoes.scan", { defaultValue: "" })}</span>
      {parts.length > 0 && <span class="dim">{parts.join(" · ")}</span>}
    </>
  );
}
