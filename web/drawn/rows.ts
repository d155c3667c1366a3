// The table of everything that the client draws: a scene, the compared part of the page, and one assertion a row.
// Each row is also held to its picture of `pictures/`. A drawn kind without a row fails the test (`page.ts`,
// `drawnKinds`).

import type { Handle } from "@fogkeep/client";
import type { Settings } from "../src/game/settings";
import { LOOKS } from "../src/render/looks";
import {
  blue,
  fire,
  green,
  lavender,
  light,
  must,
  type Picture,
  type Rgb,
  red,
  rust,
  white,
  yellow,
} from "./picture";
import { sight } from "./sight";
import { type Stage, type StageOptions, WELCOME } from "./stage";

export interface Row {
  readonly name: string;
  /** Of the match; rows with the same share one. */
  readonly options?: StageOptions;
  readonly settings?: Partial<Settings>;
  /** A match of its own: it ends, or loses its connection. */
  readonly alone?: true;
  /** Drawn with each pixel of the page: it is small. */
  readonly fine?: true;
  /** Puts the scene together and lets time pass; the last frame is looked at. */
  play(s: Stage): void | Promise<void>;
  /** The compared part: pixels around the middle of the field, all of the minimap, or the outline of a part of the
   * page. */
  readonly part?: readonly [number, number] | "minimap" | { readonly page: string };
  /** The assertion: throws with words that name the missing drawing. */
  check(p: Picture, s: Stage, page: string): void;
}

/** Rules with radar, and a frame with two of its contacts. */
const RADAR = { contactTicks: 100, signatures: ["vehicle", "aircraft"] };
const FOUND = { contacts: { class: [0, 1], x: [2, 3], y: [2, 1], ago: [0, 60] } };
/** The colour of contacts of radar. */
const contact = (c: Rgb): boolean => c[1] > c[0] + 40 && c[1] > c[2] + 15 && c[2] > c[0];
/** The colour of sounds on the minimap. */
const sound = (c: Rgb): boolean => c[2] > c[0] + 45 && c[2] > c[1] + 25 && c[1] > c[0] + 10;

/** The middle of the field of most scenes. */
const X = 20;
const Z = 16;

/** A lit place, from near. */
function near(s: Stage, distance = 9): void {
  s.look(X, Z, distance);
  s.light(X, Z, 12);
}

/** A row of one entity in the middle. */
function one(
  name: string,
  put: (s: Stage) => void,
  check: Row["check"],
  part: readonly [number, number] = [176, 144],
): Row {
  return {
    name,
    part,
    play(s) {
      near(s);
      put(s);
    },
    check,
  };
}

/** Rules that show health, and a value with a bar of its own. */
const RAGING: StageOptions = {
  types: [
    {
      name: "berserker",
      class: 1,
      health: 100,
      size: 400,
      sizeY: 400,
      speed: 4000,
      sight: 16,
      values: [{ value: 0 }],
    },
  ],
  welcome: {
    values: [{ name: "rage", max: 100, class: "seeing", when: "change" }],
    displays: [
      { of: "rage", bar: "always", color: 0xc060ff, icon: "flame" },
      { of: "health", bar: "setting", icon: "heart", gain: 0x4080ff },
    ],
  },
};

const HILL = [{ name: "hill", x: 20, y: 16, radius: 3 * 1024 }];

const far = (a: Rgb, b: Rgb): number => Math.abs(a[0] - b[0]) + Math.abs(a[1] - b[1]) + Math.abs(a[2] - b[2]);

/** Projectiles that the shipped rules do not have. */
const FLIGHTS: StageOptions = {
  types: [
    { name: "lobbed", class: 3, speed: 20_000 },
    { name: "bouncing", class: 3, speed: 20_000 },
  ],
  welcome: {
    weapons: [
      ...WELCOME.weapons,
      { name: "lob", range: 10_240, projectile: true, projectileType: WELCOME.types.length, lob: 3072 },
      {
        name: "bounce",
        range: 10_240,
        projectile: true,
        projectileType: WELCOME.types.length + 1,
        bounces: 2,
      },
    ],
  },
};

/** A projectile that splits, and its pieces. */
const SPLITS: StageOptions = {
  types: [
    { name: "splitting", class: 3, speed: 20_000 },
    { name: "piece", class: 3, speed: 20_000 },
  ],
  welcome: {
    weapons: [
      ...WELCOME.weapons,
      {
        name: "split",
        range: 10_240,
        projectile: true,
        projectileType: WELCOME.types.length,
        lob: 3072,
        splits: 3,
      },
    ],
  },
};

const ground: Row[] = [
  {
    name: "ground of each kind",
    part: [640, 240],
    play(s) {
      s.light(24, 30, 30);
      s.look(21, 31, 40);
      s.run(16);
    },
    check(p) {
      const kinds = [0, 1, 2, 3, 4, 5, 6].map((k) => p.at(6.5 + 5 * k, 32.5));
      for (let k = 1; k < kinds.length; k++)
        must(
          far(kinds[k - 1], kinds[k]) > 6,
          `ground ${k - 1} and ground ${k} differ: ${kinds[k - 1]}, ${kinds[k]}`,
        );
    },
  },
  {
    name: "water",
    part: [320, 200],
    play(s) {
      s.light(40, 19, 12);
      s.look(40, 19, 14);
      s.run(16);
    },
    check(p) {
      const [water, land] = [p.at(40, 19), p.at(34, 17)];
      must(water[2] - water[0] > land[2] - land[0] + 10, `water is bluer than land: ${water}, ${land}`);
    },
  },
  {
    name: "cliff and plateau",
    part: [400, 260],
    play(s) {
      s.light(39, 9, 14);
      s.look(39, 11, 16);
      s.run(16);
    },
    check(p) {
      must(light(p.at(39, 8)) > light(p.at(39, 11.7)) + 8, "the plateau is lighter than its cliff");
    },
  },
  {
    name: "wood",
    part: [320, 220],
    play(s) {
      s.light(5, 27, 12);
      s.look(5.5, 27, 14);
      s.run(16);
    },
    check(p) {
      must(p.count((c) => c[1] > c[0] + 12 && c[1] > c[2] + 8, p.middle(200, 140)) > 500, "trees are green");
    },
  },
  {
    name: "fog of visible, explored and unexplored ground",
    part: [640, 300],
    play(s) {
      s.look(X, Z, 22);
      s.light(X, Z, 10, "explored");
      s.light(X - 3, Z, 4);
      s.run(16);
    },
    check(p) {
      const [seen, known, never] = [p.at(X - 3, Z), p.at(X + 5, Z), p.at(X + 11.5, Z)].map(light);
      must(seen > known + 25 && known > never + 5, `visible ${seen}, explored ${known}, unexplored ${never}`);
    },
  },
  {
    name: "fog half way from dark to light",
    part: [320, 200],
    play(s) {
      s.look(X, Z, 12);
      s.light(X, Z, 12, "explored");
      s.run(16);
      for (let t = 0; t < s.state.mask.width * s.state.mask.height; t++) s.state.mask.setVisible(t, true);
      s.run(96);
    },
    check(p, s) {
      const half = light(p.at(X, Z));
      s.run(300);
      must(half < 0.9 * lightOf(s, X, Z), "light comes little by little");
    },
  },
  {
    name: "fog half way from light to dark",
    part: [320, 200],
    play(s) {
      near(s, 12);
      s.run(16);
      s.state.mask.hideAll();
      s.run(128);
    },
    check(p, s) {
      const half = light(p.at(X, Z));
      s.run(500);
      must(half > lightOf(s, X, Z) + 10, "light goes little by little");
    },
  },
  {
    name: "fog in high quality, with shadows",
    options: { quality: "high" },
    part: [640, 300],
    play(s) {
      s.look(X, Z, 18);
      s.light(X, Z, 10, "explored");
      s.light(X - 3, Z, 4.5);
      s.put("barracks", 0, X - 3, Z);
      s.put("soldier", 1, X - 5, Z + 1);
      s.light(39, 9, 14);
      s.run(16);
    },
    check(p) {
      must(light(p.at(X - 3, Z + 2)) > light(p.at(X + 7, Z)) + 15, "visible ground is lighter");
    },
  },
  {
    name: "terrain in high quality",
    options: { quality: "high" },
    part: [640, 330],
    play(s) {
      s.light(36, 15, 30);
      s.look(38, 14, 26);
      s.run(16);
    },
    check(p) {
      must(p.at(40, 19)[2] > p.at(33, 14)[2], "water is bluer than land");
    },
  },
];

function lightOf(s: Stage, x: number, z: number): number {
  return s.renderer.brightnessAt([{ x, z }])[0];
}

const MODELS = [
  "worker",
  "scout",
  "soldier",
  "artillery",
  "caster",
  "flyer",
  "detector",
  "raider",
  "command-centre",
  "barracks",
  "factory",
  "tower",
  "wall",
  "ore-field",
  "gas-vent",
  "tree",
  "crate",
  "shell",
  "bolt",
  "rocket",
];

const PLACED = new Set(["ore-field", "gas-vent", "tree", "crate"]);

const models: Row[] = MODELS.map((name) =>
  one(
    `model of ${name}`,
    (s) => {
      if (name.length > 9 || name === "factory" || name === "barracks") s.look(X, Z, 14);
      if (name === "flyer") s.look(X, Z - 2, 14);
      s.put(name, PLACED.has(name) ? 0xff : 0, X, Z, 20);
      s.run(32);
    },
    (p, s) => {
      const plain = p.at(X - 3, Z - 2);
      const on = p.count((c) => far(c, plain) > 40, p.middle(100, 90));
      must(on > 60, `a ${name} stands out from the ground: ${on} pixels`);
      const type = s.state.info.rules.types[s.typeId(name)];
      if (!PLACED.has(name) && (type.class === "unit" || type.class === "structure"))
        must(p.count(lavender, p.middle(200, 180)) > 12, `a ${name} wears its owner's colour`);
    },
  ),
);

