// Rows of the table (rows.ts) about sight and owners: what comes back into sight, the fog in each quality, and
// structures that change hands. Their scenes come as the server's frames.

import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Handle } from "@fogkeep/client";
import { type ServerFrameSchema, TypeClass } from "@fogkeep/client/wire";
import type { Quality } from "../src/render/quality";
import { fire, green, lavender, light, must, type Picture, type Rgb, red, rust } from "./picture";
import type { Row } from "./rows";
import { MAP_HEIGHT, MAP_WIDTH, type Stage, WU } from "./stage";

const X = 20;
const Z = 16;
/** Handles of what the frames bring; `put` gives small ones. */
const FOE = 60;
const SHELL = 70;
const FIRES = 2;
const shots = (n: number) => n << 2;
/** The rifle's period in the vectors' rules, ticks. */
const PERIOD = 8;
const TICK_MS = 50;

/** A row of `enter`: an entity that stands, at tiles. */
function entering(s: Stage, handle: Handle, name: string, owner: number, x: number, z: number, course = 128) {
  const { rules, players } = s.state.info;
  const types = rules.types.length;
  const kind = (owner + 1) * types + s.typeId(name);
  return [handle * (players.length + 1) * types + kind, z * 16 * 16 * MAP_WIDTH + x * 16, course];
}

/** The match goes on by some ticks, with a frame each; the first has news. */
function ticks(s: Stage, n: number, news: MessageInitShape<typeof ServerFrameSchema> = {}): void {
  for (let k = 0; k < n; k++) {
    s.wire.tell({ span: 1, ...(k === 0 ? news : {}) });
    s.run(TICK_MS);
  }
}

/** Ticks in one frame, without news. */
function quiet(s: Stage, n: number): void {
  s.wire.tell({ span: n });
  s.run(n * TICK_MS);
}

/** The drawn and played effects since the last look. */
class Witness {
  sounds = 0;
  /** Numbers, tracers and muzzle flashes of a frame. */
  numbers = 0;
  flashes = 0;
  private muzzles = 0;

  constructor(private readonly s: Stage) {
    const { sound } = s.game["context"];
    const shot = sound.shot.bind(sound);
    sound.shot = (...args) => {
      this.sounds++;
      shot(...args);
    };
    const { billboards } = s.renderer["layers"];
    const number = billboards.number.bind(billboards);
    billboards.number = (...args) => {
      this.numbers++;
      number(...args);
    };
    const line = billboards.line.bind(billboards);
    billboards.line = (style, ...args) => {
      if (style === "tracer" || style === "jet") this.flashes++;
      line(style, ...args);
    };
    this.look();
  }

  /** Returns the shots since the last look, and forgets all. */
  look(): { shots: number; sounds: number; numbers: number; flashes: number } {
    const { sounds, numbers, flashes } = this;
    const { muzzles } = this.s.renderer.effects;
    const seen = { shots: muzzles - this.muzzles, sounds, numbers, flashes };
    this.sounds = this.numbers = this.flashes = 0;
    this.muzzles = muzzles;
    return seen;
  }
}

/** Where the models of a type stand in the frame that is drawn. */
function modelsOf(s: Stage, name: string): number[] {
  const batch = s.renderer["layers"].units.batches[s.typeId(name)]!;
  const at: number[] = [];
  const { add, push } = batch;
  batch.add = (one) => {
    at.push(one[0]);
    add.call(batch, one);
  };
  batch.push = (...args) => {
    at.push(args[0]);
    push.apply(batch, args);
  };
  return at;
}

let witness: Witness;
let mine: Handle;
const NOTHING = { shots: 0, sounds: 0, numbers: 0, flashes: 0 };
/** Glowing, and not grass in the sun. */
const glows = (c: Rgb): boolean => fire(c) && c[0] > c[1] + 20;
const same = (is: object, want: object, words: string) =>
  must(JSON.stringify(is) === JSON.stringify(want), `${words}: ${JSON.stringify(is)}`);

