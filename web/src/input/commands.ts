// The commands of the selected entities, for the fifteen places of the command
// card. A pure function: buttons, keys and tests use the same list.

import {
  type AbilityInfo,
  allows,
  doingOf,
  FIRE,
  FIRING,
  FLAG,
  type Grant,
  type Handle,
  type MatchState,
  ownHandles,
  type TypeId,
  type TypeInfo,
  typeOf,
  type WeaponInfo,
} from "@fogkeep/client";
import { abilityName, resourceName, typeName, valueName } from "../text/names";
import { t } from "../text/text";
import { actionTitle, type Bindings, GRID_CODES } from "./hotkeys";
import type { Mode } from "./intent";
import { actionDone, BUTTONS, type Click, type Clicked, waitsFor } from "./orderkinds";

export type Effect =
  | { kind: "mode"; mode: Mode }
  | { kind: "now"; do: Clicked<"now"> }
  | { kind: "ability"; what: number; on: boolean }
  | { kind: "fire"; what: number }
  | { kind: "train"; what: TypeId }
  | { kind: "menu"; open: boolean }
  | { kind: "together"; on: boolean }
  | { kind: "page"; to: number }
  | { kind: "unqueue" };

export interface Command {
  readonly id: string;
  readonly title: string;
  /** One line below the title: a cost, a range. */
  readonly detail: string;
  /** Place on the card, 0 to 14. */
  readonly place: number;
  /** Key codes, the first is shown. */
  readonly codes: readonly string[];
  /** A name in ICONS, or path data. */
  readonly icon: string;
  readonly type?: TypeId;
  /** Why it cannot be used now; empty when it can. */
  readonly why: string;
  /** 0 to 1: how much of a cooldown is left. */
  readonly cooling: number;
  /** Whether it is what all selected units of the type do now. */
  readonly active: boolean;
  readonly effect: Effect;
}

/** Adds a command to the card at the place and with the key of its turn. */
type Placed = (place: number, letter: string) => void;

/** The stances in the order of the button, each with the one that comes next. */
const STANCES = [
  { bit: 0, next: FIRE.aggressive, name: "card.defensive", detail: "card.defensiveDetail" },
  { bit: FIRING.aggressive, next: FIRE.ground, name: "card.aggressive", detail: "card.aggressiveDetail" },
  { bit: FIRING.ground, next: FIRE.defensive, name: "card.ground", detail: "card.groundDetail" },
] as const;

const CANCEL_PLACE = 10;
/** Places of the lists, which fill one page at a time. */
const BUILD_PLACES = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const TRAIN_PLACES = [0, 1, 2, 4, 5, 6, 7];
const ABILITY_PLACES = [9, 11, 12, 13, 14];
/** The button for the next page, if there are several; it takes one of the places of abilities. */
const MORE_PLACE = 14;
const ABILITY_LETTERS = ["KeyV", "KeyX", "KeyC", "KeyF", "KeyZ"];

/**
 * The card of a type, for the selected units of the type. Commands with a fixed
 * place are on every page; the lists continue on the next page. The first page
 * follows the last.
 */
export function commandsFor(
  state: MatchState,
  type: TypeInfo,
  units: readonly Handle[],
  keys: Bindings,
  menuOpen: boolean,
  grid: boolean,
  page = 0,
  together = false,
): Command[] {
  const card = new Card(state, type, units, keys, grid, page, together);
  if (menuOpen) card.addBuildMenu();
  else if (!units.every((h) => underConstruction(state, h))) card.addCommands();
  return card.commands;
}

function underConstruction(state: MatchState, unit: Handle): boolean {
  const s = state.world.slot(unit);
  return s >= 0 && (state.world.flags[s] & FLAG.building) !== 0;
}

/** Collects the commands of one card. */
class Card {
  readonly commands: Command[] = [];

  constructor(
    private readonly state: MatchState,
    private readonly type: TypeInfo,
    private readonly units: readonly Handle[],
    private readonly keys: Bindings,
    private readonly grid: boolean,
    private readonly page: number,
    private readonly together: boolean,
  ) {}

