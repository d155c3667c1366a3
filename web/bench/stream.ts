// The page of a match without a server: it plays a client's messages (`fogkeep-bench record`) and measures the time
// of each part of a frame. stream.mjs opens this page.
//
//	file ──► socket ──► Match ──► state ──► Game: frame loop, renderer, panels
//
// Time goes by frames: sixty a second, independent of the machine's speed. So the
// same frames are measured on each machine. All WebGL is called but for the draw
// calls: a graphics card's work is not measured, and without one it would take
// all of the processor.

import { connect, type Handle, type Match, ownHandles } from "@fogkeep/client";
import "../src/ui/theme.css";
import "../src/hud/hud.css";
import "../src/hud/field.css";
import { Game } from "../src/game/game";
import { SettingsStore } from "../src/game/settings";
import type { Quality } from "../src/render/quality";
import { useLanguage, useTexts } from "../src/text/text";

const FRAME_MS = 1000 / 60;
const TICK_MS = 50;
/** So many own units are selected. */
const SELECTED = 40;
/** The camera goes round its place on a circle of so many tiles, once in so many frames. */
const CIRCLE_TILES = 6;
const CIRCLE_FRAMES = 900;

/** The parts of a frame. `message` is all that a message costs, `apply` within it. */
export const PARTS = ["message", "apply", "sample", "fog", "fill", "draw", "minimap", "hud"] as const;
export type Part = (typeof PARTS)[number];

const real = performance.now.bind(performance);
let nowMs = real();
performance.now = () => nowMs;
let asked: FrameRequestCallback[] = [];
let called: FrameRequestCallback[] = [];
window.requestAnimationFrame = (f) => asked.push(f);
window.cancelAnimationFrame = () => {
  asked = [];
};
const card = WebGL2RenderingContext.prototype;
const DRAWS = ["drawArrays", "drawElements", "drawArraysInstanced", "drawElementsInstanced"] as const;
const drawn = DRAWS.map((name) => card[name]);
const nothing = () => {};

/** Milliseconds of each call of each part. */
class Gauge {
  on = false;
  readonly ms = Object.fromEntries(PARTS.map((p) => [p, new Float64Array(1 << 14)])) as Record<
    Part,
    Float64Array
  >;
  readonly calls = Object.fromEntries(PARTS.map((p) => [p, 0])) as Record<Part, number>;
  readonly now = real;

  clear(): void {
    for (const p of PARTS) this.calls[p] = 0;
  }

  /** Measures a method. Its stand-in has a name of its own, by which a profile of the heap tells the parts. */
  watch(part: Part, of: object, method: string): void {
    const methods = of as Record<string, (...args: unknown[]) => unknown>;
    const make = new Function(
      "gauge",
      "f",
      `return function part_${part}(a, b, c, d, e) {
        if (!gauge.on) return f(a, b, c, d, e);
        const t = gauge.now();
        const r = f(a, b, c, d, e);
        gauge.ms.${part}[gauge.calls.${part}++] = gauge.now() - t;
        return r;
      }`,
    );
    methods[method] = make(this, methods[method].bind(of));
  }
}

/** The measured parts of a game; they are private there. */
interface Inside {
  readonly panels: { minimap: object };
}
interface InsideRenderer {
  readonly layers: object;
}

/** A socket on which the messages of a file arrive. */
class FileSocket {
  binaryType = "arraybuffer";
  readyState = 1;
  onopen: (() => void) | null = null;
  onmessage: ((e: { data: unknown }) => void) | null = null;
  onclose: unknown = null;
  onerror: unknown = null;
  send(): void {}
  close(): void {}
}

export interface Measured {
  readonly frames: number;
  /** Milliseconds a frame: of each part the median call by how often it is called. */
  readonly ms: Record<Part, number>;
  /** Of whole frames, with the messages between them. */
  readonly p50: number;
  readonly p95: number;
  readonly inSight: number;
  readonly draws: number;
  /** Instances of models, marks and billboards that were filled in the last frame. */
  readonly filled: number;
  /** Bytes of the fog that were sent to the graphics card, a frame. */
  readonly fogBytes: number;
}

class Stream {
  constructor() {
    this.draws(false);
  }

  game!: Game;
  match!: Match;
  private readonly gauge = new Gauge();
  private readonly socket = new FileSocket();
  private messages: Uint8Array[] = [];
  private next = 0;
  private dueMs = 0;
  private frames = 0;
  private home = { x: 0, z: 0 };
  private readonly took = new Float64Array(1 << 14);