const entities: Row[] = [
  one(
    "units in the colours of their owners",
    (s) => {
      for (let owner = 0; owner < 4; owner++) s.put("caster", owner, X - 1.5 + owner, Z);
      s.run(16);
    },
    (p) => {
      must(p.count(lavender) > 60 && p.count(rust) > 60 && p.count(yellow) > 60, "each owner has its colour");
    },
    [280, 120],
  ),
  {
    name: "units in the colours of their relation",
    settings: { relations: true },
    part: [280, 120],
    play(s) {
      near(s);
      for (let owner = 0; owner < 4; owner++) s.put("caster", owner, X - 1.5 + owner, Z);
      s.run(16);
    },
    check(p) {
      must(p.count(blue) > 60 && p.count(rust) > 100, "own are blue, enemies orange");
    },
  },
  one(
    "facing",
    (s) => {
      for (let k = 0; k < 4; k++) s.put("scout", 0, X - 1.8 + 1.2 * k, Z, k * 64);
      s.run(16);
    },
    (p) => must(p.count(lavender, p.middle(300, 120)) > 100, "wedges of four directions"),
    [300, 120],
  ),
  one(
    "turret aims at what it shoots",
    (s) => {
      const a = s.put("artillery", 0, X, Z, 0);
      const t = s.put("tower", 0, X - 3, Z, 0);
      const foe = s.put("wall", 1, X + 0.5, Z + 4);
      s.run(32);
      s.shoot(a, foe);
      s.shoot(t, foe);
      s.run(1200);
    },
    (p) => must(p.count(lavender, p.middle(300, 160)) > 40, "the turrets are drawn"),
    [360, 180],
  ),
  one(
    "recoil of a shot",
    (s) => {
      const a = s.put("artillery", 0, X, Z, 0);
      const foe = s.put("wall", 1, X + 8, Z);
      s.run(32);
      s.shoot(a, foe);
      s.run(48);
    },
    (p) => must(p.count(fire, p.middle(300, 200)) > 8, "the muzzle flashes"),
    [320, 200],
  ),
  one(
    "lunge and slash of who strikes",
    (s) => {
      const a = s.put("raider", 0, X, Z, 0);
      const foe = s.put("soldier", 1, X + 0.9, Z);
      s.run(32);
      s.shoot(a, foe);
      s.run(48);
    },
    (p) => must(p.count(lavender) > 20, "the raider is drawn"),
  ),
  one(
    "legs that walk",
    (s) => {
      const a = s.put("soldier", 0, X - 1, Z);
      const b = s.put("worker", 0, X + 1, Z + 1);
      s.walk(a, 1.5, 0);
      s.walk(b, 0, 1.5);
      for (let k = 0; k < 10; k++) {
        s.state.world.tick++;
        s.run(48);
      }
    },
    (p) => must(p.count((c) => light(c) > 110, p.middle(220, 160)) > 20, "the walker is lit"),
    [240, 180],
  ),
  one(
    "structures being built, in their scaffolds",
    (s) => {
      s.look(X, Z, 16);
      s.building(s.put("barracks", 0, X - 3, Z), 0.25);
      s.building(s.put("tower", 0, X + 0.5, Z), 0.6);
      s.building(s.put("wall", 0, X + 3, Z), 0.96);
      s.run(16);
    },
    (p) => must(p.count(fire, p.middle(420, 200)) > 12, "the edge of what is built glows"),
    [420, 220],
  ),
  one(
    "hit flash",
    (s) => {
      const a = s.put("command-centre", 0, X, Z);
      s.look(X, Z, 14);
      s.run(32);
      s.state.world.hitMs[s.slot(a)] = s.now;
      s.run(16);
    },
    (p, s) => {
      const warm = (q: Picture) => q.count((c) => c[0] > c[2] + 40 && c[0] > 70, q.middle(160, 120));
      const n = warm(p);
      s.run(320);
      must(n > 250 && n > 3 * warm(s.picture()), `what was hit reddens: ${n}`);
    },
    [240, 200],
  ),
  one(
    "selection ring",
    (s) => {
      const a = s.put("soldier", 0, X, Z);
      s.game.selection.set([a]);
      s.run(16);
    },
    (p) => must(p.count(green, p.middle(120, 110)) > 60, "a green ring lies around what is selected"),
  ),
  one(
    "selection ring of a foreign unit, and the ring under the pointer",
    (s) => {
      const a = s.put("soldier", 1, X - 1, Z);
      s.put("soldier", 0, X + 1, Z);
      s.game.selection.set([a]);
      s.run(16);
      s.point(X + 1, Z);
      s.run(160);
    },
    (p) => {
      must(p.count(rust, p.middle(280, 130)) > 60, "the ring has the owner's colour");
      must(p.count(white, p.middle(280, 130)) > 20, "the ring under the pointer is white");
    },
    [280, 150],
  ),
  {
    name: "outline under the pointer, and shadows, in high quality",
    options: { quality: "high" },
    part: [300, 200],
    play(s) {
      near(s);
      const a = s.put("soldier", 0, X - 1.5, Z);
      s.put("artillery", 0, X + 1.5, Z, 30);
      s.put("flyer", 1, X, Z - 1.5, 80);
      s.run(16);
      s.point(X - 1.5, Z);
      s.run(160);
      void a;
    },
    check(p) {
      must(p.count(white, p.middle(300, 160)) > 30, "a white line is around what the pointer is on");
    },
  },
  one(
    "health bars",
    (s) => {
      for (const [k, share] of [1, 0.8, 0.5, 0.2].entries())
        s.hurt(s.put("soldier", 0, X - 1.8 + 1.2 * k, Z), share);
      s.hurt(s.put("soldier", 1, X, Z + 1.6), 0.9);
      s.run(16);
    },
    (p) => {
      must(p.count(green) > 20, "much health is green");
      must(p.count(yellow) > 15, "half is yellow");
      must(p.count(red) > 20, "little is red, and an enemy's");
    },
    [320, 180],
  ),
  {
    name: "health bars of all, by setting",
    fine: true,
    settings: { bars: "all" },
    part: [240, 160],
    play(s) {
      near(s);
      s.put("soldier", 0, X - 1, Z);
      s.put("barracks", 0, X + 2, Z);
      s.run(16);
    },
    check(p) {
      must(p.count(green) > 60, "the unhurt have bars too");
    },
  },
  {
    name: "health bars of the selected, by setting",
    settings: { bars: "selected" },
    part: [240, 160],
    play(s) {
      near(s);
      s.hurt(s.put("soldier", 0, X - 1, Z), 0.5);
      const b = s.put("soldier", 0, X + 1, Z);
      s.hurt(b, 0.5);
      s.game.selection.set([b]);
      s.run(16);
    },
    check(p) {
      const [other, selected] = [200, 330].map((x) => p.count(yellow, { x, y: 60, w: 110, h: 200 }));
      must(selected > other + 8, `the selected has a bar, the other has none: ${selected}, ${other}`);
    },
  },
  one(
    "shield bar over the health bar",
    (s) => {
      s.hurt(s.put("detector", 0, X - 1, Z), 0.5);
      const b = s.put("detector", 0, X + 1, Z);
      s.hurt(b, 0.9);
      s.state.world.shield[s.slot(b)] = 20;
      s.run(16);
    },
    (p) => must(p.count(blue) > 10, "a shield is blue"),
    [240, 160],
  ),
  one(
    "emblem over a structure",
    (s) => {
      s.look(X, Z, 14);
      for (let owner = 0; owner < 4; owner++) s.put("tower", owner, X - 4.5 + 3 * owner, Z);
      s.run(16);
    },
    (p) => must(p.count(yellow) > 20 && p.count(rust) > 20, "emblems have the colours of owners"),
    [440, 180],
  ),
  one(
    "ghost of a structure that was seen",
    (s) => {
      s.look(X, Z, 14);
      s.state.mask.forget();
      s.light(X, Z, 12, "explored");
      s.light(X - 6, Z, 4);
      s.ghost("barracks", 1, X, Z);
      s.run(16);
    },
    (p) => {
      const plain = p.at(X + 3, Z + 2);
      must(p.count((c) => far(c, plain) > 25, p.middle(120, 90)) > 300, "a ghost stands on explored ground");
    },
    [260, 180],
  ),
  one(
    "ghost under the pointer, in its words",
    (s) => {
      s.light(X, Z, 12, "explored");
      s.ghost("tower", 1, X, Z);
      s.run(16);
      s.point(X, Z);
      s.run(160);
    },
    (_p, s) => must(s.text(".hover-tip").includes("0:05"), "the tip says how long ago it was seen"),
  ),
  one(
    "unit that comes into sight",
    (s) => {
      s.run(16);
      const a = s.put("soldier", 0, X, Z);
      s.state.world.enterMs[s.slot(a)] = s.now - 50;
      s.run(16);
    },
    (p, s) => {
      const n = p.count(lavender);
      s.run(208);
      must(n < 0.8 * s.picture().count(lavender), "it fades in");
    },
  ),
  one(
    "unit that goes out of sight",
    (s) => {
      const a = s.put("soldier", 1, X, Z);
      s.run(32);
      s.leave(a, "fog");
      s.run(96);
    },
    (p, s) => {
      const n = p.count(rust);
      s.run(320);
      must(n > 10 && s.picture().count(rust) < n / 4, `it fades out: ${n}`);
    },
  ),
  one(
    "enemy on ground that is not lit",
    (s) => {
      s.state.mask.hideAll();
      s.renderer.snap();
      s.put("soldier", 1, X - 1, Z);
      s.put("soldier", 0, X + 1, Z);
      s.run(16);
    },
    (p) => must(p.count(lavender) > 3 * Math.max(1, p.count(rust)), "own units are lit, others are not"),
    [240, 140],
  ),
  one(
    "cloaked unit",
    (s) => {
      const a = s.put("raider", 0, X, Z);
      s.cloak(a);
      s.run(400);
    },
    (p) => must(p.count(lavender) > 60, "a cloak shimmers in the owner's colour"),
  ),
  {
    name: "icons from afar",
    fine: true,
    part: [620, 220],
    play(s) {
      s.look(X, Z, 58);
      s.light(X, Z, 16);
      MODELS.slice(0, 8).forEach((name, k) => {
        s.put(name, 0, X - 10.5 + 3 * k, Z - 3);
        s.put(name, 1, X - 10.5 + 3 * k, Z);
        s.put(name, 2, X - 10.5 + 3 * k, Z + 3);
      });
      s.run(64);
    },
    check(p) {
      must(
        p.count(lavender) > 150 && p.count(rust) > 150 && p.count(yellow) > 150,
        "plates in the colours of owners",
      );
    },
  },
  {
    name: "icon of a selected unit, of one that is hurt, and of a cloaked one",
    fine: true,
    part: [200, 120],
    play(s) {
      s.look(X, Z, 58);
      s.light(X, Z, 16);
      const a = s.put("soldier", 0, X - 3, Z);
      s.hurt(s.put("soldier", 0, X, Z), 0.5);
      s.cloak(s.put("raider", 0, X + 3, Z));
      s.game.selection.set([a]);
      s.run(400);
    },
    check(p) {
      must(p.count(white, p.middle(200, 100)) > 12, "the selected has a white edge");
    },
  },
  {
    name: "models that turn into icons",
    fine: true,
    part: [200, 120],
    play(s) {
      s.look(X, Z, 41);
      s.light(X, Z, 16);
      s.put("soldier", 0, X, Z);
      s.put("artillery", 0, X + 2, Z);
      s.put("barracks", 1, X - 4, Z);
      s.run(32);
    },
    check(p) {
      must(p.count(lavender) > 20, "something of it is drawn");
    },
  },
  {
    name: "all seen with all teams' eyes",
    fine: true,
    options: { welcome: { spectator: true, slot: 255, team: 255 } },
    part: [400, 200],
    play(s) {
      s.look(X, Z, 58);
      s.light(X, Z, 16);
      for (let owner = 0; owner < 4; owner++) s.hurt(s.put("soldier", owner, X - 4.5 + 3 * owner, Z), 0.5);
      s.hurt(s.put("tower", 1, X, Z + 4), 0.7);
      s.run(64);
    },
    check(p) {
      must(p.count(lavender) > 30 && p.count(rust) > 30, "units of all teams");
    },
  },
];