  addBuildMenu(): void {
    const { builds } = this.type;
    const pages = pagesOf(builds, BUILD_PLACES);
    this.addTypes(builds, BUILD_PLACES, pages, (what) => ({ kind: "mode", mode: { kind: "build", what } }));
    this.addNextPage(pages);
    this.addCancel(t("card.back"), "back", { kind: "menu", open: false });
  }

  addCommands(): void {
    const { type, state, units } = this;
    const abilities = [
      ...type.abilities
        .map((what, k) => ({ what, k, info: state.info.rules.abilities[what] }))
        .filter((a) => a.info && !a.info.passive)
        .map(
          ({ what, k, info }): Placed =>
            (place, letter) =>
              this.addAbility(what, k, info, place, letter),
        ),
      ...this.weaponChoices(),
    ];
    const several = abilities.length > ABILITY_PLACES.length || type.trains.length > TRAIN_PLACES.length;
    const places = several ? ABILITY_PLACES.filter((p) => p !== MORE_PLACE) : ABILITY_PLACES;
    const pages = Math.max(pagesOf(abilities, places), pagesOf(type.trains, TRAIN_PLACES));
    const isUnit = type.class === "unit";
    if (isUnit) this.addOrders("mobile");
    if (isUnit && type.worker) this.addOrders("harvesters");
    if (isUnit && type.weapons.length > 0) this.addOrders("armed");
    if (type.builds.length > 0) this.addOrders("builders");
    if (type.repairs.length > 0) this.addOrders("repairers");
    if (type.slots > 0) this.addOrders("transports");
    if (type.trains.length > 0) {
      this.addTypes(type.trains, TRAIN_PLACES, pages, (what) => ({ kind: "train", what }));
      this.addOrders("producers");
      if (units.some((h) => (state.own.production.get(h)?.types.length ?? 0) > 0))
        this.addCancel(t("card.cancelLast"), "cancel", { kind: "unqueue" });
    }
    if (type.weapons.length > 0 && !type.worker && type.trains.length === 0) this.addOrders("shooters");
    onPage(abilities, places, this.page % pages).forEach((add, n) => {
      add(places[n], ABILITY_LETTERS[n]);
    });
    this.addNextPage(pages);
  }

  private addOrders(of: (typeof BUTTONS)[number]["of"]): void {
    for (const b of BUTTONS) {
      if (b.of !== of || (b.kind === "stance" && this.type.speed === 0)) continue;
      const doIt = () => this.units.every((h) => actionDone(doingOf(this.state, h)) === b.action);
      this.add({
        id: b.action,
        title: b.kind === "stance" ? t(this.stance().name) : actionTitle(b.action),
        detail: this.detailOf(b.kind),
        place: b.place,
        codes: this.keys[b.action],
        icon: b.icon,
        active:
          b.kind === "together"
            ? this.together
            : b.kind === "fire"
              ? this.have(FIRING.hold)
              : b.kind === "stance"
                ? this.stance() !== STANCES[0]
                : this.units.length > 0 && doIt(),
        effect: this.effectOf(b.kind),
      });
    }
  }

  /** Whether all units have a bit of their ways to fire. */
  private have(bit: number): boolean {
    const { own } = this.state;
    return this.units.length > 0 && this.units.every((h) => ((own.units.get(h)?.firing ?? 0) & bit) !== 0);
  }

  /** The stance that all units have; the first one if they differ. */
  private stance() {
    return STANCES.find(({ bit }) => this.have(bit)) ?? STANCES[0];
  }

  private detailOf(kind: Clicked<Click>): string {
    if (kind === "together") return t("card.together");
    if (kind === "fire") return t("card.holdFire");
    if (kind === "stance") return t(this.stance().detail);
    const w = kind === "attackMove" && this.state.info.rules.weapons[this.type.weapons[0]];
    return w ? this.weaponDetail(w) : "";
  }

  private effectOf(kind: Clicked<Click>): Effect {
    if (kind === "together") return { kind, on: !this.together };
    if (kind === "build") return { kind: "menu", open: true };
    if (kind === "fire") return { kind, what: this.have(FIRING.hold) ? FIRE.atWill : FIRE.hold };
    if (kind === "stance") return { kind: "fire", what: this.stance().next };
    return waitsFor(kind, "now") ? { kind: "now", do: kind } : { kind: "mode", mode: { kind } };
  }

