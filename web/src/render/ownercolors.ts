// The colour of each owner: for materials, for decals and billboards, and for
// the page. Made once, so that drawing a frame makes no strings or arrays.

import { type MatchInfo, NO_OWNER, SLOTS_MAX } from "@fogkeep/client";
import { Color, type IUniform } from "three";
import { NEUTRAL, playerColor, RELATION } from "../draw/palette";
import { type ColorBytes, colorBytes } from "./sprites";

/** Index of the colour for entities without an owner: behind all players' colours. */
export const NEUTRAL_INDEX = SLOTS_MAX;

/** Index of an owner's colour. */
export function colorIndex(owner: number): number {
  return owner === NO_OWNER ? NEUTRAL_INDEX : owner;
}

export interface OwnerUniforms {
  [name: string]: IUniform;
  ownerColors: IUniform<Color[]>;
}

export class OwnerColors {
  readonly uniforms: OwnerUniforms;
  /** Grows when the colours change. */
  revision = 0;
  private readonly bytes: ColorBytes[] = [];
  private readonly hexes: string[] = [];

  constructor(private readonly info: MatchInfo) {
    const colors = Array.from({ length: NEUTRAL_INDEX + 1 }, () => new Color());
    this.uniforms = { ownerColors: { value: colors } };
    this.choose(false);
  }

  /** Chooses the colours: each player's own, or by the relation to this player. */
  choose(relations: boolean): void {
    this.revision++;
    const { players, slot, team, spectator } = this.info;
    for (let k = 0; k < NEUTRAL_INDEX; k++) {
      const p = players[k];
      let hex = playerColor(p?.color ?? k);
      if (relations && p && !spectator) {
        hex = k === slot ? RELATION.self : p.team === team ? RELATION.ally : RELATION.enemy;
      }
      this.set(k, hex);
    }
    this.set(NEUTRAL_INDEX, NEUTRAL);
  }

  /** `#rrggbb` */
  hexOf(owner: number): string {
    return this.hexes[colorIndex(owner)] ?? NEUTRAL;
  }

  bytesOf(owner: number): ColorBytes {
    return this.bytes[colorIndex(owner)] ?? this.bytes[NEUTRAL_INDEX];
  }

  private set(index: number, hex: string): void {
    this.uniforms.ownerColors.value[index].set(hex);
    this.bytes[index] = colorBytes(hex);
    this.hexes[index] = hex;
  }
}
