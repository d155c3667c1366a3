import { info, type } from "@fogkeep/client/testing";
import { describe, expect, it } from "vitest";
import { HeightField } from "./heightfield";
import { modelName, modelOf } from "./models";

const TYPES = ["worker", "scout", "soldier", "artillery", "caster", "flyer", "detector", "raider"];

describe("silhouettes", () => {
  it("every unit of the shipped rules has one of its own", () => {
    expect(TYPES.map((n) => modelName(type(0, n)))).toEqual(TYPES);
    const placed = (name: string, cls: "structure" | "resource" | "projectile") =>
      modelName(type(0, name, { class: cls }));
    expect(placed("command-centre", "structure")).toBe("commandcentre");
    expect(placed("tower", "structure")).toBe("turret");
    expect(placed("wall", "structure")).toBe("wall");
    expect(placed("watchtower", "structure")).toBe("watchtower");
    expect(placed("ore-field", "resource")).toBe("crystal");
    expect(placed("gas-vent", "resource")).toBe("vent");
    expect(placed("rocket", "projectile")).toBe("shell");
  });

  it("an unknown type gets a shape by what it does", () => {
    expect(modelName(type(0, "zeppelin", { moveKind: 3 }))).toBe("flyer");
    expect(modelName(type(0, "gun", { class: "structure", weapons: [0] }))).toBe("turret");
    expect(modelName(type(0, "thing", { weapons: [0] }))).toBe("tank");
  });

  it("is made of whole triangles with finite corners, and stands on the heightfield", () => {
    for (const name of [
      ...TYPES,
      "command-centre",
      "barracks",
      "factory",
      "tower",
      "wall",
      "watchtower",
      "tank",
    ]) {
      const p = modelOf(type(0, name)).getAttribute("position").array;
      expect(p.length % 9, name).toBe(0);
      let low = Number.POSITIVE_INFINITY;
      for (let i = 0; i < p.length; i++) {
        expect(Number.isFinite(p[i])).toBe(true);
        if (i % 3 === 1) low = Math.min(low, p[i]);
      }
      expect(Math.abs(low), name).toBeLessThan(0.35);
    }
  });
});

describe("HeightField", () => {
  const flat = new HeightField(info().map);

  it("is level on level ground, and answers off the map with its edge", () => {
    expect(Math.abs(flat.at(5.3, 7.7))).toBeLessThan(0.06);
    expect(Math.abs(flat.at(-50, 900))).toBeLessThan(0.06);
  });

  it("keeps a plateau flat up to its edge, and drops inside the cliff", () => {
    const { map } = info();
    for (let t = 0; t < map.levels.length; t++) {
      const x = t % map.width;
      map.levels[t] = x > 10 ? 4 : 0;
      if (x === 10) map.terrain[t] = 8;
    }
    const g = new HeightField(map);
    expect(g.at(11.5, 12)).toBeGreaterThan(2);
    expect(g.at(9.5, 12)).toBeLessThan(0.2);
  });

  it("meets a ray where it points", () => {
    const out = { x: 0, z: 0 };
    expect(flat.hit({ x: 10, y: 20, z: 10 }, { x: 0, y: -1, z: 0 }, out)).toBe(true);
    expect([Math.round(out.x), Math.round(out.z)]).toEqual([10, 10]);
    expect(flat.hit({ x: 10, y: 20, z: 10 }, { x: 0.5, y: 0.5, z: 0 }, out)).toBe(false);
  });
});
