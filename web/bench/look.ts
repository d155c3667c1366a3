// A still of all that the renderer draws, without a server: a shipped map and the
// shipped rules, four armies in a fight, structures at every stage of their
// building, explosions, abilities, ghosts and the fog's edge. `look.mjs` opens
// this page and takes the pictures.

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { CLIFF, FLAG, type GameMap, MatchState, TERRAIN, WATER } from "@fogkeep/client";
import { infoOf, TypeClass, type TypeInfoSchema, WelcomeSchema } from "@fogkeep/client/wire";
import mapText from "../../match/grid/mapfile/shipped/four-winds.tmj?raw";
import ruleset from "../../match/rules/shipped/skirmish.json";
import type { Quality } from "../src/render/quality";
import { Renderer } from "../src/render/renderer";

const WU = 1024;
const FRAME_MS = 50;
const PIXEL = new Uint8Array(4);
/** The pictures: where the camera looks, and from how far. */
const VIEWS = {
  fight: { x: 51, z: 15, distance: 20 },
  close: { x: 50.5, z: 15.5, distance: 11 },
  building: { x: 41.5, z: 27, distance: 20 },
  shore: { x: 60, z: 9, distance: 22 },
  landmark: { x: 72, z: 26, distance: 22 },
  far: { x: 51, z: 22, distance: 44 },
  farthest: { x: 50, z: 30, distance: 76 },
} as const;
export type View = keyof typeof VIEWS;

function readMap(): GameMap {
  const tiled = JSON.parse(mapText);
  const { width, height } = tiled;
  const names = new Map<number, string>();
  const levelOf = new Map<number, number>();
  for (const set of tiled.tilesets)
    for (const tile of set.tiles ?? []) {
      if (tile.type) names.set(set.firstgid + tile.id, tile.type);
      for (const p of tile.properties ?? [])
        if (p.name === "level") levelOf.set(set.firstgid + tile.id, p.value);
    }
  const layer = (name: string): number[] => tiled.layers.find((l: { name: string }) => l.name === name).data;
  const kinds = TERRAIN as readonly string[];
  const terrain = Uint8Array.from(layer("terrain"), (gid) => kinds.indexOf(names.get(gid) ?? "cliff"));
  const levels = Uint8Array.from(layer("levels"), (gid) => levelOf.get(gid) ?? 0);
  const pass = terrain.map((t) => (t === WATER ? 14 : t === CLIFF ? 8 : 11));
  // A wood.
  for (let y = 18; y < 26; y++)
    for (let x = 60; x < 66; x++) if (terrain[y * width + x] === 0) pass[y * width + x] = 8;
  return {
    name: "Look",
    width,
    height,
    occlusion: 0,
    levels,
    terrain,
    pass,
    starts: [],
    resources: [],
    features: [],
  };
}

type Rule = (typeof ruleset.types)[number] & Record<string, unknown>;
const CLASSES: Record<string, TypeClass> = {
  structure: TypeClass.STRUCTURE,
  resource: TypeClass.RESOURCE,
  projectile: TypeClass.PROJECTILE,
};

function welcome() {
  const weapons = ruleset.weapons as unknown as Record<string, unknown>[];
  const number = (v: unknown) => (typeof v === "number" ? v : 0);
  const types = (ruleset.types as Rule[]).map((t): MessageInitShape<typeof TypeInfoSchema> => {
    const cls = CLASSES[t.class ?? ""] ?? TypeClass.UNIT;
    const placed = cls === TypeClass.STRUCTURE || cls === TypeClass.RESOURCE;
    return {
      name: t.name,
      class: cls,
      health: number(t.health) || 1,
      shield: number((t.shield as { max?: number } | undefined)?.max),
      sight: number(t.sight) * 2,
      speed: number(t.speed) * 3277,
      size: placed ? number(t.width) || 1 : number(t.radius) * WU,
      sizeY: placed ? number(t.height) || 1 : 0,
      moveKind: t.movement === "air" ? 3 : t.movement === "hover" ? 1 : 0,
      weapons: ((t.weapons as string[] | undefined) ?? []).map((w) => weapons.findIndex((x) => x.name === w)),
      trains: t.trains ? [0] : [],
      worker: t.name === "worker",
    };
  });
  return create(WelcomeSchema, {
    tickRate: 20,
    players: [0, 1, 2, 3].map((team) => ({ name: `P${team}`, team, color: [0, 1, 3, 2][team] })),
    types,
    weapons: weapons.map((w) => ({
      name: String(w.name),
      range: number(w.range) * WU,
      projectile: w.projectile !== undefined,
      projectileType: Math.max(
        0,
        ruleset.types.findIndex((t) => t.name === (w.projectile as { type?: string })?.type),
      ),
      damage: number(w.damage),
      splash: number(w.splash) * WU,
    })),
  });
}

