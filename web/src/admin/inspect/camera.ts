// Which part of a map a canvas shows: a point of the map in the middle, and how
// large a tile is. Pure: views of one match share one camera.

/** `x`, `y` in tiles, in the middle of the view; `zoom` in CSS pixels a tile. */
export interface Camera {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
}

/** CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The largest tile, in CSS pixels. */
export const ZOOM_MAX = 64;
/** Room around the whole map, in CSS pixels. */
const MARGIN = 8;

/** The whole map; `map` in tiles. */
export function wholeMap(map: Size, view: Size): Camera {
  const zoom = Math.min((view.width - 2 * MARGIN) / map.width, (view.height - 2 * MARGIN) / map.height);
  return { x: map.width / 2, y: map.height / 2, zoom: Math.min(ZOOM_MAX, Math.max(0.1, zoom)) };
}

/** Where a point of the view is on the map. */
export const toMap = (c: Camera, view: Size, p: Point): Point => ({
  x: c.x + (p.x - view.width / 2) / c.zoom,
  y: c.y + (p.y - view.height / 2) / c.zoom,
});

/** Where a point of the map is in the view. */
export const toView = (c: Camera, view: Size, p: Point): Point => ({
  x: (p.x - c.x) * c.zoom + view.width / 2,
  y: (p.y - c.y) * c.zoom + view.height / 2,
});

/** Moved by so many CSS pixels, as a hand moves paper. */
export const pan = (c: Camera, dx: number, dy: number, map: Size): Camera =>
  within({ ...c, x: c.x - dx / c.zoom, y: c.y - dy / c.zoom }, map);

/** Larger by a factor; what is at `at` stays there. Never smaller than half of the whole map. */
export function zoomAt(c: Camera, factor: number, at: Point, view: Size, map: Size): Camera {
  const least = Math.min(ZOOM_MAX, wholeMap(map, view).zoom / 2);
  const zoom = Math.min(ZOOM_MAX, Math.max(least, c.zoom * factor));
  const fixed = toMap(c, view, at);
  return within(
    {
      x: fixed.x - (at.x - view.width / 2) / zoom,
      y: fixed.y - (at.y - view.height / 2) / zoom,
      zoom,
    },
    map,
  );
}

/** The same camera if a point of the map is well inside of the view, else one with it in the middle. */
export function reveal(c: Camera, p: Point, view: Size, map: Size): Camera {
  const at = toView(c, view, p);
  const edge = Math.min(view.width, view.height) / 8;
  const seen = at.x >= edge && at.y >= edge && at.x <= view.width - edge && at.y <= view.height - edge;
  return seen ? c : within({ ...c, x: p.x, y: p.y }, map);
}

/** The largest zoom of a frame around points. */
const FRAME_MAX = 24;

/** A camera that has all points well inside of the view. */
export function frame(points: readonly Point[], view: Size, map: Size): Camera {
  const [xs, ys] = [points.map((p) => p.x), points.map((p) => p.y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const room = 0.6;
  const zoom = Math.min(
    FRAME_MAX,
    (view.width * room) / Math.max(1, right - left),
    (view.height * room) / Math.max(1, bottom - top),
  );
  const least = wholeMap(map, view).zoom;
  return { x: (left + right) / 2, y: (top + bottom) / 2, zoom: Math.max(least, zoom) };
}

/** The middle of the view stays on the map. */
const within = (c: Camera, map: Size): Camera => ({
  ...c,
  x: Math.min(map.width, Math.max(0, c.x)),
  y: Math.min(map.height, Math.max(0, c.y)),
});
