// Columns of an instanced geometry that are filled anew for each frame. They grow with the number of drawn things
// and do not allocate otherwise.

import { DynamicDrawUsage, InstancedBufferAttribute, type InstancedBufferGeometry, type Mesh } from "three";

export interface Column {
  /** The shader's attribute. */
  readonly name: string;
  /** Numbers an instance. */
  readonly size: number;
  /** Numbers, bytes, or bytes that the shader reads as 0 to 1. */
  readonly kind: "float" | "byte" | "unit";
}

export class Instances {
  count = 0;
  private readonly attributes: InstancedBufferAttribute[] = [];
  /** The sent ranges of each attribute: one object for all frames, where three.js would make one a frame. */
  private readonly ranges: { start: number; count: number }[] = [];

  constructor(
    readonly geometry: InstancedBufferGeometry,
    private readonly columns: readonly Column[],
    capacity: number,
  ) {
    geometry.instanceCount = 0;
    this.resize(capacity);
  }

  begin(): void {
    this.count = 0;
  }

  /** Adds an instance and returns its index. */
  next(): number {
    const capacity = this.attributes[0].count;
    if (this.count >= capacity) this.resize(capacity * 2);
    return this.count++;
  }

  array(column: number): Float32Array | Uint8Array {
    return this.attributes[column].array as Float32Array | Uint8Array;
  }

  end(mesh: Mesh): void {
    this.geometry.instanceCount = this.count;
    mesh.visible = this.count > 0;
    if (this.count === 0) return;
    for (let k = 0; k < this.attributes.length; k++) {
      const a = this.attributes[k];
      this.ranges[k].count = this.count * a.itemSize;
      a.updateRanges.length = 1;
      a.updateRanges[0] = this.ranges[k];
      a.needsUpdate = true;
    }
  }

  private resize(capacity: number): void {
    // A buffer on the GPU cannot grow: the old one goes, a new one is made on the next draw.
    if (this.attributes.length > 0) this.geometry.dispose();
    this.columns.forEach(({ name, size, kind }, k) => {
      const array = new (kind === "float" ? Float32Array : Uint8Array)(capacity * size);
      if (this.attributes[k]) array.set(this.array(k));
      const a = new InstancedBufferAttribute(array, size, kind === "unit");
      a.setUsage(DynamicDrawUsage);
      this.attributes[k] = a;
      this.ranges[k] = { start: 0, count: 0 };
      this.geometry.setAttribute(name, a);
    });
  }
}
