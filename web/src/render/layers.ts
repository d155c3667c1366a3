// The content of a frame for the graphics card, but for the ground: entities, abilities,
// effects and numbers, in batches of models, decals and billboards. It needs no
// graphics card itself.

import { CONTACT_CELL, type MatchState } from "@fogkeep/client";
import { ACCENT, CONTACT } from "../draw/palette";
import { AbilityLayer } from "./abilities";
import { Effects } from "./effects";
import { EntityLayer, type Highlights } from "./entities";
import { FogTexture } from "./fog";
import { decksOf, HeightField } from "./heightfield";
import { DamageNumbers } from "./numbers";
import { OwnerColors } from "./ownercolors";
import type { QualityTraits } from "./quality";
import { type FogUniforms, fogUniforms } from "./shaders";
import { Billboards, colorBytes, DECAL, Decals } from "./sprites";
import { Units } from "./units";
import { ViewPlanes } from "./viewplanes";

export interface DrawOptions extends Highlights {
  /** Draws more on the ground and in the air: the line of an order, the tiles of a building. */
  extra?(decals: Decals, billboards: Billboards, ground: HeightField): void;
}

/** A second state has no selection and no effects on entities. */
const ALONE: Highlights = { selected: new Set(), hover: 0, bars: "hurt" };
/** An area of the mode: a ring on the ground, in sight or not. */
const AREA = colorBytes(ACCENT);
/** A contact of radar: a ring within its cell, which fades as the contact gets old. */
const FOUND = colorBytes(CONTACT);
const PLAIN = { of: () => 0, any: () => false };

export class Layers {
  readonly ground: HeightField;
  readonly fog: FogTexture;
  readonly uniforms: FogUniforms;
  readonly colors: OwnerColors;
  readonly units: Units;
  readonly decals: Decals;
  readonly billboards: Billboards;
  readonly entities: EntityLayer;
  readonly effects: Effects;
  readonly abilities: AbilityLayer;
  readonly numbers: DamageNumbers;
  /** The camera's view; at first all. */
  readonly view = new ViewPlanes();
  /** Of a second state: what only it has. */
  private beside: EntityLayer | null = null;

  constructor(
    private readonly state: MatchState,
    private readonly traits: QualityTraits,
    private readonly now: () => number,
  ) {
    const { map, rules } = state.info;
    this.ground = new HeightField(map, decksOf(state.info));
    this.fog = new FogTexture(state.mask);
    this.uniforms = fogUniforms(this.fog);
    this.colors = new OwnerColors(state.info);
    this.units = new Units(rules, this.uniforms, this.colors.uniforms, traits);
    this.decals = new Decals(this.uniforms);
    this.billboards = new Billboards(this.uniforms);
    this.entities = new EntityLayer(
      state,
      this.ground,
      this.units,
      this.decals,
      this.billboards,
      this.colors,
      traits.shadows,
      now,
      this.view,
    );
    const place = (slot: number) => this.entities.place(slot);
    const colorOf = (owner: number) => this.colors.bytesOf(owner);
    this.effects = new Effects(state, this.ground, now, this.entities, this.view, colorOf, traits);
    this.abilities = new AbilityLayer(state, this.ground, this.entities, now);
    this.entities.looks = this.abilities.looks;
    this.numbers = new DamageNumbers(state, this.ground, place, now);
  }

  /** Draws a second state too: its rows for which `only` is true. Null: no longer. */
  drawBeside(state: MatchState | null, only: (slot: number) => boolean): void {
    this.beside?.dispose();
    this.beside = null;
    if (!state) return;
    const { ground, units, decals, billboards, colors, view } = this;
    const { shadows } = this.traits;
    this.beside = new EntityLayer(state, ground, units, decals, billboards, colors, shadows, this.now, view);
    this.beside.looks = PLAIN;
    this.beside.only = only;
  }

  /** Where a row of the second state is drawn now, in tiles. */
  placeBeside(slot: number): { x: number; z: number } | null {
    return this.beside?.place(slot) ?? null;
  }

  /** Computes where everything is at a tick. */
  sample(tick: number, dtMs: number): void {
    this.entities.sample(tick, dtMs);
    this.beside?.sample(tick, dtMs);
  }

  /**
   * Fills the batches of a frame, after `entities.sample`.
   * @param px pixels of the page a tile is wide at the camera's distance
   * @param ratio pixels of the canvas to one of the page
   */
  fill(nowMs: number, dtMs: number, options: DrawOptions, px: number, ratio: number): void {
    const { units, decals, billboards } = this;
    for (const batch of [units, decals, billboards]) batch.begin();
    this.abilities.looks.step(dtMs);
    this.entities.fill(nowMs, dtMs, options, px, ratio);
    this.beside?.fill(nowMs, dtMs, ALONE, px, ratio);
    for (const a of this.state.info.modeAreas)
      decals.push(DECAL.ring, a.x, this.ground.at(a.x, a.y), a.y, a.radius, 0.14, AREA, 0.6);
    const { radar } = this.state;
    for (const c of radar.list) {
      const [x, z] = [c.x / 1024, c.y / 1024];
      const pulse = CONTACT_CELL * (0.3 + 0.1 * Math.sin(nowMs / 180));
      decals.push(DECAL.ring, x, this.ground.at(x, z), z, pulse, 0.3, FOUND, radar.left(c, this.state.tick));
    }
    this.abilities.draw(nowMs, decals, billboards, px * ratio);
    this.effects.draw(nowMs, decals, billboards, px * ratio);
    this.numbers.draw(nowMs, billboards, ratio);
    options.extra?.(decals, billboards, this.ground);
    for (const batch of [units, decals, billboards]) batch.end();
  }

  dispose(): void {
    this.beside?.dispose();
    const { entities, effects, abilities, numbers, units, decals, billboards, fog } = this;
    for (const d of [entities, effects, abilities, numbers, units, decals, billboards, fog]) d.dispose();
  }
}