class Look {
  renderer: Renderer | null = null;
  private state!: MatchState;
  private clock = 10_000;
  private readonly handles: Record<string, number[]> = {};
  private next = 1;

  /** Makes the scene anew. */
  set(quality: Quality): void {
    this.renderer?.dispose();
    this.renderer?.webgl.forceContextLoss();
    document.querySelector("canvas")?.remove();
    const canvas = document.body.appendChild(document.createElement("canvas"));
    this.clock = 10_000;
    this.next = 1;
    this.state = new MatchState(infoOf(welcome(), readMap()));
    this.state.world.tick = 100;
    this.renderer = new Renderer(canvas, this.state, { quality, now: () => this.clock });
    this.renderer.resize(innerWidth, innerHeight);
    this.populate();
    this.light();
    this.renderer.snap();
    this.frame(); // a shot goes from where its unit was drawn
    this.fight();
  }

  /** Lets some time pass, and draws one frame from a view. Returns the number of draw calls. */
  draw(view: View, ms: number): number {
    const { renderer } = this;
    if (!renderer) throw new Error("set the quality first");
    const { x, z, distance } = VIEWS[view];
    renderer.camera.distance = distance;
    renderer.camera.jump(x, z);
    for (let left = ms; left > 0; left -= FRAME_MS) {
      this.clock += FRAME_MS;
      this.state.world.tick++;
      this.shoot(left);
    }
    this.frame();
    return renderer.draws;
  }

