// The assets and texts of a pack, loaded by hash. A file that cannot be read is left out: the type is drawn as without
// it. All files are loaded before the match is shown, so no request tells what came into sight.

import { type PackMesh, packAssets } from "../draw/pack";
import { linear } from "../draw/palette";
import { setPackTexts } from "../text/text";
import { meshOf, packed } from "./glb";

interface Index {
  types: Record<string, { icon?: string; model?: string; sprite?: string; voice?: string }>;
  weapons: Record<string, { shot?: string }>;
  texts: Record<string, Record<string, string>>;
  missions?: { mode: string; objectives: { value: string; goal: number }[] }[];
}

/** Longer, and the match is shown without the rest. */
const LOAD_MS = 20_000;
/** Height of a sprite over the ground, in units of the model. */
const SPRITE_TOP = 0.35;

const addressOf = (hash: string): string => `/packs/${hash}`;

async function fileOf(hash: string, signal: AbortSignal): Promise<Response> {
  const r = await fetch(addressOf(hash), { signal });
  if (!r.ok) throw new Error(`${r.status} for ${r.url}`);
  return r;
}

/** Puts the assets and texts of a pack in place of the last one's; "": of no pack. */
export async function loadPack(hash: string): Promise<void> {
  for (const table of Object.values(packAssets)) table.clear();
  setPackTexts({});
  if (hash === "") return;
  const signal = AbortSignal.timeout(LOAD_MS);
  const index = (await (await fileOf(hash, signal)).json()) as Index;
  setPackTexts(index.texts);
  for (const { mode, objectives } of index.missions ?? [])
    packAssets.goals.set(mode, new Map(objectives.map(({ value, goal }) => [value, goal])));
  const all: Promise<unknown>[] = [];
  const take = <T>(
    to: Map<string, T>,
    name: string,
    file: string | undefined,
    read: (r: Response) => Promise<T>,
  ) => {
    if (file)
      all.push(
        fileOf(file, signal)
          .then(read)
          .then(
            (asset) => to.set(name, asset),
            (err) => console.warn(`An asset of ${name} is left out.`, err),
          ),
      );
  };
  const bytes = (r: Response) => r.arrayBuffer();
  for (const [name, { icon, model, sprite, voice }] of Object.entries(index.types)) {
    if (icon) packAssets.icons.set(name, addressOf(icon));
    take(packAssets.meshes, name, model, async (r) => meshOf(await bytes(r)));
    take(packAssets.meshes, name, sprite, async (r) => spriteOf(await createImageBitmap(await r.blob())));
    take(packAssets.voices, name, voice, bytes);
  }
  for (const [name, { shot }] of Object.entries(index.weapons)) take(packAssets.shots, name, shot, bytes);
  await Promise.all(all);
}

/** A picture that lies over the ground, a plate for each pixel that can be seen. Its upper edge is the front. */
function spriteOf(picture: ImageBitmap): PackMesh {
  const { width, height } = picture;
  const canvas = new OffscreenCanvas(width, height);
  const ctx = canvas.getContext("2d");
  if (!ctx) throw new Error("no canvas");
  ctx.drawImage(picture, 0, 0);
  const { data } = ctx.getImageData(0, 0, width, height);
  const position: number[] = [];
  const color: number[] = [];
  const paint: number[] = [];
  const side = 2 / Math.max(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [r, g, b, a] = data.subarray(4 * (y * width + x));
      if (a < 128) continue;
      const front = (height / 2 - y) * side;
      const left = (x - width / 2) * side;
      const corners = [
        [front, left],
        [front - side, left],
        [front - side, left + side],
        [front, left + side],
      ];
      for (const k of [0, 2, 1, 0, 3, 2]) position.push(corners[k][0], SPRITE_TOP, corners[k][1]);
      const owned = r === 255 && g === 0 && b === 255;
      for (let k = 0; k < 6; k++) {
        color.push(linear(r / 255), linear(g / 255), linear(b / 255));
        paint.push(owned ? 1 : 0, 0, 0);
      }
    }
  }
  return packed(position, color, paint);
}
