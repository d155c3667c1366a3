import { Mask } from "@fogkeep/client";
import type { Box2, DataTexture, Texture, Vector2 } from "three";
import { describe, expect, it } from "vitest";
import { FOG_IN_MS, FOG_OUT_MS, FogEase, FogTexture, type Uploader } from "./fog";

describe("FogEase", () => {
  it("brightens in its time and darkens in its own, whatever the frame rate", () => {
    for (const dt of [1, 7, 16, 50]) {
      const mask = new Mask(16, 16);
      const ease = new FogEase(mask);
      mask.setVisible(5, true);
      let t = 0;
      while (ease.bytes[10] < 255) {
        ease.step(dt);
        t += dt;
      }
      expect(Math.abs(t - FOG_IN_MS)).toBeLessThanOrEqual(dt);
      mask.setVisible(5, false);
      t = 0;
      do {
        ease.step(dt);
        t += dt;
      } while (ease.bytes[10] > 0);
      expect(Math.abs(t - FOG_OUT_MS)).toBeLessThanOrEqual(dt);
      expect(ease.bytes[11]).toBe(255); // explored stays
    }
  });

  it("turns around in the middle without a jump", () => {
    const mask = new Mask(16, 16);
    const ease = new FogEase(mask);
    mask.setVisible(0, true);
    ease.step(75);
    const half = ease.bytes[0];
    mask.setVisible(0, false);
    ease.step(10);
    expect(half - ease.bytes[0]).toBeLessThan(10);
    expect(ease.bytes[0]).toBeLessThan(half);
  });

  it("works only on what moves, and says when nothing does", () => {
    const mask = new Mask(64, 64);
    const ease = new FogEase(mask);
    expect(ease.step(16)).toBe(false);
    mask.setVisible(9, true);
    expect(ease.step(16)).toBe(true);
    expect(ease.moving).toBe(1);
    ease.step(1000);
    expect(ease.moving).toBe(0);
    expect(ease.step(16)).toBe(false);
  });

  it("catches up when more changed than the log holds", () => {
    const mask = new Mask(300, 300);
    const ease = new FogEase(mask);
    mask.reveal();
    ease.step(1000);
    expect(ease.bytes.every((b) => b === 255)).toBe(true);
  });
});

/** Takes uploads, as a graphics card does. */
function card(fog: FogTexture) {
  const { mask } = fog;
  const bytes = new Uint8Array(mask.width * mask.height * 2);
  let version = 0;
  const rectangles: number[][] = [];
  const to = {
    copyTextureToTexture(source: DataTexture, target: Texture, part: Box2, at: Vector2) {
      expect(target).toBe(fog.texture);
      expect([at.x, at.y]).toEqual([part.min.x, part.min.y]);
      rectangles.push([part.min.x, part.min.y, part.max.x, part.max.y]);
      for (let y = part.min.y; y < part.max.y; y++) {
        const row = 2 * (y * mask.width + part.min.x);
        bytes.set((source.image.data as Uint8Array).subarray(row, row + 2 * (part.max.x - part.min.x)), row);
      }
    },
  } as unknown as Uploader;
  /** Uploads, draws, and returns the rectangles; null: the whole map was sent. */
  const draw = (): number[][] | null => {
    rectangles.length = 0;
    fog.upload(to);
    if (fog.texture.version === version) return rectangles.slice();
    version = fog.texture.version;
    bytes.set(fog.texture.image.data as Uint8Array);
    expect(rectangles).toEqual([]);
    return null;
  };
  return { bytes, draw };
}

describe("FogTexture", () => {
  it("is uploaded only when something changed", () => {
    const mask = new Mask(16, 16);
    const fog = new FogTexture(mask);
    const { draw } = card(fog);
    expect(draw()).toBe(null); // first it is sent whole
    const before = fog.uploads;
    fog.step(16);
    expect(draw()).toEqual([]);
    expect(fog.uploads).toBe(before);
    mask.setVisible(3, true);
    for (let k = 0; k < 3; k++) {
      fog.step(100);
      draw();
    }
    expect(fog.uploads).toBe(before + 2);
  });

  it("sends the parts that changed, so that the card has what is shown at any time", () => {
    for (const [width, height] of [
      [1024, 1024],
      [75, 333],
      [20, 20],
    ]) {
      const mask = new Mask(width, height);
      const fog = new FogTexture(mask);
      const { bytes, draw } = card(fog);
      draw();
      let seed = 1;
      const random = (below: number) => {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        return Math.floor((seed / 4294967296) * below);
      };
      let parts = 0;
      for (let n = 0; n < 40; n++) {
        // Circles appear and go, somewhere or everywhere, and fade meanwhile.
        for (let c = n % 9 === 0 ? 60 : 2; c > 0; c--) {
          const [x, y, on] = [random(width), random(height), random(2) === 0];
          for (let j = Math.max(0, y - 6); j < Math.min(height, y + 6); j++)
            for (let i = Math.max(0, x - 6); i < Math.min(width, x + 6); i++)
              mask.setVisible(j * width + i, on);
        }
        fog.step(30);
        if (draw() !== null) parts++;
        expect(Buffer.compare(bytes, fog.bytes)).toBe(0);
      }
      if (width === 1024) expect(parts).toBeGreaterThan(20);
      fog.snap();
      expect(draw()).toBe(null);
    }
  });

  it("sends little of a large map where little changes, and all of it where most does", () => {
    const mask = new Mask(1024, 1024);
    const fog = new FogTexture(mask);
    const { draw } = card(fog);
    draw();
    for (const [x, y] of [
      [40, 40],
      [900, 40],
      [500, 1000],
    ])
      mask.setVisible(y * 1024 + x, true);
    fog.step(16);
    const before = fog.uploadedBytes;
    expect(draw()).toEqual([
      [32, 32, 64, 64],
      [896, 32, 928, 64],
      [480, 992, 512, 1024],
    ]);
    expect(fog.uploadedBytes - before).toBe(3 * 2 * 32 * 32);
    mask.reveal();
    fog.step(16);
    expect(draw()).toBe(null);
  });
});
