// The assets of the pack of the match that is on the page. src/pack/pack.ts fills it; drawing and sound read it, and do
// without where it has none.

/** A triangle mesh: three numbers a vertex. */
export interface PackMesh {
  readonly position: Float32Array;
  readonly color: Float32Array;
  /** The owner's colour, glow, and 0 for the hull, as `aPaint` of the shader. */
  readonly paint: Float32Array;
}

export const packAssets = {
  /** By the names of types. */
  meshes: new Map<string, PackMesh>(),
  /** Addresses of pictures, by the names of types. */
  icons: new Map<string, string>(),
  /** Sounds, by the names of types and of weapons. */
  voices: new Map<string, ArrayBuffer>(),
  shots: new Map<string, ArrayBuffer>(),
  /** The goals of missions, by their mode, then by the value that reaches it. */
  goals: new Map<string, ReadonlyMap<string, number>>(),
};