const returns: Row[] = [
  {
    name: "enemy that left sight as it fired, and comes back",
    settings: { damage: true },
    part: [320, 140],
    play(s) {
      s.look(X, Z, 9);
      s.light(X, Z, 12);
      witness = new Witness(s);
      mine = s.put("soldier", 0, X + 2, Z);
      ticks(s, 2, { enter: entering(s, FOE, "soldier", 1, X - 1, Z) });
      ticks(s, 2 * PERIOD, { fire: [FOE, mine], burst: [FOE, shots(1) | FIRES] });
      ticks(s, 1, { health: [FOE, 30] });
      const { numbers, ...fired } = witness.look();
      must(fired.shots === 2 && fired.sounds === 2 && fired.flashes > 2, `it fires twice: ${fired.shots}`);
      must(numbers > 0, "its loss is shown");
      // It leaves with three shots that were not told, and fires on in the fog.
      ticks(s, 1, { lastBursts: [FOE, shots(5), 0], leave: [FOE] });
      const last = witness.look();
      must(
        last.shots === 3 && last.sounds === 1,
        `its last shots are drawn, and are one sound: ${last.shots}`,
      );
      ticks(s, 5);
      same({ ...witness.look(), flashes: 0 }, NOTHING, "in the fog it is neither seen nor heard");
      quiet(s, 4 * PERIOD);
      ticks(s, 1, { enter: entering(s, FOE, "soldier", 1, X, Z), health: [FOE, 60] });
      quiet(s, 3 * PERIOD);
    },
    check(_p, s) {
      same(witness.look(), NOTHING, "nothing old is drawn or played");
      const slot = s.slot(FOE);
      must(s.state.world.hitMs[slot] < 0 && s.state.world.shotMs[slot] < 0, "it neither flashes nor recoils");
      ticks(s, 2 * PERIOD + 4, { burst: [FOE, shots(1) | FIRES] });
      const { shots: n, sounds } = witness.look();
      must(n === 3 && sounds === 3, `it fires again: ${n} shots, ${sounds} sounds`);
      ticks(s, PERIOD, { burst: [FOE, shots(3)] });
      witness.look();
      quiet(s, 3 * PERIOD);
      same(witness.look(), NOTHING, "with its burst the sounds stop");
    },
  },
  {
    name: "enemy that comes back within its last number's time, and fires at a hidden target",
    settings: { damage: true },
    part: [320, 140],
    play(s) {
      s.look(X, Z, 9);
      s.light(X, Z, 12);
      witness = new Witness(s);
      mine = s.put("soldier", 0, X + 2, Z);
      s.put("scout", 0, X, Z + 8); // it sees, out of range
      ticks(s, 2, { enter: entering(s, FOE, "soldier", 1, X - 2, Z) });
      ticks(s, 2, { fire: [FOE, mine], burst: [FOE, shots(1) | FIRES], health: [FOE, 30] });
      ticks(s, 4);
      s.leave(mine, "dead");
      ticks(s, 1, { leave: [FOE] });
      ticks(s, 4);
      witness.look();
      // It looks to the lower edge, at a target that is not known.
      ticks(s, 3, { enter: entering(s, FOE, "soldier", 1, X, Z, 64), health: [FOE, 30] });
      same(witness.look(), NOTHING, "its number is gone");
      s.wire.tell({ span: 1, burst: [FOE, shots(1) | FIRES] });
      s.run(32);
      s.wire.tell({ span: 1 });
      s.run(32);
    },
    check(p) {
      must(witness.look().shots === 1, "one shot");
      const right = { x: p.width / 2 + 30, y: p.height / 2 - 40, w: 100, h: 80 };
      const below = p.count(glows, { x: p.width / 2 - 12, y: p.height / 2, w: 40, h: 60 });
      must(p.count(glows, right) === 0, "no shot goes to where it aimed before");
      must(below > 4, `it flashes where it looks: ${below}`);
    },
  },
  {
    name: "shell that left sight and comes back further on",
    part: [320, 140],
    play(s) {
      s.look(X, Z, 9);
      s.light(X, Z, 12);
      const east = 256 + 2016; // at full speed
      ticks(s, 3, { enter: entering(s, SHELL, "shell", 1, X - 2, Z, east) });
      const before = modelsOf(s, "shell");
      ticks(s, 1);
      must(before.length > 0, "it flies");
      ticks(s, 1, { leave: [SHELL] });
      const hidden = modelsOf(s, "shell");
      ticks(s, 4);
      must(hidden.length === 0, "out of sight it is not drawn");
      const after = modelsOf(s, "shell");
      ticks(s, 2, { enter: entering(s, SHELL, "shell", 1, X + 1, Z, 0) });
      must(
        after.length > 0 && after.every((x) => Math.abs(x - X - 1) < 0.1),
        `it is where it came: ${after}`,
      );
    },
    check(p) {
      const { x, y, w, h } = p.middle(320, 140);
      const left = p.count(glows, { x, y, w: w / 2, h });
      must(left === 0, `nothing is left of its way: ${left}`);
      must(p.count(glows, { x: x + w / 2, y, w: w / 2, h }) > 4, "it glows");
    },
  },
];

