// The scene behind the title: a small valley that is made here, where scouts
// patrol and the fog follows them. It drives the same state and renderer as a
// match, without a server.

import { create } from "@bufbuild/protobuf";
import { CLIFF, type GameMap, MatchState, WATER, WU_PER_TILE } from "@fogkeep/client";
import { infoOf, TypeClass, WelcomeSchema } from "@fogkeep/client/wire";
import { hash01 } from "../draw/hash";

const SIZE = 72;
const TICK_MS = 50;
/** Ticks that have passed before the first picture, so that much of the map is explored and in fog again. */
const HEAD_START = 1500;
/** How far the camera is, and how far it goes to and fro along x, in tiles. */
const DISTANCE = 36;
const SWAY = 4;
/** The page's words are in the middle, and reach higher on a narrow page: the base stays above them, and beside them. */
const BELOW_BASE = 15.5;
const BESIDE_BASE = 3;
const BELOW_BASE_NARROW = 22;
const NARROW_PX = 700;

/** Where the camera looks on a page so wide, at a time. */
export function titleView(widthPx: number, nowMs: number): { x: number; z: number; distance: number } {
  const narrow = widthPx < NARROW_PX;
  const x = 37 - (narrow ? 0 : BESIDE_BASE) + Math.cos(nowMs / 60_000) * SWAY;
  return { x, z: 37 + (narrow ? BELOW_BASE_NARROW : BELOW_BASE), distance: DISTANCE };
}

export class TitleScene {
  readonly state: MatchState;
  private readonly walkers: Walker[] = [];
  private readonly counts: Uint16Array;
  private startMs = 0;

  constructor() {
    this.state = new MatchState(infoOf(WELCOME, valley()));
    this.counts = new Uint16Array(SIZE * SIZE);
    this.populate();
  }

  /** Brings the scene to a time and returns the tick to draw. */
  step(nowMs: number): number {
    if (this.startMs === 0) this.startMs = nowMs;
    const until = HEAD_START + Math.floor((nowMs - this.startMs) / TICK_MS);
    // After a hidden tab: skip the hidden time.
    if (this.state.tick > 0 && until - this.state.tick > 40) this.state.world.tick = until - 2;
    while (this.state.world.tick < until) {
      this.state.world.tick++;
      for (const w of this.walkers) this.walk(w);
    }
    return HEAD_START + (nowMs - this.startMs) / TICK_MS - 1;
  }

  private populate(): void {
    const put = (type: number, owner: number, x: number, y: number, facing = 0): number => {
      const handle = this.state.world.count + 1;
      this.state.world.enter(
        { handle, type, owner, x: x * 1024, y: y * 1024, vx: 0, vy: 0, facing },
        performance.now() - 10_000,
      );
      if (owner === 0) this.look(Math.floor(x), Math.floor(y), TYPES[type].sight / 2, 1);
      return handle;
    };
    put(3, 0, 35.5, 39.5);
    put(4, 0, 30.5, 36.5, 200);
    put(4, 0, 41.5, 35.5, 220);
    put(7, 0xff, 45.5, 37.5);
    put(7, 0xff, 47.5, 38.5);
    for (let k = 0; k < 6; k++) put(1, 0, 33 + (k % 3) * 1.1, 33.5 + Math.floor(k / 3) * 1.1, 192);
    put(2, 0, 38.6, 34.2, 200);
    put(2, 0, 40.2, 36.8, 200);
    const patrols: readonly (readonly [number, readonly (readonly [number, number])[]])[] = [
      [
        0,
        [
          [29, 33],
          [22, 27],
          [24, 19],
          [34, 17],
          [38, 27],
        ],
      ],
      [
        0,
        [
          [42, 40],
          [51, 42],
          [55, 34],
          [50, 27],
          [43, 31],
        ],
      ],
      [
        0,
        [
          [33, 46],
          [25, 52],
          [36, 56],
          [46, 53],
          [40, 46],
        ],
      ],
      [
        5,
        [
          [30, 40],
          [16, 36],
          [20, 48],
          [31, 50],
        ],
      ],
      [
        6,
        [
          [44, 34],
          [58, 22],
          [46, 14],
          [36, 24],
        ],
      ],
    ];
    for (const [type, points] of patrols) {
      const handle = put(type, 0, points[0][0], points[0][1]);
      this.walkers.push({ handle, points, next: 1, tile: -1, x: points[0][0], y: points[0][1], until: 0 });
    }
  }

  private walk(w: Walker): void {
    const { world } = this.state;
    const slot = world.slot(w.handle);
    if (world.tick >= w.until) {
      const from = w.points[(w.next + w.points.length - 1) % w.points.length];
      const to = w.points[w.next];
      const speed = TYPES[world.type[slot]].speed;
      const dx = to[0] - from[0];
      const dy = to[1] - from[1];
      const ticks = Math.ceil((Math.hypot(dx, dy) * 1024 * 64) / speed);
      world.motion(slot, from[0] * 1024, from[1] * 1024, (dx * 65536) / ticks, (dy * 65536) / ticks, 0);
      w.until = world.tick + ticks;
      w.next = (w.next + 1) % w.points.length;
    }
    const tile = (world.posY(slot) >> 10) * SIZE + (world.posX(slot) >> 10);
    if (tile === w.tile) return;
    const sight = TYPES[world.type[slot]].sight / 2;
    if (w.tile >= 0) this.look(w.tile % SIZE, Math.floor(w.tile / SIZE), sight, -1);
    else this.look(Math.floor(w.x), Math.floor(w.y), sight, -1);
    this.look(tile % SIZE, Math.floor(tile / SIZE), sight, 1);
    w.tile = tile;
  }

