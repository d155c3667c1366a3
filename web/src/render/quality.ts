// Quality levels. The first guess is from the driver's name; the settings can
// change it.

export type Quality = "low" | "medium" | "high";

export interface QualityTraits {
  shadows: boolean;
  outline: boolean;
  antialias: boolean;
  /** Reads the fog at the corners of tiles, not at each pixel. */
  cheapFog: boolean;
  pixelRatioMax: number;
  /** Share of the grass, stones and trees. */
  scenery: number;
  /** Share of the clouds and pieces of an explosion. */
  particles: number;
  /** The most marks on the ground. */
  marks: number;
  /** The most structures that smoke, and units that raise dust. */
  trails: number;
}

export const QUALITY: Record<Quality, QualityTraits> = {
  low: {
    shadows: false,
    outline: false,
    antialias: false,
    cheapFog: true,
    pixelRatioMax: 1,
    scenery: 0.6,
    particles: 0.5,
    marks: 48,
    trails: 16,
  },
  medium: {
    shadows: false,
    outline: true,
    antialias: true,
    cheapFog: false,
    pixelRatioMax: 1.5,
    scenery: 1,
    particles: 0.8,
    marks: 96,
    trails: 48,
  },
  high: {
    shadows: true,
    outline: true,
    antialias: true,
    cheapFog: false,
    pixelRatioMax: 2,
    scenery: 1.5,
    particles: 1,
    marks: 160,
    trails: 96,
  },
};

/** The quality at the start: software rendering gets the least. */
export function guessQuality(driver: string): Quality {
  if (/swiftshader|llvmpipe|software|basic render/i.test(driver)) return "low";
  if (/intel|mali|adreno|powervr|apple gpu/i.test(driver)) return "medium";
  return "high";
}

/** The name of the graphics driver; empty where the browser hides it. */
export function driverName(gl: WebGLRenderingContext | WebGL2RenderingContext): string {
  const ext = gl.getExtension("WEBGL_debug_renderer_info");
  const name = gl.getParameter(ext ? ext.UNMASKED_RENDERER_WEBGL : gl.RENDERER);
  return typeof name === "string" ? name : "";
}
