// The marks of a selection on the map: lines of sight, circles of sources,
// tiles. Plain data, made of the server's answers.

import { ACCENT, DANGER, GOOD } from "../../draw/palette";
import type { ClientRow, Entity, EntityFile, Eye, Known, OrderRow, TileFile, TilePoint } from "./shapes";
import { orderName } from "./words";

export type Mark =
  | {
      readonly kind: "line";
      readonly from: TilePoint;
      readonly to: TilePoint;
      readonly color: string;
      readonly dashed?: boolean;
    }
  | {
      readonly kind: "circle";
      readonly x: number;
      readonly y: number;
      readonly radius: number;
      readonly color: string;
    }
  | {
      readonly kind: "tiles";
      readonly tiles: readonly TilePoint[];
      readonly color: string;
      readonly fill?: boolean;
    }
  | {
      readonly kind: "words";
      readonly x: number;
      readonly y: number;
      readonly words: string;
      readonly color: string;
    };

/** The middle of a tile. */
export const middle = (tile: TilePoint): TilePoint => ({ x: tile.x + 0.5, y: tile.y + 0.5 });

/** The sight of one eye: its circle, and the line to what it is asked about. */
function sightOf(eye: Eye, to: TilePoint, line: readonly TilePoint[] | undefined, sees: boolean): Mark[] {
  const color = sees ? GOOD : DANGER;
  const marks: Mark[] = [];
  const at = middle(eye);
  if (line?.length) marks.push({ kind: "tiles", tiles: line, color });
  if (eye.radius > 0) marks.push({ kind: "circle", ...at, radius: eye.radius, color });
  marks.push({ kind: "line", from: at, to, color, dashed: !sees });
  return marks;
}

/** Why a team sees an entity or not, drawn: who looks, along which line, and what is in the way. */
export function marksOfEntity(file: EntityFile, at: TilePoint, team: number): Mark[] {
  const why = file.teams.find((t) => t.team === team);
  if (!why) return [];
  const marks: Mark[] = [];
  for (const eye of why.eyes)
    if (eye.source !== why.by?.source && eye.radius > 0)
      marks.push({ kind: "circle", ...middle(eye), radius: eye.radius, color: `${GOOD}55` });
  if (why.by) marks.push(...sightOf(why.by, at, why.line, why.seen));
  if (why.blocked) {
    const { x, y, stands } = why.blocked;
    marks.push({ kind: "tiles", tiles: [{ x, y }], color: DANGER, fill: true });
    marks.push({ kind: "words", x: x + 0.5, y, words: `blocked: ${stands} high`, color: DANGER });
  }
  return marks;
}

/** A team's sources of sight near a tile: whether each lights it, or else its blocker. */
export function marksOfTile(file: TileFile): Mark[] {
  const at = { x: file.x + 0.5, y: file.y + 0.5 };
  const marks: Mark[] = [];
  // Many units may light a tile: the nearest are drawn.
  for (const s of file.sources.slice(0, 8)) marks.push(...sightOf(s.eye, at, s.line, true));
  if (file.sources.length === 0)
    for (const n of file.not.slice(0, 3)) {
      marks.push(...sightOf(n.eye, at, undefined, false));
      if (n.blocked) marks.push({ kind: "tiles", tiles: [n.blocked], color: DANGER, fill: true });
    }
  marks.push({ kind: "tiles", tiles: [{ x: file.x, y: file.y }], color: ACCENT });
  return marks;
}

/** An order, drawn: from each of its units to where it points. A refused one is red. */
export function marksOfOrder(o: OrderRow, find: (id: number) => Entity | null): Mark[] {
  const color = o.code === "OK" ? GOOD : DANGER;
  const target = o.target === undefined ? null : find(o.target);
  const to = o.x !== undefined && o.y !== undefined ? { x: o.x, y: o.y } : target;
  if (!to) return [];
  const marks: Mark[] = [];
  for (const id of o.units) {
    const unit = find(id);
    if (unit)
      marks.push({ kind: "line", from: { x: unit.x, y: unit.y }, to, color, dashed: o.code !== "OK" });
  }
  marks.push({ kind: "circle", x: to.x, y: to.y, radius: 0.6, color });
  marks.push({
    kind: "words",
    x: to.x,
    y: to.y - 0.6,
    words: o.code === "OK" ? orderName(o) : `${orderName(o)}: ${o.code}`,
    color,
  });
  return marks;
}

/** The colours of what a client lacks. */
export const LACKS: Record<ClientRow["what"] | "behind", string> = {
  enter: DANGER,
  change: ACCENT,
  gone: "#b9a3ff",
  behind: "#6cc4ff",
};

/**
 * The entities that a team may know and its clients lack, each in its place: entities that the server holds back, and, smaller,
 * entities that were sent and are not applied yet. An entity that two clients lack is drawn once.
 */
export function marksOfKnown(known: Known, find: (id: number) => Entity | null): Mark[] {
  const marks = new Map<string, Mark>();
  const circle = (x: number, y: number, radius: number, color: string) =>
    marks.set(`${x} ${y} ${color}`, { kind: "circle", x, y, radius, color });
  for (const c of known.clients) {
    for (const r of c.rows) circle(r.x, r.y, 0.9, LACKS[r.what]);
    for (const id of [...(c.behind?.entered ?? []), ...(c.behind?.changed ?? [])]) {
      const e = find(id);
      if (e) circle(e.x, e.y, 0.6, LACKS.behind);
    }
  }
  return [...marks.values()];
}