  /** Counts a sight circle in or out. */
  private look(x: number, y: number, radius: number, by: 1 | -1): void {
    const r = Math.ceil(radius);
    for (let dy = -r; dy <= r; dy++) {
      for (let dx = -r; dx <= r; dx++) {
        if (dx * dx + dy * dy > radius * radius) continue;
        const i = x + dx;
        const j = y + dy;
        if (i < 0 || j < 0 || i >= SIZE || j >= SIZE) continue;
        const t = j * SIZE + i;
        this.counts[t] += by;
        this.state.mask.setVisible(t, this.counts[t] > 0);
      }
    }
  }
}

interface Walker {
  readonly handle: number;
  readonly points: readonly (readonly [number, number])[];
  next: number;
  tile: number;
  x: number;
  y: number;
  until: number;
}

function valley(): GameMap {
  const n = SIZE * SIZE;
  const levels = new Uint8Array(n);
  const terrain = new Uint8Array(n);
  const pass = new Uint8Array(n).fill(11);
  const noise = (x: number, y: number, scale: number, salt: number): number => {
    const i = Math.floor(x / scale);
    const j = Math.floor(y / scale);
    const fx = smooth(x / scale - i);
    const fy = smooth(y / scale - j);
    const a = hash01(i, j, salt) * (1 - fx) + hash01(i + 1, j, salt) * fx;
    const b = hash01(i, j + 1, salt) * (1 - fx) + hash01(i + 1, j + 1, salt) * fx;
    return a * (1 - fy) + b * fy;
  };
  const height = new Float32Array(n);
  for (let y = 0; y < SIZE; y++) {
    for (let x = 0; x < SIZE; x++) {
      const rim = Math.hypot(x - SIZE / 2, y - SIZE / 2) / (SIZE / 2);
      const wild = noise(x, y, 11, 3) * 0.7 + noise(x, y, 5, 4) * 0.3 + rim ** 3 * 0.35 - 0.12;
      // The ground of the base is level.
      const near = smooth(Math.max(0, Math.min(1, 1.6 - Math.hypot(x - 36, y - 38) / 7)));
      height[y * SIZE + x] = wild * (1 - near) + 0.36 * near;
    }
  }
  for (let t = 0; t < n; t++) {
    levels[t] = 1 + Math.max(0, Math.min(3, Math.floor((height[t] - 0.42) * 10)));
    const grain = noise(t % SIZE, Math.floor(t / SIZE), 7, 5);
    terrain[t] = height[t] < 0.2 ? WATER : height[t] < 0.26 ? 2 : grain < 0.34 ? 1 : levels[t] > 2 ? 3 : 0;
    if (terrain[t] === WATER) pass[t] = 14;
  }
  // Where the land drops by two levels or more there is a cliff; trees stand on the highest.
  for (let y = 1; y < SIZE - 1; y++) {
    for (let x = 1; x < SIZE - 1; x++) {
      const t = y * SIZE + x;
      for (const d of [-1, 1, -SIZE, SIZE]) {
        if (levels[t] < levels[t + d] && hash01(x >> 2, y >> 2, 9) < 0.75) {
          terrain[t] = CLIFF;
          pass[t] = 8;
        }
      }
      if (terrain[t] === 0 && noise(x, y, 6, 12) > 0.68) pass[t] = 8;
    }
  }
  return {
    name: "",
    width: SIZE,
    height: SIZE,
    occlusion: 0,
    levels,
    terrain,
    pass,
    starts: [{ x: 35, y: 39 }],
    resources: [],
    features: [],
  };
}

function smooth(t: number): number {
  return t * t * (3 - 2 * t);
}

const unit = { class: TypeClass.UNIT, sight: 14, size: 0.36 * WU_PER_TILE };

/** The match of the scene; its types are known by their numbers above. */
const WELCOME = create(WelcomeSchema, {
  tickRate: 1000 / TICK_MS,
  players: [{ color: 1 }, { team: 1 }],
  types: [
    { ...unit, name: "scout", speed: 7200, sight: 15 },
    { ...unit, name: "soldier", speed: 3000, size: 0.34 * WU_PER_TILE },
    { ...unit, name: "artillery", size: 0.5 * WU_PER_TILE, sight: 12 },
    { class: TypeClass.STRUCTURE, name: "command-centre", size: 4, sight: 22 },
    { class: TypeClass.STRUCTURE, name: "turret", size: 2, sight: 16 },
    { ...unit, name: "worker", speed: 3600, sight: 11 },
    { ...unit, name: "flyer", speed: 6400, sight: 17, moveKind: 3, size: 0.5 * WU_PER_TILE },
    { class: TypeClass.RESOURCE, name: "crystal", size: 1, sight: 14 },
  ],
});
const TYPES = WELCOME.types;
