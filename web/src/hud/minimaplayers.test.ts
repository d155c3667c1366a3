import { describe, expect, it } from "vitest";
import { Marks, MinimapLayers, type MinimapPainter, type OutlinePixels } from "./minimaplayers";

const W = 40;
const H = 30;

interface Unit {
  x: number;
  y: number;
  size: number;
  owner: number;
}

/** The input of a minimap: a match of plain lists. */
class Field {
  fog = new Uint8Array(W * H);
  fogRevision = 0;
  colors = [10, 20, 30];
  colorRevision = 0;
  units: Unit[] = [];
  outline: [number, number][] = [];
  pings: number[] = [];
  views: number[] = [];
}

/** Draws layers of bytes, as the page draws canvases. */
class Painter implements MinimapPainter {
  readonly shown = new Uint8Array(W * H);
  private readonly ground = new Uint8Array(W * H);
  private readonly units = new Uint8Array(W * H);

  constructor(private readonly field: Field) {}

  listUnits(out: Marks): void {
    for (const u of this.field.units) out.add(0, Math.floor(u.x), Math.floor(u.y), u.size, u.owner);
  }
  listOutline(out: OutlinePixels): void {
    for (const [x, y] of this.field.outline) out.add(Math.round(x), Math.round(y));
  }
  paintFog(): void {
    for (let t = 0; t < W * H; t++) this.ground[t] = this.field.fog[t] === 0 ? 1 : 2;
  }
  paintUnits(marks: Marks): void {
    this.units.fill(0);
    for (let n = 0; n < marks.count; n++) {
      for (let y = 0; y < marks.size(n); y++) {
        for (let x = 0; x < marks.size(n); x++)
          this.dot(this.units, marks.x(n) + x, marks.y(n) + y, this.field.colors[marks.owner(n)]);
      }
    }
  }
  compose(outline: OutlinePixels): void {
    for (let t = 0; t < W * H; t++) this.shown[t] = this.units[t] || this.ground[t];
    for (const p of this.field.views) this.shown[p] = 150;
    for (const p of this.field.pings) this.shown[p] = 200;
    for (let i = 0; i < outline.count; i++)
      this.dot(this.shown, outline.cells[2 * i], outline.cells[2 * i + 1], 255);
  }
  private dot(to: Uint8Array, x: number, y: number, value: number): void {
    if (x >= 0 && y >= 0 && x < W && y < H) to[y * W + x] = value;
  }
}

function minimap(field: Field) {
  const painter = new Painter(field);
  const layers = new MinimapLayers(painter);
  return {
    painter,
    layers,
    draw: () => layers.draw(field.fogRevision, field.colorRevision, field.pings.length > 0),
  };
}

function numbers(seed: number): (n: number) => number {
  let s = seed >>> 0;
  return (n) => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0;
    return Math.floor((s / 4294967296) * n);
  };
}

describe("the minimap's layers", () => {
  it("show what a minimap shows that is drawn for the first time, whatever changed", () => {
    for (let seed = 1; seed <= 60; seed++) {
      const r = numbers(seed);
      const field = new Field();
      const map = minimap(field);
      const unit = () => ({ x: r(W * 10) / 10, y: r(H * 10) / 10, size: 1 + r(5), owner: r(3) });
      for (let step = 0; step < 60; step++) {
        const one = field.units[r(field.units.length || 1)];
        switch (r(10)) {
          case 0:
            field.fog[r(W * H)] ^= 1;
            field.fogRevision++;
            break;
          case 1:
            field.units.splice(r(field.units.length + 1), 0, unit());
            break;
          case 2:
            field.units.splice(r(field.units.length || 1), 1);
            break;
          case 3:
          case 4:
            if (one) one.x += (r(11) - 5) / 7;
            break;
          case 5:
            if (one) one.owner = r(3);
            break;
          case 6:
            field.colors[r(3)] = 10 + r(90);
            field.colorRevision++;
            break;
          case 7:
            field.outline = Array.from({ length: r(6) }, () => [r(W * 4) / 4, r(H * 4) / 4]);
            break;
          case 8:
            field.pings = r(2) ? [r(W * H)] : [];
            break;
          case 9:
            field.views.push(r(W * H));
            map.layers.invalidate();
        }
        if (r(4) === 0) map.layers.drawOver(field.pings.length > 0);
        map.draw();
        const fresh = minimap(field);
        fresh.draw();
        if (!Buffer.from(map.painter.shown).equals(Buffer.from(fresh.painter.shown)))
          expect.fail(`seed ${seed}, step ${step}: the pictures differ`);
      }
    }
  });

  it("are drawn when their own part changed, and at no other time", () => {
    const field = new Field();
    field.units = [
      { x: 5, y: 5, size: 2, owner: 0 },
      { x: 9.5, y: 9, size: 3, owner: 1 },
    ];
    field.outline = [
      [1, 1],
      [9, 1],
      [5, 8],
    ];
    const { layers, draw } = minimap(field);
    const steps: [string, () => void, { fog: number; units: number; composition: number }][] = [
      ["the first time", () => {}, { fog: 1, units: 1, composition: 1 }],
      ["nothing changes", () => {}, { fog: 0, units: 0, composition: 0 }],
      [
        "a unit moves within its pixel",
        () => (field.units[0].x = 5.99),
        { fog: 0, units: 0, composition: 0 },
      ],
      ["a unit crosses a pixel", () => (field.units[0].x = 6), { fog: 0, units: 1, composition: 1 }],
      ["a unit is another player's", () => (field.units[0].owner = 2), { fog: 0, units: 1, composition: 1 }],
      [
        "two units change places in the list",
        () => field.units.reverse(),
        { fog: 0, units: 1, composition: 1 },
      ],
      ["a unit leaves", () => field.units.pop(), { fog: 0, units: 1, composition: 1 }],
      ["the last unit leaves", () => field.units.pop(), { fog: 0, units: 1, composition: 1 }],
      ["a tile changes", () => field.fogRevision++, { fog: 1, units: 0, composition: 1 }],
      ["colours change", () => field.colorRevision++, { fog: 0, units: 1, composition: 1 }],
      [
        "the camera moves within a pixel",
        () => (field.outline[0][0] = 1.4),
        { fog: 0, units: 0, composition: 0 },
      ],
      ["the camera moves", () => (field.outline[0][0] = 1.6), { fog: 0, units: 0, composition: 1 }],
      ["the outline has fewer corners", () => field.outline.pop(), { fog: 0, units: 0, composition: 1 }],
      ["a ping begins", () => field.pings.push(7), { fog: 0, units: 0, composition: 1 }],
      ["a ping goes on", () => {}, { fog: 0, units: 0, composition: 1 }],
      ["a ping ends", () => field.pings.pop(), { fog: 0, units: 0, composition: 1 }],
      ["after the ping", () => {}, { fog: 0, units: 0, composition: 0 }],
    ];
    for (const [what, change, want] of steps) {
      change();
      const { ...before } = layers.drawn;
      draw();
      const got = {
        fog: layers.drawn.fog - before.fog,
        units: layers.drawn.units - before.units,
        composition: layers.drawn.composition - before.composition,
      };
      expect([what, got]).toEqual([what, want]);
    }
  });

  it("hold any number of marks", () => {
    const marks = new Marks();
    for (let round = 0; round < 3; round++) {
      marks.begin();
      for (let k = 0; k < 1000; k++) marks.add(0, k, k, 5, 1);
      expect([marks.count, marks.x(999)]).toEqual([1000, 999]);
      expect(marks.differs).toBe(round === 0);
    }
  });
});