/** A place of the fog's scenes: ground in sight, explored ground, and a wood that was never seen. */
const SEEN = { x: 14, z: 22 };
const KNOWN = { x: 22, z: 22 };
const NEVER = { x: 5, z: 27 };

/** Pixels of the minimap at tiles. */
const onMinimap = (p: Picture, x: number, z: number) => {
  const k = p.width / MAP_WIDTH;
  return p.rgb(x * k, (z + (MAP_WIDTH - MAP_HEIGHT) / 2) * k);
};

/** A part of the field's picture around a place, some pixels of a small picture a side. */
function around(s: Stage, p: Picture, { x, z }: { x: number; z: number }, w: number, h: number) {
  const at = s.pageOf(x, z);
  const k = p.width / innerWidth;
  return { x: Math.round(k * (at.x - w)), y: Math.round(k * (at.y - h)), w: 2 * w * k, h: 2 * h * k };
}

const fog = (quality: Quality): Row => ({
  name: `fog on ground, units, ghosts and minimap, in ${quality} quality`,
  options: { quality },
  part: [600, 320],
  play(s) {
    s.look(14, 24, 24);
    s.light(18, 22, 9, "explored");
    s.light(SEEN.x, SEEN.z, 4);
    s.put("barracks", 1, SEEN.x, SEEN.z - 1);
    s.put("soldier", 1, SEEN.x, SEEN.z + 2);
    s.ghost("barracks", 1, KNOWN.x, KNOWN.z - 1);
    s.put("soldier", 1, KNOWN.x, KNOWN.z + 2);
    s.run(400);
  },
  check(p, s) {
    const [seen, known, never] = [
      p.at(SEEN.x - 2.6, SEEN.z + 1.5),
      p.at(KNOWN.x - 2.6, KNOWN.z + 1.5),
      p.at(NEVER.x, NEVER.z),
    ].map(light);
    must(
      seen > known + 25 && known > never + 5,
      `ground: visible ${seen}, explored ${known}, never ${never}`,
    );
    const box = around(s, p, NEVER, 60, 40);
    const shown = p.count((c) => Math.abs(light(c) - never) > 10, box); // a line of the chart differs by less
    must(shown === 0, `of a wood that was never seen ${shown} pixels show`);
    const [unit, hidden] = [SEEN, KNOWN].map((at) => {
      return p.count(rust, around(s, p, { x: at.x, z: at.z + 2 }, 24, 30));
    });
    must(
      unit > 12 && unit > 3 * hidden,
      `a unit in sight has ${unit} pixels of its colour, another ${hidden}`,
    );
    const [real, ghost] = [SEEN, KNOWN].map((at) => around(s, p, { x: at.x, z: at.z - 1.3 }, 50, 40));
    must(
      p.count(rust, real) > 3 * p.count(rust, ghost),
      "a ghost has not the colours of a structure in sight",
    );
    const stands = p.count((c) => Math.abs(light(c) - known) > 14, ghost);
    must(stands > 100, `a ghost stands out from its ground: ${stands} pixels`);
    const map = s.picture(s.root.querySelector<HTMLCanvasElement>(".minimap-canvas")!);
    const lights = [onMinimap(map, SEEN.x - 3, SEEN.z), onMinimap(map, 24, 20), onMinimap(map, 40, 26)].map(
      light,
    );
    must(lights[0] > lights[1] + 10 && lights[1] > lights[2] + 5, `minimap: ${lights}`);
    const k = map.width / MAP_WIDTH;
    const marked = ({ x, z }: { x: number; z: number }) =>
      map.count(rust, { x: (x - 2) * k, y: (z + 3) * k, w: 4 * k, h: 4 * k });
    const [structure, outline] = [marked(SEEN), marked(KNOWN)];
    must(outline > 4 && structure > 2 * outline, `on the minimap ${structure} and ${outline} pixels`);
  },
});

const WATCHTOWER = {
  name: "watchtower",
  class: TypeClass.STRUCTURE,
  health: 1500,
  sight: 26,
  size: 2,
  sizeY: 2,
};
const TOWERS = { types: [WATCHTOWER] };

