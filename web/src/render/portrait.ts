// Pictures of types for buttons and panels, drawn once from the same models as on
// the field.

import type { TypeInfo } from "@fogkeep/client";
import { type PackMesh, packAssets } from "../draw/pack";
import { linear, rgb } from "../draw/palette";
import { PART } from "./meshbuilder";
import { modelOf } from "./models";

/** With the mesh of a pack, if it was drawn from one. */
const cache = new Map<string, { mesh?: PackMesh; url: string }>();

/** A picture of a type in a colour, as a data URL. */
export function portrait(type: TypeInfo, color: string, px = 72): string {
  const icon = packAssets.icons.get(type.name);
  if (icon) return icon;
  const mesh = packAssets.meshes.get(type.name);
  const key = `${type.name}|${type.class}|${color}|${px}`;
  let drawn = cache.get(key);
  if (!drawn || drawn.mesh !== mesh) {
    drawn = { mesh, url: paint(type, color, px) };
    cache.set(key, drawn);
  }
  return drawn.url;
}

const YAW = -0.7;
const PITCH = 0.62;

function paint(type: TypeInfo, color: string, px: number): string {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = px;
  const ctx = canvas.getContext("2d");
  if (!ctx) return "";
  const g = modelOf(type);
  const pos = g.getAttribute("position").array;
  const col = g.getAttribute("color").array;
  const look = g.getAttribute("aPaint").array;
  const team = rgb(color).map(linear);
  const cy = Math.cos(YAW);
  const sy = Math.sin(YAW);
  const cp = Math.cos(PITCH);
  const sp = Math.sin(PITCH);
  const faces: { z: number; points: number[]; fill: string }[] = [];
  let min = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let max = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let t = 0; t < pos.length; t += 9) {
    if (look[t + 2] === PART.legs && type.class === "unit") continue; // folded
    const v: number[][] = [];
    for (let k = 0; k < 3; k++) {
      const x = pos[t + 3 * k];
      const y = pos[t + 3 * k + 1];
      const z = pos[t + 3 * k + 2];
      const rx = x * cy + z * sy;
      const rz = -x * sy + z * cy;
      v.push([rx, -(y * cp - rz * sp), rz * cp + y * sp]);
    }
    const ax = [pos[t + 3] - pos[t], pos[t + 4] - pos[t + 1], pos[t + 5] - pos[t + 2]];
    const bx = [pos[t + 6] - pos[t], pos[t + 7] - pos[t + 1], pos[t + 8] - pos[t + 2]];
    const n = [ax[1] * bx[2] - ax[2] * bx[1], ax[2] * bx[0] - ax[0] * bx[2], ax[0] * bx[1] - ax[1] * bx[0]];
    const l = Math.hypot(n[0], n[1], n[2]) || 1;
    const light = 0.45 + 0.75 * Math.max(0, (-0.45 * n[0] + 0.75 * n[1] + 0.35 * n[2]) / l);
    const isTeam = look[t] > 0.5;
    const glow = look[t + 1];
    const c = [0, 1, 2].map((k) => (isTeam ? team[k] : col[t + k]) * (light + glow * 0.6));
    const points = v.flatMap((p) => [p[0], p[1]]);
    for (const p of v) {
      min = [Math.min(min[0], p[0]), Math.min(min[1], p[1])];
      max = [Math.max(max[0], p[0]), Math.max(max[1], p[1])];
    }
    faces.push({ z: (v[0][2] + v[1][2] + v[2][2]) / 3, points, fill: css(c) });
  }
  g.dispose();
  const scale = (px * 0.86) / Math.max(max[0] - min[0], max[1] - min[1]);
  const ox = px / 2 - ((min[0] + max[0]) / 2) * scale;
  const oy = px / 2 - ((min[1] + max[1]) / 2) * scale;
  faces.sort((a, b) => a.z - b.z);
  ctx.lineJoin = "round";
  for (const f of faces) {
    ctx.beginPath();
    for (let k = 0; k < 6; k += 2) ctx.lineTo(f.points[k] * scale + ox, f.points[k + 1] * scale + oy);
    ctx.closePath();
    ctx.fillStyle = f.fill;
    ctx.strokeStyle = f.fill;
    ctx.lineWidth = 0.8;
    ctx.fill();
    ctx.stroke();
  }
  return canvas.toDataURL();
}

function css(c: number[]): string {
  const s = c.map((v) => Math.round(255 * Math.min(1, Math.max(0, v)) ** (1 / 2.2)));
  return `rgb(${s[0]},${s[1]},${s[2]})`;
}
