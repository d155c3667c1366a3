import { type } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { GLYPH, glyphOf, iconShare, PLATE, plateOf } from "./icons";

describe("icons", () => {
  it("take the place of models as the camera goes away, and not before", () => {
    const shares = [60, 33, 27, 25, 23, 22, 10].map(iconShare);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect([shares[0], shares[1], shares[5], shares[6]]).toEqual([0, 0, 1, 1]);
  });

  it("have a sign of their own for each unit of the shipped rules, and none for what is large or flies past", () => {
    const names = ["worker", "scout", "soldier", "artillery", "caster", "flyer", "detector", "raider"];
    const signs = names.map((name) => glyphOf(type(0, name)));
    expect(new Set(signs).size).toBe(names.length);
    expect(signs).not.toContain(GLYPH.other);
    expect(glyphOf(type(0, "barracks", { class: "structure" }))).toBe(-1);
    expect(glyphOf(type(0, "shell", { class: "projectile" }))).toBe(-1);
    expect(glyphOf(type(0, "lorry", { weapons: [] }))).toBeGreaterThanOrEqual(0);
  });

  it("tell own, allied and foreign units apart by shape", () => {
    expect(plateOf(true, true, false, 0)).toBe(PLATE.own);
    expect(plateOf(false, true, false, 0)).toBe(PLATE.ally);
    expect(plateOf(false, false, false, 1)).toBe(PLATE.enemy);
    const teams = [0, 1, 2].map((team) => plateOf(false, true, true, team));
    expect(new Set(teams).size).toBe(3);
    expect(plateOf(false, true, true, -1)).toBe(0);
  });
});
