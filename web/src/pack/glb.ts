// Reads the triangles of a binary glTF 2.0 that the server has checked (match/pack/model.go): one buffer, no textures, no
// extensions. three's own loader would add its materials, lights and cameras to the first load of every match.

import type { PackMesh } from "../draw/pack";

interface Doc {
  scene?: number;
  scenes: { nodes?: number[] }[];
  nodes: {
    mesh?: number;
    children?: number[];
    matrix?: number[];
    translation?: number[];
    rotation?: number[];
    scale?: number[];
  }[];
  meshes: {
    primitives: { attributes: Record<string, number>; indices?: number; material?: number }[];
  }[];
  accessors: {
    bufferView: number;
    byteOffset?: number;
    componentType: number;
    count: number;
    type: string;
    normalized?: boolean;
  }[];
  bufferViews: { byteOffset?: number; byteStride?: number }[];
  materials?: {
    name?: string;
    emissiveFactor?: number[];
    pbrMetallicRoughness?: { baseColorFactor?: number[] };
  }[];
}

type M4 = readonly number[];
const ONE: M4 = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
const WIDTH: Readonly<Record<string, number>> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/** The product of two matrices, column by column. */
const times = (a: M4, b: M4): M4 =>
  ONE.map((_, i) => [0, 1, 2, 3].reduce((sum, k) => sum + a[(i & 3) + 4 * k] * b[(i & ~3) + k], 0));

function transformOf({ matrix, translation, rotation, scale }: Doc["nodes"][number]): M4 {
  if (matrix) return matrix;
  const [x, y, z, w] = rotation ?? [0, 0, 0, 1];
  const [sx, sy, sz] = scale ?? [1, 1, 1];
  const [tx, ty, tz] = translation ?? [0, 0, 0];
  return [
    ...[1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0].map((v) => v * sx),
    ...[2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0].map((v) => v * sy),
    ...[2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0].map((v) => v * sz),
    tx,
    ty,
    tz,
    1,
  ];
}

/** The triangles of the file's scene, front to +x. */
export function meshOf(glb: ArrayBuffer): PackMesh {
  const view = new DataView(glb);
  const jsonBytes = view.getUint32(12, true);
  const doc = JSON.parse(new TextDecoder().decode(new Uint8Array(glb, 20, jsonBytes))) as Doc;
  const bin = 28 + jsonBytes;
  const position: number[] = [];
  const color: number[] = [];
  const paint: number[] = [];

  /** The numbers of one element after another. */
  const numbers = (accessor: number): readonly (readonly number[])[] => {
    const { bufferView, byteOffset = 0, componentType, count, type, normalized } = doc.accessors[accessor];
    const { byteOffset: from = 0, byteStride } = doc.bufferViews[bufferView];
    const bytes = componentType === 5121 ? 1 : componentType === 5123 ? 2 : 4;
    const full = normalized && bytes < 4 ? 2 ** (8 * bytes) - 1 : 1;
    const one = (at: number): number => {
      if (bytes === 1) return view.getUint8(at) / full;
      if (bytes === 2) return view.getUint16(at, true) / full;
      return componentType === 5126 ? view.getFloat32(at, true) : view.getUint32(at, true);
    };
    const width = WIDTH[type];
    return Array.from({ length: count }, (_, i) =>
      Array.from({ length: width }, (_, k) =>
        one(bin + from + byteOffset + i * (byteStride ?? width * bytes) + k * bytes),
      ),
    );
  };

  const add = (index: number, around: M4): void => {
    const node = doc.nodes[index];
    const m = times(around, transformOf(node));
    for (const { attributes, indices, material } of node.mesh === undefined
      ? []
      : doc.meshes[node.mesh].primitives) {
      const points = numbers(attributes.POSITION);
      const colors = attributes.COLOR_0 === undefined ? undefined : numbers(attributes.COLOR_0);
      const look = material === undefined ? undefined : doc.materials?.[material];
      const base = look?.pbrMetallicRoughness?.baseColorFactor ?? [1, 1, 1];
      const glow = Math.min(1, Math.max(0, ...(look?.emissiveFactor ?? [])));
      for (const i of indices === undefined ? points.keys() : numbers(indices).map(([n]) => n)) {
        const [x, y, z] = points[i];
        const [right, up, front] = [0, 1, 2].map((k) => m[k] * x + m[4 + k] * y + m[8 + k] * z + m[12 + k]);
        position.push(front, up, -right);
        color.push(...[0, 1, 2].map((k) => base[k] * (colors?.[i][k] ?? 1)));
        paint.push(look?.name === "team" ? 1 : 0, glow, 0);
      }
    }
    for (const child of node.children ?? []) add(child, m);
  };
  for (const node of doc.scenes[doc.scene ?? 0].nodes ?? []) add(node, ONE);
  return packed(position, color, paint);
}

export function packed(
  position: readonly number[],
  color: readonly number[],
  paint: readonly number[],
): PackMesh {
  if (position.length === 0) throw new Error("it has no triangle");
  return {
    position: new Float32Array(position),
    color: new Float32Array(color),
    paint: new Float32Array(paint),
  };
}