const effects: Row[] = [
  one(
    "tracer of a shot, and its hit",
    (s) => {
      const a = s.put("soldier", 0, X - 2, Z);
      const b = s.put("soldier", 1, X + 2, Z);
      s.run(32);
      s.shoot(a, b);
      s.run(64);
    },
    (p) => must(p.count(fire, p.middle(280, 100)) > 20, "a line of light goes to the target"),
    [320, 140],
  ),
  one(
    "spark where a shot hits",
    (s) => {
      const a = s.put("soldier", 0, X - 2, Z);
      s.put("soldier", 1, X + 1, Z);
      s.run(32);
      s.shoot(a);
      s.run(144);
    },
    (p) => must(p.count(fire, p.middle(280, 100)) > 4, "it sparks at the target"),
    [320, 140],
  ),
  one(
    "shots of a structure, of both guns and of what flies",
    (s) => {
      const t = s.put("tower", 0, X - 2, Z);
      const f = s.put("flyer", 0, X, Z + 1.4, 10);
      const foe = s.put("scout", 1, X + 2, Z);
      s.run(32);
      s.shoot(t, foe);
      s.shoot(f, foe);
      s.run(32);
    },
    (p) => must(p.count(fire, p.middle(300, 180)) > 8, "muzzles flash"),
    [320, 200],
  ),
  one(
    "smoke of a large gun",
    (s) => {
      const a = s.put("artillery", 0, X - 1, Z);
      const b = s.put("wall", 1, X + 6, Z);
      s.run(32);
      s.shoot(a, b);
      s.run(320);
    },
    (p, s) => {
      const before = p;
      s.run(2000);
      const after = s.picture();
      let n = 0;
      for (let k = 0; k < before.bytes.length; k += 4)
        if (Math.abs(before.bytes[k] - after.bytes[k]) > 12) n++;
      must(n > 60, `smoke drifts: ${n}`);
    },
    [320, 200],
  ),
  one(
    "hit",
    (s) => {
      s.run(32);
      s.happen("hit", X, Z);
      s.run(48);
    },
    (p) => must(p.count(fire, p.middle(60, 60)) > 20, "a hit glows"),
    [120, 100],
  ),
  ...([64, 240, 640] as const).map((ms) =>
    one(
      `explosion after ${ms} ms`,
      (s) => {
        s.run(32);
        s.happen("blast", X, Z, { what: s.weapon("siege-howitzer") });
        s.run(ms);
      },
      (p) =>
        must(p.count((c) => far(c, p.at(X - 3, Z - 2)) > 40, p.middle(200, 180)) > 150, "an explosion shows"),
      [260, 240],
    ),
  ),
  one(
    "explosion on water",
    (s) => {
      s.look(40, 19, 9);
      s.light(40, 19, 12);
      s.run(32);
      s.happen("blast", 40, 19, { what: s.weapon("howitzer") });
      s.run(160);
    },
    (p) => must(p.count((c) => light(c) > 130, p.middle(240, 200)) > 30, "water sprays"),
    [260, 240],
  ),
  one(
    "shell that bursts",
    (s) => {
      const a = s.put("shell", 1, X, Z);
      s.run(32);
      s.happen("blast", X, Z, { source: a });
      s.run(96);
    },
    (p) => must(p.count(fire, p.middle(120, 120)) > 100, "it explodes"),
    [260, 240],
  ),
  one(
    "death of a unit",
    (s) => {
      const a = s.put("soldier", 1, X, Z);
      s.run(32);
      s.leave(a, "dead");
      s.run(160);
    },
    (p) => must(p.count(fire, p.middle(160, 140)) > 30, "it bursts"),
    [260, 220],
  ),
  one(
    "death of what flies",
    (s) => {
      s.look(X, Z - 2, 14);
      const a = s.put("flyer", 1, X, Z);
      s.run(32);
      s.leave(a, "dead");
      s.run(200);
    },
    (p) => must(p.count(fire, p.middle(220, 200)) > 30, "it bursts in the air"),
    [260, 240],
  ),
  one(
    "fall of a structure",
    (s) => {
      s.look(X, Z, 13);
      const a = s.put("barracks", 1, X, Z);
      s.run(32);
      s.leave(a, "dead");
      s.run(420);
    },
    (p) => must(p.count(fire, p.middle(240, 200)) > 60, "it burns as it falls"),
    [360, 300],
  ),
  one(
    "smoke over a structure that fell",
    (s) => {
      s.look(X, Z, 13);
      const a = s.put("tower", 1, X, Z);
      s.run(32);
      s.leave(a, "dead");
      s.run(2400);
    },
    (p) => must(p.count((c) => far(c, p.at(X - 5, Z + 2)) > 25, p.middle(240, 220)) > 100, "smoke stands"),
    [300, 300],
  ),
  {
    name: "explosion with reduced motion",
    settings: { reducedMotion: true },
    part: [260, 240],
    play(s) {
      near(s);
      s.hurt(s.put("barracks", 0, X + 3, Z), 0.2);
      const a = s.put("soldier", 0, X - 2, Z);
      s.put("soldier", 1, X - 1, Z);
      s.run(32);
      s.shoot(a);
      s.happen("blast", X, Z, { what: s.weapon("siege-howitzer") });
      s.happen("built", X + 1, Z);
      s.run(128);
    },
    check(p) {
      must(p.count(fire, p.middle(120, 120)) > 60, "the fire is drawn, without pieces");
    },
  },
  one(
    "scorched ground",
    (s) => {
      s.run(32);
      s.happen("blast", X, Z, { what: s.weapon("siege-howitzer") });
      s.run(6000);
    },
    (p) => must(light(p.at(X, Z)) < 0.7 * light(p.at(X - 3.5, Z)), "the ground is dark where it exploded"),
    [200, 160],
  ),
  one(
    "scorched ground that fades",
    (s) => {
      s.run(32);
      s.happen("blast", X, Z, { what: s.weapon("siege-howitzer") });
      s.run(27_000);
    },
    (p) => must(light(p.at(X, Z)) < 0.95 * light(p.at(X - 3.5, Z)), "a little of it is left"),
    [200, 160],
  ),
  one(
    "ring of an order",
    (s) => {
      s.run(32);
      s.renderer.effects.orderRing(X - 1, Z, false);
      s.renderer.effects.orderRing(X + 1, Z, true);
      s.run(96);
    },
    (p) => must(p.count(green) > 30 && p.count(red) > 30, "green to go, red to fight"),
    [240, 140],
  ),
  ...(["look", "danger", "help"] as const).map((kind, k) =>
    one(
      `ping ${kind} on the field`,
      (s) => {
        s.run(32);
        s.state.events.emit("ping", { slot: 2, kind, x: X * 1024, y: Z * 1024 });
        s.run(k === 0 ? 480 : 1600);
      },
      (p) =>
        must(p.count([yellow, red, blue][k], p.middle(300, 240)) > 40, "a ring and an emblem of its colour"),
      [300, 240],
    ),
  ),
  one(
    "dust behind what drives",
    (s) => {
      const a = s.put("worker", 0, X - 1, Z);
      s.walk(a, 2, 0);
      s.run(160);
    },
    (p) =>
      must(p.count((c) => far(c, p.at(X + 3, Z + 2)) > 30, p.middle(240, 120)) > 100, "dust and a worker"),
    [280, 140],
  ),
  one(
    "smoke of a damaged structure",
    (s) => {
      s.hurt(s.put("tower", 0, X, Z), 0.5);
      s.run(64);
    },
    (p) => must(p.count(lavender) > 12, "the tower is drawn"),
    [220, 220],
  ),
  one(
    "fire of a structure that is nearly lost",
    (s) => {
      s.hurt(s.put("tower", 0, X, Z), 0.15);
      s.run(64);
    },
    (p) => must(p.count(fire, p.middle(180, 180)) > 40, "it burns"),
    [220, 220],
  ),
  one(
    "dust of a structure that is ready",
    (s) => {
      s.run(32);
      s.happen("built", X, Z);
      s.run(240);
    },
    (p) => must(p.count((c) => far(c, p.at(X - 3.5, Z - 2)) > 25, p.middle(240, 180)) > 100, "dust flies"),
    [280, 200],
  ),
  {
    name: "numbers of damage",
    fine: true,
    settings: { damage: true },
    part: [560, 260],
    play(s) {
      near(s, 14);
      const hurt = (h: Handle, attribute: "health" | "shield", was: number, now: number) =>
        s.state.events.emit("attribute", { id: h, slot: s.slot(h), attribute, was, now, times: 1 });
      const [a, b, c] = [0, 1, 1].map((owner, k) => s.put("detector", owner, X - 2 + 2 * k, Z));
      s.run(32);
      hurt(a, "health", 100, 63);
      hurt(b, "health", 80, 70);
      hurt(b, "health", 70, 50);
      hurt(c, "shield", 40, 31);
      hurt(c, "health", 10, 20);
      s.run(240);
    },
    check(p) {
      must(p.count(white) > 12, "an enemy's loss is white");
      must(p.count(red) > 12, "an own loss is red");
    },
  },
  {
    name: "bars and numbers that the rules declare",
    fine: true,
    options: RAGING,
    settings: { damage: true },
    part: [560, 260],
    play(s) {
      near(s, 14);
      const [a, b] = [0, 1].map((owner, k) => s.put("berserker", owner, X - 2 + 3 * k, Z));
      s.hurt(a, 0.5);
      s.run(32);
      for (const id of [a, b]) s.state.values.apply([id, 0, 160], false);
      s.run(32);
      for (const id of [a, b])
        s.state.events.emit("attribute", {
          id,
          slot: s.slot(id),
          attribute: "health",
          was: 40,
          now: 57,
          times: 1,
        });
      s.run(240);
    },
    check(p) {
      must(p.count(lavender) > 30, "rage has its bar, of an enemy too");
      must(p.count(yellow) > 8, "the hurt has a bar of health by the rules");
      must(p.count(blue) > 12, "a gain of health has numbers");
    },
  },
  {
    name: "rows of the panel that the rules declare",
    options: RAGING,
    part: { page: ".single-text" },
    play(s) {
      near(s);
      const a = s.put("berserker", 0, X, Z);
      s.state.values.apply([a, 0, 160], false);
      s.game.selection.set([a]);
      s.run(64);
    },
    check(_p, _s, page) {
      must(page.includes("Rage 80 / 100"), "the row of rage");
      must(page.includes("Health 100 / 100"), "the row of health");
    },
  },
  one(
    "projectiles and their glow",
    (s) => {
      s.put("bolt", 0, X - 1, Z, 0);
      s.put("rocket", 1, X + 1, Z, 32);
      s.run(16);
    },
    (p) => must(p.count((c) => c[0] > 130 && c[0] > c[2] + 30) > 20, "they glow"),
    [240, 140],
  ),
  {
    name: "a lobbed shell in its arc, and the streak of one that bounces",
    options: FLIGHTS,
    part: [420, 260],
    play(s) {
      near(s, 12);
      s.put("artillery", 1, X - 5, Z);
      s.put("soldier", 0, X + 3, Z);
      const shell = s.put("lobbed", 1, X - 4, Z);
      const arc = s.put("bouncing", 1, X - 4, Z + 2.5);
      s.walk(shell, 7, 0);
      s.walk(arc, 7, 0);
      for (let k = 0; k < 10; k++) {
        s.state.world.tick++;
        s.run(48);
      }
    },
    check(p) {
      const glows = (c: Rgb): boolean => c[0] > 150 && c[0] > c[2] + 40;
      must(p.count(glows, { ...p.middle(420, 260), h: 45 }) > 8, "the shell is high over its line");
      const streak = p.count((c) => c[0] > 85 && c[0] > c[2] + 40, { ...p.middle(420, 260), w: 110 });
      must(streak > 80, `a streak is behind the other: ${streak} pixels`);
      must(p.count(glows) > 20, "both glow");
    },
  },
  {
    name: "pieces that burst from the place of the shell that split, at its height",
    options: SPLITS,
    part: [420, 260],
    play(s) {
      near(s, 12);
      s.put("artillery", 2, X - 5, Z);
      const shell = s.put("splitting", 2, X - 4, Z);
      s.walk(shell, 7, 0);
      const fly = (ticks: number) => {
        for (let k = 0; k < ticks; k++) {
          s.state.world.tick++;
          s.run(48);
        }
      };
      fly(10);
      const slot = s.slot(shell);
      const [x, z] = [s.state.world.posX(slot) / 1024, s.state.world.posY(slot) / 1024];
      s.leave(shell, "dead");
      for (const dz of [-3, 0, 3]) s.walk(s.put("piece", 2, x, z), 4, dz);
      fly(2);
    },
    check(p) {
      const glows = (c: Rgb): boolean => c[0] > 150 && c[0] > c[2] + 40;
      const high = p.count(glows, { ...p.middle(420, 260), h: 70 });
      must(high > 12, `the pieces burst over the line of the shell: ${high} pixels`);
    },
  },
  one(
    "shots that are drawn ahead",
    (s) => {
      const a = s.put("artillery", 0, X - 2, Z);
      const shot = { unit: a, owner: 0, to: null, facing: 0.3 };
      const type = s.typeId("shell");
      s.state.shots.values = () =>
        [
          { ...shot, type, phase: "windUp", wound: 0.7, x: X - 2, z: Z, alpha: 1 },
          { ...shot, type, phase: "flight", wound: 1, x: X + 1, z: Z, alpha: 0.8 },
          { ...shot, type, phase: "glide", wound: 1, x: X + 3, z: Z, alpha: 1 },
        ].values() as never;
      Object.defineProperty(s.state.shots, "size", { value: 3, configurable: true });
      s.run(16);
      delete (s.state.shots as { values?: unknown }).values;
      delete (s.state.shots as { size?: unknown }).size;
    },
    (p) => must(p.count((c) => c[0] > 130 && c[0] > c[2] + 30) > 20, "a wind-up glows, and a shell flies"),
    [320, 160],
  ),
];

