import { Mask } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { FOG_IN_MS, FOG_OUT_MS, FogEase, FogTexture } from "./fog";

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

describe("FogTexture", () => {
  it("is uploaded only when something changed", () => {
    const mask = new Mask(16, 16);
    const fog = new FogTexture(mask);
    const before = fog.uploads;
    fog.step(16);
    fog.step(16);
    expect(fog.uploads).toBe(before);
    mask.setVisible(3, true);
    fog.step(100);
    fog.step(100);
    fog.step(100);
    expect(fog.uploads).toBe(before + 2);
  });
});