const owners: Row[] = [
  {
    name: "model of watchtower",
    options: TOWERS,
    part: [220, 200],
    play(s) {
      s.look(X, Z, 11);
      s.light(X, Z, 12);
      s.put("watchtower", 0xff, X - 1.6, Z, 0);
      s.put("watchtower", 0, X + 1.6, Z, 0);
      s.run(32);
    },
    check(p) {
      must(p.count(lavender, p.middle(260, 200)) > 40, "it wears its owner's colour");
    },
  },
  {
    name: "structures that are being captured, and that changed hands",
    options: TOWERS,
    part: [480, 240],
    play(s) {
      s.look(X, Z, 13);
      s.light(X, Z, 14);
      const { selection } = s.game;
      const factory = s.put("factory", 0, X - 3.8, Z, 0);
      const tower = s.put("watchtower", 0xff, X, Z, 0);
      const taken = s.put("barracks", 0, X + 3.6, Z, 0);
      const guard = s.put("soldier", 0, X + 0.5, Z + 2.5);
      s.put("soldier", 1, X - 3.5, Z + 2.3);
      s.queue(taken).set([s.typeId("soldier")], 90);
      s.queue(taken).rally = { x: (X + 4) * WU, y: (Z + 4) * WU };
      selection.set([guard, taken]);
      selection.assign(1);
      ticks(s, 2, { amount: [factory, 160] });
      ticks(s, 8, { owner: [tower, 1, taken - tower, 2] });
      mine = taken;
    },
    check(p, s) {
      const { game, root, state } = s;
      const { handles, groups } = game.selection;
      must(!handles.has(mine) && handles.size === 1, "the lost structure is not selected any more");
      must(!groups[1].has(mine) && groups[1].size === 1, "nor in a group");
      must(!state.own.production.has(mine) && !state.prediction.rally(mine), "its queue is not the player's");
      const third = (k: number) => ({ x: (p.width / 3) * k, y: 60, w: p.width / 3, h: p.height - 120 });
      must(p.count(lavender, third(1)) > 40, "what was gained has the player's colour");
      must(p.count(rust, third(2)) > 80 && p.count(lavender, third(2)) < 20, "what was lost has the other's");
      const said = root.querySelector(".alerts")?.textContent ?? "";
      for (const words of ["Watchtower is yours", "Barracks was taken by Bo"])
        must(said.includes(words), `an alert says "${words}": ${said}`);
      game.selection.set([state.world.ids[s.slot(mine - 1)]]);
      must(game.selection.own().length === 1, "what was gained takes orders");
    },
  },
  {
    name: "minimap as an owner changes out of the view",
    options: TOWERS,
    part: "minimap",
    play(s) {
      s.look(38, 28, 13);
      s.light(X, Z, 40);
      const tower = s.put("watchtower", 1, 10, 10, 0);
      const factory = s.put("factory", 0, 24, 8, 0);
      s.run(100);
      const { sound } = s.game["context"];
      played.length = 0;
      const alert = sound.alert.bind(sound);
      sound.alert = (kind) => {
        played.push(kind);
        alert(kind);
      };
      ticks(s, 1, { amount: [factory, 20] });
      ticks(s, 1, { amount: [factory, 16] }); // as of a structure that was just finished
      must(played.length === 0, "no capture begins");
      ticks(s, 1, { amount: [factory, 32] });
      ticks(s, 3, { owner: [tower, 1, factory - tower, 2] });
    },
    check(p, s) {
      must(played.join() === "capture,gained,taken", `sounds: ${played}`);
      const said = s.root.querySelector(".alerts")?.textContent ?? "";
      must(said.includes("captures your Factory"), `an alert says so: ${said}`);
      must(p.count(lavender) > 20 && p.count(rust) > 40, "the marks have the new colours");
      const ring = (x: number, z: number, passes: (c: Rgb) => boolean) => {
        const k = p.width / MAP_WIDTH;
        return p.count(passes, { x: (x - 8) * k, y: (z - 2) * k, w: 16 * k, h: 16 * k });
      };
      must(ring(10, 10, green) > 20, "a green ring where it was gained");
      must(ring(24, 8, red) > 20, "a red one where it was lost");
    },
  },
];
const played: string[] = [];

const counts: Row = {
  name: "alerts of what is ready, counted by type",
  part: { page: ".alerts" },
  play(s) {
    s.look(X, Z, 12);
    const ready = (name: string, x: number) =>
      s.happen("trained", x, Z, { source: s.put(name, 0, x, Z), what: s.typeId(name) });
    for (const [k, name] of ["soldier", "caster", "soldier", "soldier"].entries()) ready(name, X + k);
    s.run(160);
  },
  check(_p, _s, page) {
    must(page.includes("Soldier is ready (×3)"), "three soldiers are one line");
    must(page.includes('"Caster is ready"'), "a caster is another");
  },
};

export const sight: readonly Row[] = [
  ...returns,
  ...(["low", "medium", "high"] as const).map(fog),
  ...owners,
  counts,
];