/** Each look: how it begins, how it is on, how it is with reduced motion, how it ends. */
const ON: Record<(typeof LOOKS)[number], string> = {
  cloak: "",
  deploy: "deploy",
  sprint: "sprint",
  burn: "burn",
  rage: "rage",
  burning: "burning",
  slowed: "slowed",
  shielded: "shielded",
};
const differs = (p: Picture, more: number) => {
  const plain = p.at(X - 3.5, Z - 2);
  return p.count((c) => far(c, plain) > 40, p.middle(200, 180)) > more;
};
function wear(s: Stage, look: (typeof LOOKS)[number]): Handle {
  const a = s.put(look === "deploy" ? "artillery" : "soldier", 0, X, Z, 30);
  s.run(32);
  if (look === "cloak") s.cloak(a);
  else s.turn(a, ON[look], true);
  return a;
}

const looks: Row[] = LOOKS.flatMap((look): Row[] => [
  one(
    `${look} begins`,
    (s) => {
      wear(s, look);
      s.run(112);
    },
    (p) => must(differs(p, 150), `${look} flashes`),
    [220, 200],
  ),
  one(
    `${look} is on`,
    (s) => {
      const a = wear(s, look);
      if (look === "sprint") s.walk(a, 2, 0);
      s.run(700);
    },
    (p) => must(differs(p, 150), `${look} shows`),
    [220, 200],
  ),
  {
    name: `${look} is on, with reduced motion`,
    settings: { reducedMotion: true },
    part: [220, 200],
    play(s) {
      near(s);
      wear(s, look);
      s.run(700);
    },
    check: (p) => must(differs(p, 150), `${look} shows`),
  },
  one(
    `${look} ends`,
    (s) => {
      const a = wear(s, look);
      s.run(700);
      if (look === "cloak") s.cloak(a, false);
      else s.turn(a, ON[look], false);
      s.run(112);
    },
    (p) => must(differs(p, 100), `${look} fades`),
    [220, 200],
  ),
]);

const abilities: Row[] = [
  one(
    "what is on a unit that comes into sight",
    (s) => {
      const a = s.put("soldier", 1, X - 1, Z);
      const b = s.put("soldier", 1, X + 1, Z);
      const { actions, info } = s.state;
      const effect = info.rules.effects.findIndex((e) => e.name === "burning");
      const ability = info.rules.abilities.findIndex((e) => e.name === "rage");
      actions["effects"].set(a, [{ kind: effect, since: 0, source: 0 }]);
      actions["shown"].set(b, [{ index: 0, ability, since: 0, request: 0 }]);
      s.run(16);
      actions["effects"].delete(a);
      actions["shown"].delete(b);
    },
    (p) => must(p.count(fire) > 60 && p.count(red) > 40, "it burns and rages at once"),
    [280, 180],
  ),
  one(
    "way of an effect to its victim",
    (s) => {
      const a = s.put("caster", 0, X - 2, Z);
      const b = s.put("soldier", 1, X + 1.5, Z);
      s.run(32);
      s.turn(b, "slowed", true, a);
      s.run(96);
    },
    (p) => must(p.count(blue, p.middle(300, 120)) > 40, "a blue line joins them"),
    [320, 180],
  ),
  one(
    "pulse of an ability that is no action",
    (s) => {
      const a = s.put("command-centre", 0, X, Z);
      s.look(X, Z, 14);
      s.run(32);
      s.happen("ability", X, Z, { source: a, what: s.ability("scan") });
      s.run(240);
    },
    (p) => must(p.count((c) => c[1] > c[0] + 40) > 60, "rings go out"),
    [320, 240],
  ),
  one(
    "ground that burns",
    (s) => {
      s.look(X, Z, 12);
      s.run(32);
      s.happen("ability", X, Z, { what: s.ability("burn") });
      s.run(640);
    },
    (p) => must(p.count(fire) > 400, "flames stand in a circle"),
    [320, 260],
  ),
  one(
    "circle of a scan",
    (s) => {
      s.look(X, Z, 20);
      s.run(32);
      s.state.events.emit("sight", { x: X, y: Z, radius: 12, ticks: 100 });
      s.run(640);
    },
    (p) => must(p.count((c) => c[1] > c[0] + 40) > 150, "a green circle with a hand"),
    [440, 320],
  ),
  {
    name: "burning ground and a scan with reduced motion",
    settings: { reducedMotion: true },
    part: [440, 320],
    play(s) {
      near(s, 18);
      s.run(32);
      s.happen("ability", X - 3, Z, { what: s.ability("burn") });
      s.state.events.emit("sight", { x: X + 2, y: Z, radius: 12, ticks: 100 });
      s.run(640);
    },
    check(p) {
      must(p.count(fire) > 100 && p.count((c) => c[1] > c[0] + 40) > 100, "both are drawn");
    },
  },
  one(
    "hit on a shield",
    (s) => {
      const a = s.put("detector", 0, X, Z);
      s.run(32);
      s.state.world.shieldHitMs[s.slot(a)] = s.now;
      s.run(64);
    },
    (p) => must(p.count(blue) > 60, "a bubble shows"),
  ),
  one(
    "shield that breaks",
    (s) => {
      const a = s.put("detector", 0, X, Z);
      s.run(32);
      s.state.events.emit("attribute", {
        id: a,
        slot: s.slot(a),
        attribute: "shield",
        was: 12,
        now: 0,
        times: 1,
      });
      s.run(96);
    },
    (p) => must(p.count(blue) > 60, "a bubble bursts"),
    [220, 180],
  ),
];