  /** The choices between the weapons of a type, and between their ways of firing. */
  private weaponChoices(): Placed[] {
    const { type, state } = this;
    const weapons = type.weapons.map((w) => state.info.rules.weapons[w]);
    const choice =
      (id: string, title: string, detail: string, active: boolean, what: number): Placed =>
      (place, letter) =>
        this.add({
          id,
          title,
          detail,
          place,
          codes: [this.grid ? GRID_CODES[place] : letter],
          icon: "weapon",
          active,
          effect: { kind: "fire", what },
        });
    const out: Placed[] = [];
    const main = weapons.find((w) => w && w.alternate >= 0);
    if (main) {
      const on = this.have(FIRING.alternate);
      const other = state.info.rules.weapons[main.alternate];
      const detail = other ? this.weaponDetail(other) : "";
      out.push(choice("alternate", t("card.alternate"), detail, on, on ? FIRE.main : FIRE.alternate));
    }
    if (weapons.length > 1) {
      const [first, second] = [this.have(FIRING.first), this.have(FIRING.second)];
      const title = t(first ? "card.firstWeapon" : second ? "card.secondWeapon" : "card.allWeapons");
      const next = first ? FIRE.second : second ? FIRE.all : FIRE.first;
      out.push(choice("weapons", title, t("card.nextWeapon"), first || second, next));
    }
    return out;
  }

  private weaponDetail(w: WeaponInfo): string {
    return t("card.attackDetail", { damage: w.damage, range: (w.range / 1024).toFixed(1) });
  }

  private addAbility(what: number, k: number, a: AbilityInfo, place: number, letter: string): void {
    const { why, cooling, on } = abilityState(this.state, this.units, k, a);
    const energy = a.energy > 0 ? t("card.energy", { count: a.energy }) : "";
    this.add({
      id: `ability-${what}`,
      title: on ? t("card.stopAbility", { ability: abilityName(a.name) }) : abilityName(a.name),
      detail: [energy, spentBy(this.state, a)].filter(Boolean).join(", "),
      place,
      codes: [this.grid ? GRID_CODES[place] : letter],
      icon: "ability",
      why: on ? "" : why,
      cooling: on ? 0 : cooling,
      effect:
        a.target === "none" || on
          ? { kind: "ability", what, on: !on }
          : { kind: "mode", mode: { kind: "ability", what } },
    });
  }

  /** The types of a list that are on this page. */
  private addTypes(
    types: readonly TypeId[],
    places: readonly number[],
    pages: number,
    effect: (what: TypeId) => Effect,
  ): void {
    onPage(types, places, this.page % pages).forEach((what, k) => {
      const type = typeOf(this.state.info.rules, what);
      this.add({
        id: `make-${what}`,
        title: typeName(type.name),
        detail: priceOf(this.state, type),
        place: places[k],
        codes: [GRID_CODES[places[k]]],
        icon: "",
        type: what,
        why: cannotMake(this.state, type),
        effect: effect(what),
      });
    });
  }

  private addNextPage(pages: number): void {
    if (pages < 2) return;
    const { page, keys } = this;
    this.add({
      id: "more",
      title: t("card.more"),
      detail: t("card.page", { page: (page % pages) + 1, pages }),
      place: MORE_PLACE,
      codes: this.grid ? [GRID_CODES[MORE_PLACE], ...keys.nextPage] : keys.nextPage,
      icon: "more",
      effect: { kind: "page", to: (page + 1) % pages },
    });
  }

  private addCancel(title: string, icon: string, effect: Effect): void {
    this.add({ id: "cancel", title, detail: "", place: CANCEL_PLACE, codes: this.keys.cancel, icon, effect });
  }

  private add(c: Omit<Command, "why" | "cooling" | "active"> & Partial<Command>): void {
    this.commands.push({ why: "", cooling: 0, active: false, ...c });
  }
}

function pagesOf(list: readonly unknown[], places: readonly number[]): number {
  return Math.max(1, Math.ceil(list.length / places.length));
}

function onPage<T>(list: readonly T[], places: readonly number[], page: number): readonly T[] {
  return list.slice(page * places.length, (page + 1) * places.length);
}