  /** Milliseconds of a frame of a view, with the graphics card's part: the least of some, since other programs take their share. */
  measure(view: View, frames: number): number {
    this.draw(view, 0);
    const took: number[] = [];
    for (let k = 0; k < frames; k++) {
      const t0 = performance.now();
      this.frame();
      // Reading a pixel waits until all is drawn.
      const gl = this.renderer!.webgl.getContext();
      gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, PIXEL);
      took.push(performance.now() - t0);
    }
    return Math.min(...took);
  }

  private frame(): void {
    this.renderer!.draw(this.state.world.tick, FRAME_MS, {
      selected: new Set(this.handles.selected),
      hover: 0,
      bars: "hurt",
    });
  }

  private typeOf(name: string): number {
    return this.state.info.rules.types.findIndex((t) => t.name === name);
  }

  private put(name: string, owner: number, x: number, z: number, facing = 0): number {
    const handle = this.next++;
    const { world } = this.state;
    const type = this.typeOf(name);
    const slot = world.enter(
      { handle, type, owner, x: x * WU, y: z * WU, vx: 0, vy: 0, facing },
      this.clock - 1000,
    );
    this.handles[name] ??= [];
    this.handles[name].push(handle);
    return slot;
  }

  private populate(): void {
    const { world } = this.state;
    const army = ["soldier", "soldier", "scout", "raider", "artillery", "caster", "detector", "flyer"];
    // Two lines that face each other, and two smaller ones at the sides.
    for (let k = 0; k < 24; k++) {
      const name = army[k % army.length];
      this.put(
        name,
        0,
        46.5 + Math.floor(k / 6) * 1.1 - (name === "artillery" ? 1.5 : 0),
        11.5 + (k % 6) * 1.35,
        0,
      );
      const s = this.put(name, 1, 56.5 - Math.floor(k / 6) * 1.1, 11.7 + (k % 6) * 1.3, 128);
      world.health[s] = Math.floor((world.hpMax[s] * ((k * 37) % 80)) / 100);
    }
    for (let k = 0; k < 6; k++) {
      this.put(army[k + 1], 2, 50 + k * 1.1, 20.5, 192);
      this.put(army[k], 3, 49 + k * 1.1, 8.2, 64);
    }
    // Units on their way.
    for (let k = 0; k < 8; k++) {
      const s = this.put(army[k], 0, 36 + k * 1.3, 13.2, 0);
      world.motion(s, (36 + k * 1.3) * WU, 13.2 * WU, 9000, 0, 0);
    }
    const structures = ["command-centre", "barracks", "factory", "tower", "wall"];
    structures.forEach((name, k) => {
      [30, 120, 210, 255].forEach((amount, row) => {
        const s = this.put(name, row === 3 ? 0 : row, 33 + k * 4.6, 21 + row * 4.6);
        if (amount < 255) {
          world.flags[s] |= FLAG.building;
          world.amount[s] = amount;
        } else world.health[s] = Math.floor(world.hpMax[s] * [0.1, 0.75, 0.5, 0.8, 0.2][k]);
      });
    });
    for (let k = 0; k < 4; k++) this.put("worker", 0, 38 + k * 1.2, 25.5, k * 64);
    for (let k = 0; k < 5; k++) this.put("ore-field", 0xff, 44 + k, 18.5 + (k % 2));
    this.put("gas-vent", 0xff, 50, 18.5);
    // A landmark, which all teams receive, on unexplored ground.
    const landmark = this.put("command-centre", 1, 74, 27);
    world.health[landmark] = Math.floor(world.hpMax[landmark] * 0.8);
    this.handles.selected = this.handles.soldier.slice(0, 4);
    const ghost = (id: number, name: string, owner: number, x: number, z: number) =>
      this.state.ghosts.set(id, {
        id,
        type: this.typeOf(name),
        owner,
        x: x * WU,
        y: z * WU,
        facing: 0,
        hp: 100,
        amount: 0,
        tick: 1,
      });
    ghost(9001, "barracks", 1, 66, 13);
    ghost(9002, "tower", 1, 64, 17);
  }

  private light(): void {
    const { mask } = this.state;
    const circle = (cx: number, cz: number, r: number, seen: boolean) => {
      for (let y = Math.floor(cz - r); y <= cz + r; y++)
        for (let x = Math.floor(cx - r); x <= cx + r; x++) {
          if (x < 0 || y < 0 || x >= mask.width || y >= mask.height) continue;
          if ((x - cx) ** 2 + (y - cz) ** 2 > r * r) continue;
          if (seen) mask.setVisible(y * mask.width + x, true);
          else mask.setExplored(y * mask.width + x, true);
        }
    };
    circle(64, 16, 10, false);
    circle(40, 40, 12, false);
    circle(30, 26, 12, false);
    circle(50, 14, 12, true);
    circle(42, 27, 13, true);
    circle(60, 7, 8, true);
  }

  /** Things that lie on the ground and burn when the picture is taken. */
  private fight(): void {
    const { events, world } = this.state;
    const at = (x: number, z: number) => ({ x: x * WU, y: z * WU, what: 0, source: 0, target: 0 });
    for (let k = 0; k < 12; k++) {
      events.emit("blast", at(49 + (k % 4) * 1.7, 10 + Math.floor(k / 4) * 3.1));
      events.emit("blast", at(55 + (k % 4) * 2, 4 + Math.floor(k / 4) * 1.3)); // over water
    }
    this.clock += 2500;
    for (const [name, x, z] of [
      ["soldier", 51.5, 12.5],
      ["artillery", 51.4, 17],
      ["tower", 44, 16.5],
      ["barracks", 58, 17.5],
      ["flyer", 60, 6],
    ] as const) {
      const s = this.put(name, 1, x, z);
      const id = world.ids[s];
      world.leave(id);
      events.emit("leave", { id, slot: s, why: "dead" });
      this.clock += 120;
    }
    events.emit("blast", at(52.5, 14.5));
    events.emit("blast", at(59, 5));
  }

  /** Shots of the lines, and hits. */
  private shoot(left: number): void {
    const { world, events, info } = this.state;
    for (let s = 0; s < world.high; s++) {
      const type = info.rules.types[world.type[s]];
      if (world.ids[s] === 0 || type.class !== "unit" || type.weapons.length === 0) continue;
      if (world.posX(s) < 45 * WU || world.flags[s] & FLAG.building) continue;
      if ((s * 7 + Math.floor(left / FRAME_MS)) % 9 === 0) {
        world.shotMs[s] = this.clock;
        const weapon = type.weapons[0];
        events.emit("shot", {
          slot: s,
          id: world.ids[s],
          index: 0,
          weapon,
          target: 0,
          x: Number.NaN,
          y: Number.NaN,
        });
      }
      if ((s * 5 + Math.floor(left / FRAME_MS)) % 5 === 0) world.hitMs[s] = this.clock;
    }
  }
}

declare global {
  interface Window {
    look: Look;
  }
}
window.look = new Look();