const orders: Row[] = [
  one(
    "lines to where the selected go, and rally points",
    (s) => {
      s.look(X, Z, 14);
      const [a, b] = [s.put("soldier", 0, X - 3, Z), s.put("soldier", 0, X - 3, Z + 2)];
      const c = s.put("tower", 0, X - 4, Z - 3);
      Object.assign(s.own(a), { doing: "move", to: { x: (X + 3) * 1024, y: Z * 1024 } });
      Object.assign(s.own(b), { doing: "attackMove", to: { x: (X + 3) * 1024, y: (Z + 2) * 1024 } });
      s.queue(c).rally = { x: (X + 2) * 1024, y: (Z - 2) * 1024 };
      s.game.selection.set([a, b, c]);
      s.run(16);
    },
    (p) => must(p.count(green) > 60, "lines and rings are green"),
    [560, 280],
  ),
  one(
    "line of an order that was not answered",
    (s) => {
      s.look(X, Z, 14);
      const a = s.put("soldier", 0, X - 3, Z);
      s.game.selection.set([a]);
      s.run(32);
      s.game.send({ do: "move", units: [a], to: { x: (X + 3) * 1024, y: Z * 1024 } });
      s.run(16);
    },
    (p) =>
      must(
        p.count((c) => c[1] > c[0] + 20 && c[1] > c[2] + 10, p.middle(160, 30)) > 20,
        "the line is dashed",
      ),
    [480, 160],
  ),
  one(
    "mark where own guns fire at the ground",
    (s) => {
      const a = s.put("artillery", 0, X - 2, Z);
      Object.assign(s.own(a), { doing: "attackGround", to: { x: (X + 1) * 1024, y: Z * 1024 } });
      s.run(16);
    },
    (p) => must(p.count(red) > 60, "a red ring, and a circle as wide as the hit"),
    [420, 260],
  ),
  one(
    "tiles of a building that is placed",
    (s) => {
      s.look(X, Z, 14);
      s.put("ore-field", 0xff, X + 1.5, Z + 0.5);
      const a = s.put("worker", 0, X - 4, Z);
      s.game.selection.set([a]);
      s.run(120);
      s.mode({ kind: "build", what: s.typeId("barracks") });
      s.point(X + 0.5, Z + 0.5);
      s.run(16);
    },
    (p, s) => {
      must(p.count(green) > 100 && p.count(red) > 40, "free tiles are green, taken ones red");
      s.mode(null);
    },
    [420, 260],
  ),
];

/** The features of the map, which the shipped rules of most scenes do not have. */
const FEATURE_TYPES: StageOptions = {
  types: [
    { name: "bridge", class: 2, size: 4, sizeY: 4, health: 600, feature: 2, breakable: true },
    { name: "drawbridge", class: 2, size: 4, sizeY: 4, health: 1, feature: 2 },
    { name: "gate", class: 2, size: 2, sizeY: 2, health: 400, feature: 3 },
    { name: "tree", class: 2, size: 1, sizeY: 1, health: 60, feature: 1, breakable: true, blocksSight: true },
    { name: "crate", class: 2, size: 1, sizeY: 1, health: 1, feature: 4 },
    { name: "medicine", class: 2, size: 1, sizeY: 1, health: 1, feature: 4 },
    { name: "lever", class: 2, size: 1, sizeY: 1, health: 1, feature: 5 },
    { name: "mine", class: 2, size: 1, sizeY: 1, health: 30, feature: 6 },
    { name: "tide", class: 2, size: 3, sizeY: 4, health: 1, feature: 7 },
  ],
};

/** Two of each feature, in both states. */
function putFeatures(s: Stage): void {
  const both = (name: string, x: number, z: number, owner = 0xff) => {
    s.put(name, owner, x, z);
    s.change(s.put(name, owner, x, z + 3));
  };
  both("gate", X - 4, Z - 1, 0);
  both("crate", X - 1.5, Z - 1.5);
  both("medicine", X + 0.5, Z - 1.5);
  both("lever", X + 2.5, Z - 1.5);
  s.put("tree", 0xff, X + 4.5, Z - 1.5);
  s.hurt(s.put("tree", 0xff, X + 4.5, Z + 1.5), 0.4);
}

const spark = (c: Rgb): boolean => c[0] > 225 && c[1] > 205 && c[2] > 140 && c[2] < 225;
const rusty = (c: Rgb): boolean => c[0] > 40 && c[0] > 1.3 * c[1] && c[1] > 1.1 * c[2] && c[0] < 140;
const woodenBrown = (c: Rgb): boolean => c[0] > c[1] + 12 && c[1] > c[2] + 12;

const features: Row[] = [
  {
    name: "wreck, and a worker at repairs",
    options: { types: [{ name: "wreck", class: 4, size: 1, sizeY: 1, wreck: true }] },
    part: [460, 260],
    play(s) {
      near(s);
      s.put("wreck", 0xff, X - 2, Z);
      const tower = s.put("tower", 0, X + 2, Z);
      s.hurt(tower, 0.6);
      s.mends(s.put("worker", 0, X + 0.4, Z));
      s.run(16);
    },
    check(p) {
      must(p.count(spark) > 8, "sparks fly where it works");
      must(p.count(rusty) > 30, "the wreck is of rust");
    },
  },
  {
    name: "features of the map in both states",
    options: FEATURE_TYPES,
    part: [460, 260],
    play(s) {
      near(s, 14);
      putFeatures(s);
      s.run(500);
    },
    check(p) {
      must(p.count(green) > 60, "the content of the full medicine is marked in green");
      must(p.count(lavender) > 40, "the own gate wears its owner's colour");
    },
  },
  {
    name: "mines: two own, of which one is armed, an enemy's that is detected, and a remembered one",
    options: FEATURE_TYPES,
    part: [460, 110],
    play(s) {
      near(s, 11);
      for (const [owner, x, armed] of [
        [0, X - 2.5, false],
        [0, X - 1, true],
        [1, X + 1, true],
      ] as const) {
        const mine = s.put("mine", owner, x, Z);
        if (armed) s.change(mine);
        s.cloak(mine);
      }
      s.ghost("mine", 1, X + 2.5, Z);
      s.run(500);
    },
    check(p) {
      const plain = p.at(X - 1, Z - 1.2);
      for (const x of [X - 2.5, X - 1, X + 1, X + 2.5])
        must(far(p.at(x, Z), plain) > 25, `a mine stands out at ${x}: ${p.at(x, Z)} on ${plain}`);
      must(p.count(lavender) > 12, "own mines wear their owner's colour");
    },
  },
  {
    name: "bridge over water with a unit on it, and a raised one",
    options: FEATURE_TYPES,
    part: [460, 260],
    play(s) {
      s.look(40, 19, 12);
      s.light(40, 19, 12);
      s.put("bridge", 0xff, 38, 19);
      s.change(s.put("drawbridge", 0xff, 42, 19));
      s.put("soldier", 0, 38, 19);
      s.run(500);
    },
    check(p) {
      const [deck, water] = [p.at(37, 18.3), p.at(42, 18.3)];
      must(
        woodenBrown(deck) && !woodenBrown(water),
        `the deck is of wood, ${deck}, and water shows, ${water}`,
      );
      must(p.count(lavender) > 12, "the unit on the bridge is not under it");
    },
  },
  {
    name: "flats that the tide leaves dry, that it covers, and remembered ones",
    options: FEATURE_TYPES,
    part: [460, 260],
    play(s) {
      near(s, 12);
      s.put("tide", 0xff, X - 4, Z);
      s.change(s.put("tide", 0xff, X, Z));
      s.ghost("tide", 0xff, X + 4, Z, 900, 1);
      s.put("soldier", 0, X - 4, Z);
      s.put("detector", 0, X, Z);
      s.run(500);
    },
    check(p) {
      const blue = (c: Rgb) => c[2] - c[0];
      const [dry, wet, remembered] = [-4, 0, 4].map((dx) => p.at(X + dx - 1, Z - 1.5));
      must(blue(wet) > blue(dry) + 15, `water is bluer than sand: ${wet}, ${dry}`);
      must(blue(remembered) > blue(dry) + 15, `so is remembered water: ${remembered}`);
      const near = p.at(X - 1, Z + 1.4);
      must(blue(near) > blue(dry) + 15, `water covers the near edge too: ${near}`);
      must(p.count(lavender) > 24, "both units stand on top");
    },
  },
  {
    name: "features as the team remembers them",
    options: FEATURE_TYPES,
    part: [460, 260],
    play(s) {
      s.look(X, Z, 11);
      s.light(X, Z, 12, "explored");
      s.ghost("gate", 1, X - 3, Z);
      s.ghost("gate", 1, X, Z, 900, 1);
      s.ghost("crate", 0xff, X + 2, Z, 900, 1);
      s.ghost("crate", 0xff, X + 4, Z);
      s.run(16);
    },
    check(p) {
      const [closed, open] = [p.at(X - 3, Z), p.at(X, Z)];
      must(far(closed, open) > 20, `a closed gate has a grille: ${closed} and ${open}`);
    },
  },
  {
    name: "minimap with features",
    options: FEATURE_TYPES,
    part: "minimap",
    play(s) {
      near(s);
      s.light(40, 19, 6, "explored");
      putFeatures(s);
      s.ghost("bridge", 0xff, 38, 19);
      s.ghost("drawbridge", 0xff, 42, 19, 900, 1);
      s.ghost("tide", 0xff, 24, 24);
      s.ghost("tide", 0xff, 30, 24, 900, 1);
      s.run(160);
    },
    check(p) {
      const k = 400 / 48;
      const at = (x: number, z: number) => p.rgb(x * k, z * k + 6 * k);
      must(
        woodenBrown(at(38, 19)) && !woodenBrown(at(42, 19)),
        "a standing bridge is full, a raised one is open",
      );
      must(
        at(30, 24)[2] - at(30, 24)[0] > 30 && far(at(30, 24), at(24, 24)) > 25,
        "water is full, dry flats are open",
      );
    },
  },
];

