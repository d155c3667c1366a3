// Pictures of maps, drawn from above with their starts.

import { decodeMap, loadMap, type MapInfo } from "@fogkeep/client";
import { useEffect, useRef } from "preact/hooks";
import { ACCENT } from "../draw/palette";
import { landscape } from "../draw/topdown";

/** The pictures that were drawn, by the map's hash. */
const drawn = new Map<string, Promise<HTMLCanvasElement>>();

/** Reads a map's public form by its hash. */
export type MapLoader = (hash: string) => Promise<Uint8Array>;

/** Reads a map and draws it; each map once. */
function pictureOf(hash: string, load: MapLoader): Promise<HTMLCanvasElement> {
  let picture = drawn.get(hash);
  if (!picture) {
    picture = load(hash).then(draw);
    picture.catch(() => drawn.delete(hash));
    drawn.set(hash, picture);
  }
  return picture;
}

function draw(bytes: Uint8Array): HTMLCanvasElement {
  const map = decodeMap(bytes);
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

interface Props {
  map: Pick<MapInfo, "hash" | "width" | "height">;
  /** Without it the map comes from the server. */
  load?: MapLoader;
}

/** The picture of a map. It is read once it comes into view: a server may have many maps. */
export function MapPicture({ map, load = loadMap }: Props) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (!canvas) return;
    let gone = false;
    const show = async () => {
      const picture = await pictureOf(map.hash, load);
      if (gone) return;
      canvas.width = picture.width;
      canvas.height = picture.height;
      canvas.getContext("2d")?.drawImage(picture, 0, 0);
    };
    const seen = new IntersectionObserver((all) => {
      if (!all.some((e) => e.isIntersecting)) return;
      seen.disconnect();
      show().catch(() => undefined); // the page works without the picture
    });
    seen.observe(canvas);
    return () => {
      gone = true;
      seen.disconnect();
    };
  }, [map.hash, load]);
  return (
    <div class="map-picture" aria-hidden="true">
      <canvas ref={ref} width={map.width} height={map.height} />
    </div>
  );
}
