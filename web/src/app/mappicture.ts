import { ACCENT } from "../draw/palette";
import { landscape } from "../draw/topdown";
import { loadMap } from "../net/maps";
import { decodeMap } from "../state/map";

/** Reads a map from the server and draws it from above, with its starts. */
export async function mapPicture(hash: string): Promise<HTMLCanvasElement> {
  const map = decodeMap(await loadMap(hash));
  const canvas = landscape(map);
  const ctx = canvas.getContext("2d");
  if (!ctx) return canvas;
  ctx.fillStyle = ACCENT;
  for (const t of map.starts) {
    ctx.beginPath();
    ctx.arc(t.x + 0.5, t.y + 0.5, Math.max(2, map.width / 40), 0, Math.PI * 2);
    ctx.fill();
  }
  return canvas;
}