const minimap: Row[] = [
  {
    name: "minimap",
    part: "minimap",
    play(s) {
      s.look(12, 14, 16);
      s.light(14, 14, 12, "explored");
      s.light(12, 14, 8);
      s.put("soldier", 0, 12, 14);
      s.put("soldier", 1, 15, 12);
      s.put("barracks", 0, 9, 16);
      s.put("factory", 1, 17, 18);
      s.put("ore-field", 0xff, 10, 10);
      s.ghost("tower", 1, 22, 14);
      s.run(160);
    },
    check(p) {
      const k = 400 / 48;
      const at = (x: number, z: number) => p.rgb(x * k, z * k + 6 * k);
      const [seen, known, never] = [at(12, 8), at(24, 10), at(40, 30)].map(light);
      must(seen > known + 10 && known > never + 5, `visible ${seen}, explored ${known}, unexplored ${never}`);
      must(p.count(lavender) > 20 && p.count(rust) > 20, "units have the colours of owners");
      must(p.count(white) > 200, "the camera's outline is white");
    },
  },
  {
    name: "minimap with pings and saved views",
    part: "minimap",
    play(s) {
      s.look(30, 20, 16);
      s.light(24, 18, 40);
      s.run(160);
      s.game["controls"].camera.save(1);
      s.state.events.emit("ping", { slot: 2, kind: "danger", x: 12 * 1024, y: 10 * 1024 });
      s.state.events.emit("ping", { slot: 0, kind: "look", x: 40 * 1024, y: 28 * 1024 });
      s.run(480);
    },
    check(p) {
      must(p.count(red) > 40 && p.count(yellow) > 40, "rings in the colours of pings");
    },
  },
  {
    name: "minimap with a sound of something unseen",
    part: "minimap",
    play(s) {
      s.look(30, 20, 16);
      s.light(24, 18, 40);
      s.run(160);
      s.happen("heard", 12, 24);
      s.run(320);
    },
    check(p) {
      must(p.count(sound) > 15, "a ripple around the middle of the cell");
    },
  },
  {
    name: "contacts of radar",
    options: { welcome: RADAR },
    play(s) {
      s.look(20, 20, 30);
      s.light(12, 12, 14);
      s.run(160);
      s.wire.tell(FOUND);
      s.run(80);
    },
    check(p) {
      must(p.count(contact) > 60, "a ring within the cell, weaker for the older contact");
    },
  },
  {
    name: "minimap with contacts of radar",
    options: { welcome: RADAR },
    part: "minimap",
    play(s) {
      s.look(20, 20, 16);
      s.light(12, 12, 20);
      s.run(160);
      s.wire.tell(FOUND);
      s.run(320);
    },
    check(p) {
      must(p.count(contact) > 60, "rings with the shapes of their classes");
    },
  },
  {
    name: "minimap of the colours of relations",
    settings: { relations: true },
    part: "minimap",
    play(s) {
      s.look(20, 16, 16);
      s.light(20, 16, 14);
      s.put("barracks", 0, 14, 16);
      s.put("barracks", 1, 24, 18);
      s.put("soldier", 2, 20, 12);
      s.run(160);
    },
    check(p) {
      must(p.count(blue) > 40, "own are blue");
    },
  },
  {
    name: "areas of the mode on the field",
    part: [400, 300],
    options: { welcome: { modeAreas: HILL } },
    play(s) {
      near(s, 14);
      s.run(160);
    },
    check(p) {
      must(p.count(yellow) > 60, "a yellow ring lies on the ground");
    },
  },
  {
    name: "areas of the mode on the minimap",
    part: "minimap",
    options: { welcome: { modeAreas: HILL } },
    play(s) {
      s.look(X, Z, 16);
      s.run(160);
    },
    check(p) {
      must(p.count(yellow) > 40, "a yellow ring, on unexplored ground too");
    },
  },
  {
    name: "difference of two states on the field and the minimap",
    part: [400, 260],
    play(s) {
      near(s, 14);
      s.put("soldier", 0, X - 2, Z);
      s.beside(X + 1, Z);
      s.run(160);
    },
    check(p, s) {
      must(p.count(rust) > 12, "what only the other sees is drawn");
      must(p.count(blue, p.middle(300, 200)) > 200, "the ground is tinted");
      s.alone();
    },
  },
];

const PAGE = (page: string) => ({ page });
const text = (...words: string[]): Row["check"] => {
  return (_p, _s, page) => {
    for (const w of words) must(page.includes(w), `the page says "${w}"`);
  };
};

const panels: Row[] = [
  {
    name: "resources, supply, time and connection",
    part: PAGE(".hud-right"),
    play(s) {
      s.state.own.resources = [1250, 75];
      s.state.own.population = 20;
      s.run(160);
    },
    check: text('"1250"', '"75"', '"20 / 20"', "full", '"0:50"', "data-steps=3"),
  },
  {
    name: "connection that is silent",
    part: PAGE(".hud-right .link"),
    play(s) {
      s.run(2700);
    },
    check: text("data-steps=1"),
  },
  {
    name: "players, and what became of them",
    part: PAGE(".players"),
    play(s) {
      s.wire.tell({
        players: [
          { slot: 1, state: 3 },
          { slot: 3, state: 2 },
        ],
      });
      s.run(160);
      s.wire.tell({
        players: [
          { slot: 1, state: 1 },
          { slot: 3, state: 1 },
        ],
      });
    },
    check: text('"Ada"', '"Di"', "self"),
  },
  {
    name: "what the mode shows of each team",
    part: PAGE(".players"),
    options: { welcome: { modeValues: [{ name: "wave", open: true }, { name: "time-held" }] } },
    play(s) {
      s.wire.tell({
        players: [
          { slot: 0, state: 1, values: [4, 31] },
          { slot: 1, state: 1, values: [4] },
        ],
      });
      s.run(160);
    },
    check: text("Wave 4", "Time held 31"),
  },
  {
    name: "seconds until the hero is back, of the own team alone",
    part: PAGE(".players"),
    options: { welcome: { modeValues: [{ name: "back-in" }] } },
    play(s) {
      s.wire.tell({
        players: [
          { slot: 0, state: 1, values: [17] },
          { slot: 1, state: 1 },
        ],
      });
      s.run(160);
      must(s.text(".players").includes("Back in 17"), "the seconds show");
      s.wire.tell({ players: [{ slot: 0, state: 1, values: [16] }] });
      s.run(160);
    },
    check: text("Back in 16"),
  },
  {
    name: "alert of an attack, its arrow and its ping",
    part: PAGE(".hud-root"),
    play(s) {
      const a = s.put("worker", 0, 42, 30);
      s.look(8, 8, 12);
      s.run(160);
      s.happen("attacked", 42, 30, { target: a });
      s.run(160);
    },
    check: text("alert.danger", "edge-arrow"),
  },
  {
    name: "alert that fades, and goes",
    part: PAGE(".alerts"),
    play(s) {
      s.happen("trained", 20, 16, { target: s.put("soldier", 0, 20, 16), what: s.typeId("soldier") });
      s.run(6100);
    },
    check(_p, s, page) {
      must(page.includes("alert.info.old"), "after some seconds it is dim");
      s.run(3100);
      must(!s.text(".alerts").includes("ready"), "then it goes");
    },
  },
  {
    name: "alert of a structure that is ready",
    part: PAGE(".alerts"),
    play(s) {
      s.happen("built", 20, 16, { target: s.put("barracks", 0, 20, 16), what: s.typeId("barracks") });
      s.run(160);
    },
    check: text("Barracks"),
  },
  {
    name: "alert of a changed owner",
    part: PAGE(".alerts"),
    play(s) {
      const a = s.put("tower", 0, 42, 30);
      const b = s.put("tower", 1, 10, 6);
      s.look(10, 8, 12);
      s.run(160);
      const { world, events } = s.state;
      world.owner[s.slot(a)] = 1;
      events.emit("owner", { id: a, slot: s.slot(a), was: 0 });
      world.owner[s.slot(b)] = 0;
      events.emit("owner", { id: b, slot: s.slot(b), was: 3 });
      s.run(160);
    },
    check: text("Bo", "Di", "Tower"),
  },
  {
    name: "alert of what is handed over",
    part: PAGE(".alerts"),
    play(s) {
      s.state.events.emit("handed", { slot: 2, back: false, units: 7 });
      s.state.events.emit("handed", { slot: 0, back: true, units: 3 });
      s.run(160);
    },
    check: text("Cy", "7", "3"),
  },
  {
    name: "alerts of players",
    part: PAGE(".alerts"),
    play(s) {
      s.wire.tell({ players: [{ slot: 1, state: 3 }] });
      s.run(160);
      s.wire.tell({ players: [{ slot: 1, state: 1 }] });
      s.state.events.emit("taken", { player: { ...s.state.info.players[2], name: "Eve" }, was: "Bot B" });
      s.run(160);
    },
    check: text("Bo", "Eve", "Bot B"),
  },
  {
    name: "chat",
    part: PAGE(".chat"),
    play(s) {
      s.wire.tell({
        said: [
          { slot: 2, all: false, text: "attack now" },
          { slot: 1, all: true, text: "gl hf" },
          { slot: 255, all: true, text: "the server restarts" },
        ],
      });
      s.run(160);
    },
    check: text("attack now", "gl hf", "the server restarts", '"Cy"', '"Bo"', "log"),
  },
  {
    name: "chat that fades, and its entry",
    part: PAGE(".hud-foot"),
    play(s) {
      for (let k = 0; k < 10; k++) s.game["context"].hud.say("Cy", "#fff", `line ${k}`, false);
      s.run(12_100);
      s.game["context"].hud.openChat(true, () => {});
    },
    check(_p, _s, page) {
      must(
        page.includes("line 9") && !page.includes("line 1 ") && page.includes("chat-line.old"),
        "the last eight lines",
      );
      must(page.includes("chat-entry"), "the entry is open");
    },
  },
  {
    name: "ping of a team-mate",
    part: PAGE(".hud-root .alerts"),
    play(s) {
      s.state.events.emit("ping", { slot: 2, kind: "help", x: 40 * 1024, y: 28 * 1024 });
      s.state.events.emit("ping", { slot: 2, kind: "danger", x: 30 * 1024, y: 8 * 1024 });
      s.run(160);
    },
    check: text("Cy", "alert.danger"),
  },
  {
    name: "refusal above the command card",
    part: PAGE(".words"),
    play(s) {
      const a = s.put("soldier", 0, X, Z);
      s.look(X, Z, 14);
      s.game.selection.set([a]);
      s.run(160);
      s.state.events.emit("cancelled", { unit: a, code: s.state.info.rules.codes.indexOf("UNREACHABLE") });
      s.run(16);
    },
    check: text("word"),
  },
  {
    name: "banner of a defeat",
    part: PAGE(".hud-head .banner"),
    alone: true,
    play(s) {
      s.wire.tell({ players: [{ slot: 0, state: 3 }] });
      s.run(160);
    },
    check: text("banner"),
  },
  {
    name: "banner of a lost connection",
    part: PAGE(".hud-head .banner"),
    alone: true,
    play(s) {
      s.wire.drop();
      s.run(1600);
    },
    check: text("banner", "lost"),
  },
  {
    name: "command that waits for a target",
    part: PAGE(".hud-foot .mode-hint"),
    play(s) {
      s.game.selection.set([s.put("soldier", 0, X, Z)]);
      s.run(160);
      s.mode({ kind: "attackMove" });
      s.run(160);
    },
    check(_p, s, page) {
      must(page.includes("mode-hint"), "the hint shows");
      s.mode(null);
      must(s.text(".mode-hint") === "" || s.hidden(".mode-hint"), "it goes with the command");
    },
  },
  {
    name: "nothing selected",
    part: PAGE(".hud-bottom"),
    play(s) {
      s.run(160);
    },
    check: text("nothing", "hint"),
  },
  {
    name: "selected unit, its numbers and its commands",
    part: PAGE(".hud-bottom"),
    play(s) {
      const a = s.put("caster", 0, X, Z);
      s.hurt(a, 0.3);
      Object.assign(s.own(a), { energy: 30, doing: "hold" });
      s.own(a).ready[0] = s.state.tick + 30;
      s.game.selection.set([a]);
      s.run(160);
    },
    check: text('"Caster"', "21 / 70", "bar.low", "command.active"),
  },
  {
    name: "selected worker, and what it can build",
    part: PAGE(".card"),
    play(s) {
      s.put("command-centre", 0, X, Z - 6);
      s.game.selection.set([s.put("worker", 0, X, Z)]);
      s.state.own.resources = [130, 0];
      s.run(160);
      s.key("KeyB");
      s.run(160);
    },
    check: text("lacks", "Tower", "cannot"),
  },
  {
    name: "selected worker",
    part: PAGE(".card"),
    play(s) {
      s.game.selection.set([s.put("worker", 0, X, Z)]);
      s.run(160);
    },
    check: text("data-command=build", "data-command=harvest"),
  },
  {
    name: "selected structure, its queue and its supply",
    part: PAGE(".hud-bottom"),
    play(s) {
      const a = s.put("barracks", 0, X, Z);
      s.queue(a).set([s.typeId("soldier"), s.typeId("caster"), s.typeId("soldier")], 128);
      s.state.own.population = 20;
      s.game.selection.set([a]);
      s.run(160);
    },
    check: text("queued", "making", "--share:0.50"),
  },
  {
    name: "selected structure that is built",
    part: PAGE(".hud-bottom"),
    play(s) {
      const a = s.put("factory", 0, X, Z);
      s.building(a, 0.4);
      s.game.selection.set([a]);
      s.run(160);
    },
    check: text("--share:0.40"),
  },
  {
    name: "selected structure of an enemy that is being captured",
    part: PAGE(".selection"),
    play(s) {
      const a = s.put("tower", 1, X, Z);
      s.state.world.amount[s.slot(a)] = 64;
      s.state.world.shield[s.slot(a)] = 20;
      s.game.selection.set([a]);
      s.run(160);
    },
    check: text('"Bo"', "25", "bar.shield"),
  },
  {
    name: "selected resource",
    part: PAGE(".selection"),
    play(s) {
      const a = s.put("ore-field", 0xff, X, Z);
      s.state.world.amount[s.slot(a)] = 4321;
      s.game.selection.set([a]);
      s.run(160);
    },
    check: text("4321"),
  },
  {
    name: "many selected, by type, and groups",
    part: PAGE(".hud-bottom"),
    play(s) {
      const all: Handle[] = [];
      for (let k = 0; k < 45; k++) {
        const a = s.put(
          ["soldier", "raider", "detector"][k % 3],
          0,
          X - 4 + (k % 9),
          Z - 2 + Math.floor(k / 9),
        );
        s.hurt(a, 1 - (k % 5) / 5);
        if (k % 3 === 1) s.own(a).energy = 30;
        all.push(a);
      }
      s.game.selection.set(all.slice(0, 6));
      s.game.selection.assign(1);
      s.game.selection.set(all.slice(0, 2));
      s.game.selection.assign(0);
      s.game.selection.set(all);
      s.run(160);
    },
    check: text("data-command", "tab.on", "more", "group.new", "wire"),
  },
  {
    name: "idle workers, the army, and saved views",
    part: PAGE(".hud-quick"),
    play(s) {
      s.put("worker", 0, X, Z);
      s.put("worker", 0, X + 1, Z);
      s.put("soldier", 0, X, Z + 1);
      s.run(160);
      s.game["controls"].camera.save(2);
      s.run(160);
    },
    check: text("idle-worker.some", '"2"', "quick.view.on"),
  },
  {
    name: "text beside the pointer on an enemy",
    part: PAGE(".hover-tip"),
    play(s) {
      near(s);
      s.hurt(s.put("soldier", 1, X, Z), 0.5);
      s.run(32);
      s.point(X, Z);
      s.run(160);
    },
    check: text("Bo", "50 / 100"),
  },
  {
    name: "text beside the pointer on a resource",
    part: PAGE(".hover-tip"),
    play(s) {
      near(s);
      const a = s.put("gas-vent", 0xff, X, Z);
      s.state.world.amount[s.slot(a)] = 777;
      s.run(32);
      s.point(X, Z);
      s.run(160);
    },
    check: text("777"),
  },
  ...(["move", "attack", "ability-1", "make-2", "build"] as const).map(
    (id): Row => ({
      name: `tooltip of the command ${id}`,
      part: PAGE(".card"),
      play(s) {
        const type =
          id === "build"
            ? "worker"
            : id === "make-2"
              ? "barracks"
              : id === "ability-1"
                ? "scout"
                : "artillery";
        s.game.selection.set([s.put(type, 0, X, Z)]);
        s.run(160);
        s.hover(`[data-command="${id}"]`);
      },
      check: text("tooltip"),
    }),
  ),
  {
    name: "wheel of pings",
    part: PAGE(".overlay"),
    play(s) {
      s.look(X, Z, 14);
      s.point(X, Z);
      s.run(160);
      s.game["controls"].pings.ask();
    },
    check(_p, s, page) {
      must((page.match(/menuitem/g) ?? []).length >= 3, "three kinds of pings");
      s.game["controls"].pings.dispose();
    },
  },
  {
    name: "figures of drawing and of the connection",
    part: PAGE(".figures table"),
    async play(s) {
      await s.game["panels"].toggleFigures();
      s.wire.tell({ span: 1 });
      s.run(640);
    },
    check(_p, s, page) {
      must(page.includes("traffic"), "the table shows");
      void s.game["panels"].toggleFigures();
    },
  },
  {
    name: "pause, and what players ask for",
    part: PAGE(".speed-bar"),
    play(s) {
      s.wire.tell({
        span: 1,
        speed: {
          percent: 150,
          held: 80,
          wishes: [
            { slot: 1, percent: 200, ms: 9000 },
            { slot: 0, percent: 150, paused: true, ms: 9000 },
          ],
        },
      });
      s.run(160);
    },
    check(_p, s, page) {
      must(page.includes("Bo") && page.includes("150") && page.includes("80"), "speed and wishes");
      s.wire.tell({ span: 1, speed: { percent: 100, paused: true, by: 2, pauseMs: 30_000, pausesLeft: 1 } });
      s.run(160);
      must(
        s.text(".speed-bar").includes("Bo") && s.text(".speed-bar").includes("30"),
        "who paused, and for how long",
      );
      s.wire.tell({ span: 1, speed: { percent: 100 } });
    },
  },
  {
    name: "bar of a spectator",
    options: { welcome: { spectator: true, slot: 255, team: 0, delayTicks: 1200 } },
    part: PAGE(".hud-root"),
    async play(s) {
      await import("../src/hud/spectatorbar"); // the page loads it with the first spectator
      s.game.selection.set([s.put("barracks", 1, X, Z)]);
      s.run(160);
    },
    check: text("watch", "data-eyes=0", "60"),
  },
  ...(
    [
      ["won", [0]],
      ["lost", [1]],
      ["drawn", []],
    ] as const
  ).map(
    ([how, winners]): Row => ({
      name: `end of a match that is ${how}`,
      alone: true,
      part: PAGE("dialog"),
      async play(s) {
        for (let k = 0; k < 4; k++) {
          s.wire.tell({ span: 20 });
          s.run(1000);
        }
        s.wire.tell({
          ended: {
            winners: [...winners],
            reason: "eliminated",
            scores: [0, 1, 2, 3].map((k) => ({ kills: 3 + k, losses: 7 - k, made: 10 * k })),
            seriesTicks: 20,
            series: [0, 1, 2, 3].map((k) => ({
              gathered: [0, 50 * k, 200, 300 + k],
              army: [100, 80 - k, 20 * k, 0],
            })),
          },
        } as never);
        await import("../src/game/summary"); // the game asks for it
        s.run(320);
      },
      check: text("chart", "points=", { won: "Victory", lost: "Defeat", drawn: "Draw" }[how]),
    }),
  ),
];