  /** Opens the match of a recording. */
  async open(url: string, quality: Quality): Promise<void> {
    localStorage["fogkeep.settings"] = JSON.stringify({ quality, coach: false, volumes: { master: 0 } });
    await useLanguage(["en"]);
    await useTexts("match", "replay");
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    const head = new DataView(bytes.buffer);
    for (let at = 0; at < bytes.length; ) {
      const n = head.getUint32(at, true);
      this.messages.push(bytes.slice(at + 4, at + 4 + n));
      at += 4 + n;
    }
    const [map] = this.messages;
    const joined = connect({
      url: "ws://recorded/ws",
      ticket: "0",
      socket: () => this.socket as never,
      fetchMap: async () => map,
    });
    this.socket.onopen?.();
    this.next = 1;
    this.deliver();
    this.match = await joined;
    await new Promise((done) => setTimeout(done, 10)); // it takes frames from the next turn on
    this.deliver(); // the snapshot
    const root = document.getElementById("app");
    if (!root) throw new Error("the page has no #app");
    const settings = new SettingsStore();
    this.game = new Game({ match: this.match, root, settings, menu: nothing, leave: nothing, eyes: nothing });
    const { gauge, game, match } = this;
    const { renderer } = game;
    const { panels } = game as unknown as Inside;
    const { layers } = renderer as unknown as InsideRenderer;
    gauge.watch("message", this.socket, "onmessage");
    gauge.watch("apply", match.state, "apply");
    gauge.watch("sample", layers, "sample");
    gauge.watch("fill", layers, "fill");
    gauge.watch("fog", renderer.fog, "step");
    gauge.watch("draw", renderer.webgl, "render");
    gauge.watch("minimap", panels.minimap, "draw");
    gauge.watch("hud", panels, "update");
    const own = ownHandles(match.state).slice(0, SELECTED) as Handle[];
    game.selection.set(own);
    const { camera } = renderer;
    this.home = { x: camera.x, z: camera.z };
    this.dueMs = nowMs + TICK_MS;
  }

  /** Looks from a distance. */
  look(distance: number): void {
    const { camera } = this.game.renderer;
    camera.distance = distance;
    camera.jump(this.home.x, this.home.z);
  }

  /** Whether the draw calls of WebGL do anything: for a picture of the page. */
  draws(on: boolean): void {
    DRAWS.forEach((name, k) => {
      card[name] = (on ? drawn[k] : nothing) as never;
    });
  }

  /** Plays frames without measuring them. */
  play(frames: number): void {
    for (let k = 0; k < frames; k++) this.frame();
  }

  measure(frames: number): Measured {
    const { gauge, game, match, took } = this;
    const { fog } = game.renderer;
    const fogBefore = fog.uploadedBytes;
    gauge.clear();
    gauge.on = true;
    for (let k = 0; k < frames; k++) {
      const t = real();
      this.frame();
      took[k] = real() - t;
    }
    gauge.on = false;
    const ms = Object.fromEntries(
      PARTS.map((p) => {
        const calls = gauge.calls[p];
        return [p, calls === 0 ? 0 : (percentile(gauge.ms[p].subarray(0, calls), 0.5) * calls) / frames];
      }),
    ) as Record<Part, number>;
    const all = took.subarray(0, frames);
    return {
      frames,
      ms,
      p50: percentile(all, 0.5),
      p95: percentile(all, 0.95),
      inSight: match.state.world.count,
      draws: game.renderer.draws,
      filled: game.renderer.filled,
      fogBytes: (fog.uploadedBytes - fogBefore) / frames,
    };
  }

  private frame(): void {
    nowMs += FRAME_MS;
    this.frames++;
    while (this.dueMs <= nowMs) {
      this.dueMs += TICK_MS;
      this.deliver();
    }
    const turn = (this.frames / CIRCLE_FRAMES) * 2 * Math.PI;
    this.game.renderer.camera.go(
      this.home.x + CIRCLE_TILES * Math.cos(turn),
      this.home.z + CIRCLE_TILES * Math.sin(turn),
    );
    [asked, called] = [called, asked];
    for (let k = 0; k < called.length; k++) called[k](nowMs);
    called.length = 0;
  }

  private deliver(): void {
    if (this.next === this.messages.length) throw new Error("the recording is over");
    this.socket.onmessage?.({ data: this.messages[this.next++].buffer });
  }
}

function percentile(of: Float64Array, share: number): number {
  const sorted = of.slice().sort();
  return sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
}

declare global {
  interface Window {
    stream: Stream;
  }
}
window.stream = new Stream();