function abilityState(
  state: MatchState,
  units: readonly Handle[],
  k: number,
  ability: AbilityInfo,
): { why: string; cooling: number; on: boolean } {
  let on = ability.lasting && units.length > 0;
  let why = units.length > 0 ? t("card.notReady") : "";
  let cooling = 1;
  for (const h of units) {
    const slot = state.world.slot(h);
    if (slot < 0) continue;
    if (!state.actions.on(h, k)) on = false;
    const own = state.own.units.get(h);
    const grant = own?.grants[k];
    if (!allows(grant)) {
      if (why) why = whyNot(grant, state, ability);
      continue;
    }
    const left = Math.max(0, state.actions.readyAt(h, k) - state.tick);
    cooling = Math.min(cooling, ability.cooldownTicks > 0 ? left / ability.cooldownTicks : 0);
    if (left > 0) continue;
    if ((own?.energy ?? 0) < ability.energy) {
      why = t("card.noEnergy");
      continue;
    }
    if (!state.values.covers(h, ability.spends)) {
      why = t("card.needs", { what: spentBy(state, ability) });
      continue;
    }
    why = "";
  }
  return { why, cooling: Math.min(1, cooling), on };
}

/** `30 rage` */
function spentBy(state: MatchState, { spends }: AbilityInfo): string {
  return spends ? `${spends.amount} ${valueName(state.info.rules.values[spends.value]?.name ?? "")}` : "";
}

/** Why units may not use an ability. */
function whyNot(grant: Grant | undefined, state: MatchState, ability: AbilityInfo): string {
  if (grant === "lacksNeeds")
    return t("card.needs", {
      what: ability.needs.map((need) => typeName(typeOf(state.info.rules, need).name)).join(", "),
    });
  if (grant === "unfinished") return t("card.unfinished");
  return t("card.notAllowed");
}

/** `75 ore, 2 supply` */
function priceOf(state: MatchState, type: TypeInfo): string {
  const parts = type.cost.flatMap((n, k) =>
    n > 0 ? [`${n} ${resourceName(state.info.rules.resources[k] ?? "")}`.trim()] : [],
  );
  if (type.population > 0) parts.push(t("card.supply", { count: type.population }));
  return parts.join(", ");
}

/** The cheapest type that gives supply, of all that own units build and own structures train; null: there is none. */
export function supplier(state: MatchState): TypeInfo | null {
  const price = (t: TypeInfo) => t.cost.reduce((sum, n) => sum + n, 0);
  const made = ownHandles(state).flatMap((h) => {
    const { builds, trains } = typeOf(state.info.rules, state.world.type[state.world.slot(h)]);
    return [...builds, ...trains].map((id) => typeOf(state.info.rules, id));
  });
  return made
    .filter((t) => t.populationGives > 0)
    .reduce<TypeInfo | null>((a, t) => (a && price(a) <= price(t) ? a : t), null);
}

/** Why a type cannot be made now, with the remedy; empty when it can. */
export function cannotMake(state: MatchState, type: TypeInfo): string {
  const { own, info } = state;
  if (own.upgrades.includes(type.id)) return t("card.researched");
  for (const need of type.needs) {
    if (!hasBuilt(state, need)) return t("card.needs", { what: typeName(typeOf(info.rules, need).name) });
  }
  for (let k = 0; k < type.cost.length; k++) {
    const lack = type.cost[k] - (own.resources[k] ?? 0);
    if (lack > 0)
      return t("card.lacks", { count: lack, resource: resourceName(info.rules.resources[k] ?? "") });
  }
  if (type.population > 0 && own.populationMax > 0 && own.population + type.population > own.populationMax) {
    const { population: used, populationMax: most } = own;
    const giver = supplier(state);
    return giver
      ? t("coach.supply", { used, most, type: typeName(giver.name) })
      : t("card.popLimit", { used, most });
  }
  return "";
}

function hasBuilt(state: MatchState, type: TypeId): boolean {
  return (
    state.own.upgrades.includes(type) ||
    ownHandles(state, (t) => t.id === type).some((h) => !underConstruction(state, h))
  );
}