/** The player's acts with pointer and keys: their drawing, and the sent orders. */
const acts: Row[] = [
  {
    name: "clicks that select",
    part: PAGE(".selection"),
    play(s) {
      near(s, 14);
      for (let k = 0; k < 4; k++) s.put(k < 3 ? "soldier" : "worker", 0, X - 3 + 2 * k, Z);
      s.put("soldier", 1, X, Z + 3);
      s.run(160);
      s.click(X - 3, Z);
    },
    check(_p, s) {
      const after = (words: string, want: string) =>
        must(s.selected === want, `${words}: ${want}, not ${s.selected}`);
      after("a click", "1");
      s.click(X - 1, Z, { shiftKey: true });
      after("a click with Shift adds", "1 2");
      s.click(X - 3, Z, { shiftKey: true });
      after("and removes", "2");
      s.run(800);
      s.click(X - 1, Z, { ctrlKey: true });
      after("a click with Ctrl takes all of the type", "1 2 3");
      s.click(X, Z + 3);
      after("a click on an enemy", "5");
      s.click(X + 5, Z + 4);
      after("a click on the ground", "");
      s.run(800);
      s.drag(s.renderer.canvas, [s.pageOf(X - 4, Z - 1.5), s.pageOf(X, Z), s.pageOf(X + 2, Z + 1)]);
      after("a box prefers the army", "1 2 3");
      s.run(800);
      s.click(X - 1, Z);
      s.run(160);
      s.click(X - 1, Z);
      after("a double click takes all of the type", "1 2 3");
    },
  },
  {
    name: "box that is drawn",
    part: PAGE(".box"),
    play(s) {
      near(s, 14);
      s.run(160);
      const o = { pointerId: 1, pointerType: "mouse", bubbles: true };
      const from = s.pageOf(X - 3, Z - 2);
      const to = s.pageOf(X + 3, Z + 2);
      s.renderer.canvas.dispatchEvent(
        new PointerEvent("pointerdown", { ...o, clientX: from.x, clientY: from.y }),
      );
      s.renderer.canvas.dispatchEvent(
        new PointerEvent("pointermove", { ...o, clientX: to.x, clientY: to.y }),
      );
    },
    check(_p, s) {
      const box = s.root.querySelector<HTMLElement>(".box")!;
      must(box.hidden === false && Number.parseFloat(box.style.width) > 100, "the box shows");
      s.renderer.canvas.dispatchEvent(new PointerEvent("pointercancel", { pointerId: 1, bubbles: true }));
      must(box.hidden === true, "it goes");
    },
  },
  {
    name: "clicks that order",
    part: PAGE(".card"),
    play(s) {
      near(s, 14);
      const a = s.put("soldier", 0, X - 2, Z);
      const b = s.put("soldier", 0, X - 2, Z + 1);
      s.put("soldier", 1, X + 2, Z);
      s.run(160);
      s.game.selection.set([a, b]);
      s.run(160);
      s.click(X, Z - 2, { button: 2 });
      s.click(X + 2, Z, { button: 2 });
      s.click(X, Z + 2, { button: 2, shiftKey: true });
      s.key("KeyA");
      s.click(X + 1, Z - 2);
      s.key("KeyS");
      s.key("KeyH");
      s.key("KeyP");
      s.click(X + 3, Z + 2);
      s.drag(s.renderer.canvas, [s.pageOf(X - 1, Z - 2), s.pageOf(X + 1, Z - 2), s.pageOf(X + 3, Z - 2)], {
        button: 2,
      });
    },
    check(_p, s) {
      const kinds = s.sent.map((line) => /"do":"(\w+)"/.exec(line)?.[1]).join(" ");
      const want = "move attack move attackMove stop hold patrol move move";
      must(kinds === want, `ordered ${want}, not ${kinds}`);
      must(s.sent[2].includes('"queued":true'), "Shift puts it into the queue");
      must(s.sent[1].includes('"target":3'), "the enemy is the target");
    },
  },
  {
    name: "minimap that is clicked",
    part: PAGE(".minimap"),
    play(s) {
      s.look(X, Z, 14);
      s.game.selection.set([s.put("soldier", 0, X, Z)]);
      s.run(160);
    },
    check(_p, s) {
      const map = s.root.querySelector(".minimap-canvas")!;
      const box = map.getBoundingClientRect();
      const at = (x: number, z: number) => ({
        x: box.left + (x / 48) * box.width,
        y: box.top + ((z + 6) / 48) * box.height,
      });
      const { camera } = s.renderer;
      const looks = (x: number, z: number, words: string) =>
        must(
          Math.abs(camera.x - x) < 0.3 && Math.abs(camera.z - z) < 0.3,
          `${words}: ${camera.x} ${camera.z}`,
        );
      s.drag(map, [at(30, 20)]);
      looks(30, 20, "a press looks there");
      s.drag(map, [at(10, 10), at(14, 12)]);
      looks(14, 12, "a drag goes along");
      s.drag(map, [at(40, 30)], { button: 2 });
      looks(14, 12, "the right button does not look");
      must(s.sent[0]?.includes('"do":"move"') === true, "it orders");
      s.drag(map, [at(24, 18)], { altKey: true });
      must(s.sent[1]?.startsWith('ping ["look"') === true, "with Alt it pings");
      s.key("KeyA");
      s.drag(map, [at(8, 8)]);
      must(s.sent[2]?.includes("attackMove") === true, "a command that waits takes the place");
      looks(14, 12, "and nobody looks there");
      s.press(".ping-button");
      must(!s.hidden(".mode-hint"), "the button of pings waits for a place");
    },
  },
  {
    name: "wheel, drag and keys that move the camera",
    part: PAGE(".hud-quick"),
    play(s) {
      near(s, 20);
      s.run(160);
    },
    check(_p, s) {
      const { camera, canvas } = s.renderer;
      canvas.dispatchEvent(
        new WheelEvent("wheel", {
          deltaY: -200,
          clientX: 640,
          clientY: 360,
          bubbles: true,
          cancelable: true,
        }),
      );
      must(camera.distance < 18 && camera.distance > 14, `the wheel comes nearer: ${camera.distance}`);
      const [x, z] = [camera.x, camera.z];
      s.drag(
        canvas,
        [
          { x: 640, y: 360 },
          { x: 700, y: 360 },
          { x: 760, y: 300 },
        ],
        { button: 1 },
      );
      must(
        camera.x < x - 1 && camera.z > z + 0.5,
        `the middle button drags the ground: ${camera.x - x} ${camera.z - z}`,
      );
      s.key("F2", { ctrlKey: true });
      const saved = camera.x;
      s.look(40, 30, 14);
      s.key("F2");
      must(Math.abs(camera.x - saved) < 0.01, "a saved view is gone back to");
      s.press('[data-view="3"]');
      s.run(160);
      must(s.text('[data-view="3"]').includes(".on"), "a click saves a view");
      s.look(40, 30, 14);
      s.press('[data-view="3"]');
      must(Math.abs(camera.x - saved) < 0.01, "the next goes there");
      s.look(40, 30, 14);
      s.press('[data-view="3"]', {}, "contextmenu");
      s.look(4, 3, 14);
      s.press('[data-view="3"]');
      must(Math.abs(camera.x - 40) < 0.01, "the right button saves it anew");
    },
  },
  {
    name: "buttons of commands, queues and groups",
    part: PAGE(".hud-bottom"),
    play(s) {
      const a = s.put("barracks", 0, X, Z);
      const b = s.put("soldier", 0, X + 4, Z);
      const c = s.put("worker", 0, X + 5, Z);
      s.put("worker", 0, X + 6, Z);
      s.queue(a).set([s.typeId("soldier"), s.typeId("caster")], 10);
      s.state.own.resources = [900, 900];
      s.game.selection.set([a]);
      s.run(160);
      s.press('[data-command="make-2"]');
      s.press('[data-command="make-2"]', { shiftKey: true });
      s.press('[data-command="make-2"]', {}, "contextmenu");
      s.press(".queued");
      s.press('[data-group="new"]');
      s.game.selection.set([b, c]);
      s.run(160);
    },
    check(_p, s) {
      const kinds = s.sent.map((line) => /"do":"(\w+)"/.exec(line)?.[1]);
      must(
        kinds[0] === "train" && kinds.slice(-2).join() === "cancel,cancel",
        `trains and cancels: ${kinds}`,
      );
      s.press(".tab:not(.on)");
      s.run(160);
      must(s.game.selection.active()?.handles.length === 1, "a tab changes the commands");
      s.press(".wire");
      must(s.game.selection.handles.size === 1, "a portrait selects its unit");
      s.press('[data-group="1"]');
      must(s.selected === "1", `the group has the barracks: ${s.selected}`);
      s.press(".idle-worker");
      const first = s.selected;
      s.press(".idle-worker");
      must(first === "3" && s.selected === "4", "idle workers come one after the other");
      s.press(".army");
      must(s.selected === "2", "the army is selected");
      s.key("Digit3", { ctrlKey: true });
      s.key("Escape");
      must(s.selected === "", "Escape selects nothing");
      s.key("Digit3");
      must(s.selected === "2", "the key of a group selects it");
    },
  },
  {
    name: "chat that is written",
    part: PAGE(".hud-foot"),
    play(s) {
      s.run(160);
      s.key("Enter");
    },
    check(_p, s) {
      const say = (line: string, shiftKey: boolean) => {
        if (!s.root.querySelector(".chat-entry")) s.key("Enter", { shiftKey });
        const input = s.root.querySelector<HTMLInputElement>(".chat-entry input")!;
        input.value = line;
        s.root.querySelector(".chat-entry")!.dispatchEvent(new Event("submit", { cancelable: true }));
      };
      say(" gl hf ", false);
      must(s.sent[0] === 'say ["gl hf",false]', `it is said to the team: ${s.sent[0]}`);
      say("hello", true);
      must(s.sent[1] === 'say ["hello",true]', "with Shift to all");
      say("  ", false);
      must(s.sent.length === 2 && !s.root.querySelector(".chat-entry"), "nothing is said of an empty line");
      s.key("Enter");
      const input = s.root.querySelector(".chat-entry input")!;
      input.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
      must(!s.root.querySelector(".chat-entry"), "Escape closes it");
    },
  },
  {
    name: "wheel of pings, by keys",
    part: PAGE(".ping-wheel"),
    play(s) {
      near(s, 14);
      s.point(X, Z);
      s.run(160);
      s.key("KeyN");
    },
    check(_p, s) {
      const wheel = () => s.root.querySelector(".ping-wheel");
      const key = (init: KeyboardEventInit) =>
        wheel()?.dispatchEvent(new KeyboardEvent("keydown", { ...init, bubbles: true }));
      const focused = () => document.activeElement?.getAttribute("data-ping");
      must(focused() === "look", "the first has the focus");
      key({ key: "ArrowRight" });
      must(focused() === "danger", "the arrow goes on");
      key({ key: "ArrowLeft" });
      key({ key: "ArrowUp" });
      must(focused() === "help", "and back, around");
      key({ key: "Escape" });
      must(!wheel() && s.sent.length === 0, "Escape pings nothing");
      s.key("KeyN");
      key({ code: "Digit2" });
      must(!wheel() && s.sent[0]?.startsWith('ping ["danger"') === true, `a number chooses: ${s.sent[0]}`);
      s.key("KeyN");
      s.click(X + 2, Z);
      must(!wheel(), "a press elsewhere closes it");
      s.key("KeyN");
      s.press('[data-ping="help"]');
      must(s.sent[1]?.startsWith('ping ["help"') === true, "a click chooses");
    },
  },
  {
    name: "focus that goes from panel to panel",
    part: PAGE(".card"),
    play(s) {
      s.game.selection.set([s.put("soldier", 0, X, Z)]);
      s.run(160);
    },
    check(_p, s) {
      const at = () =>
        document.activeElement?.closest(".card, .selection, .minimap, .quickbar, .groups, .world")
          ?.className ?? "";
      const seen: string[] = [];
      for (let k = 0; k < 3; k++) {
        s.key("F6");
        seen.push(at());
      }
      must(
        seen[0].includes("card") && seen[1].includes("minimap"),
        `F6 goes to the next: ${seen.join(" | ")}`,
      );
      s.key("F6", { shiftKey: true });
      must(at() === seen[1], "with Shift to the one before");
    },
  },
  {
    name: "pause and wishes that are pressed",
    part: PAGE(".speed-bar"),
    play(s) {
      s.wire.tell({
        span: 1,
        speed: {
          percent: 100,
          wishes: [
            { slot: 1, percent: 200, ms: 9000 },
            { slot: 0, percent: 150, ms: 9000 },
          ],
        },
      });
      s.run(160);
    },
    check(_p, s) {
      s.press(".speed-bar p:nth-child(1) button");
      s.press(".speed-bar p:nth-child(2) button");
      must(
        s.sent.join("; ") === "setSpeed [200,false]; setSpeed [100,false]",
        `agrees, and takes back: ${s.sent.join("; ")}`,
      );
      s.wire.tell({ span: 1, speed: { percent: 100, paused: true, by: 2 } });
      s.run(160);
      s.press(".speed-bar .primary");
      must(s.sent[2] === "setSpeed [100,false]", "the match goes on");
      s.wire.tell({ span: 1, speed: { percent: 100 } });
    },
  },
];

export const ROWS: readonly Row[] = [
  ...ground,
  ...models,
  ...entities,
  ...sight,
  ...effects,
  ...looks,
  ...abilities,
  ...orders,
  ...features,
  ...minimap,
  ...panels,
  ...acts,
];
