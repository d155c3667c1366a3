// A custom renderer, in SVG. Two instances draw one match: the field around the own base, and the whole map.
// Each reads the world and the fog for itself, and neither disturbs the other.

import { Client, mostCentral, PoseColumns, typeOf } from "@fogkeep/client";

/** @typedef {import("@fogkeep/client").Match} Match */

class Renderer {
  poses = new PoseColumns();
  /** The shape of each entity in sight. @type {Map<number, SVGElement>} */
  shapes = new Map();
  /** @type {Map<number, SVGElement>} */
  ghosts = new Map();
  /** One for each row of tiles. @type {Map<number, SVGElement>} */
  fog = new Map();
  /** The fog as this renderer drew it last. */
  revision = -1;
  changed = new Uint32Array(1 << 14);

  /**
   * @param {Match} match
   * @param {Element} svg
   */
  constructor(match, svg) {
    this.match = match;
    this.svg = svg;
    const { width, height } = match.info.map;
    const ground = this.add(this.fog, -1, "rect", "ground");
    for (const [name, side] of Object.entries({ width, height })) ground.setAttribute(name, String(side));
    const { events } = match.state;
    events.on("leave", ({ id }) => this.remove(this.shapes, id));
    events.on("reset", () => {
      for (const id of this.shapes.keys()) if (!match.state.world.has(id)) this.remove(this.shapes, id);
    });
    events.on("ghost", (g) => {
      const shape = this.add(this.ghosts, g.id, "rect", "ghost");
      place(shape, g.x / 1024, g.y / 1024, typeOf(match.info.rules, g.type).radius);
    });
    events.on("unghost", ({ id }) => this.remove(this.ghosts, id));
  }

  /** Shows so many tiles around a place. */
  look(/** @type {number} */ x, /** @type {number} */ z, /** @type {number} */ tiles) {
    this.svg.setAttribute("viewBox", `${x - tiles / 2} ${z - tiles / 2} ${tiles} ${tiles}`);
  }

  draw() {
    const { state, info } = this.match;
    const rows = this.match.sample(this.poses);
    for (let k = 0; k < rows; k++) {
      const slot = this.poses.slot[k];
      const id = state.world.ids[slot];
      const type = typeOf(info.rules, state.world.type[slot]);
      const shape =
        this.shapes.get(id) ??
        this.add(this.shapes, id, type.class === "structure" ? "rect" : "circle", state.relation(slot));
      place(shape, this.poses.x[k], this.poses.z[k], type.radius);
    }
    this.drawFog();
  }

  drawFog() {
    const { mask } = this.match.state;
    // Only the rows that changed since this renderer looked; all rows the first time.
    const n = this.revision < 0 ? -1 : mask.changed(this.revision, this.changed);
    const rows = new Set();
    for (let y = 0; n < 0 && y < mask.height; y++) rows.add(y);
    for (let k = 0; k < n; k++) rows.add(Math.floor(this.changed[k] / mask.width));
    for (const y of rows) this.drawRow(y);
    this.revision = mask.revision;
  }

  /** Covers the tiles of a row that are not visible. */
  drawRow(/** @type {number} */ y) {
    const { mask } = this.match.state;
    const row = this.fog.get(y) ?? this.add(this.fog, y, "path", "fog");
    let path = "";
    for (let x = 0; x < mask.width; x++) if (!mask.visibleAt(x, y)) path += `M${x} ${y}h1v1h-1z`;
    row.setAttribute("d", path);
  }

  /**
   * @param {Map<number, SVGElement>} of
   * @param {number} id
   * @param {"rect" | "circle" | "path"} kind
   * @param {string} look
   */
  add(of, id, kind, look) {
    this.remove(of, id);
    const shape = document.createElementNS("http://www.w3.org/2000/svg", kind);
    shape.setAttribute("class", look);
    of.set(id, shape);
    this.svg.append(shape);
    return shape;
  }

  remove(/** @type {Map<number, SVGElement>} */ of, /** @type {number} */ id) {
    of.get(id)?.remove();
    of.delete(id);
  }
}

/**
 * @param {SVGElement} shape
 * @param {number} x
 * @param {number} z
 * @param {number} radius
 */
function place(shape, x, z, radius) {
  const sides = {
    cx: x,
    cy: z,
    r: radius,
    x: x - radius,
    y: z - radius,
    width: 2 * radius,
    height: 2 * radius,
  };
  const names =
    shape.tagName === "rect"
      ? /** @type {const} */ (["x", "y", "width", "height"])
      : /** @type {const} */ (["cx", "cy", "r"]);
  for (const name of names) shape.setAttribute(name, String(sides[name]));
}

const client = new Client({
  server: new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8080",
});
await client.guest();
const match = await client.play((await client.playBot("easy")).id);
const [field, minimap] = [...document.querySelectorAll("svg")].map((svg) => new Renderer(match, svg));
await match.events.next("frame");
const { x, z } = mostCentral(match.state) ?? { x: 0, z: 0 };
field.look(x, z, 40);
const { width, height } = match.info.map;
minimap.look(width / 2, height / 2, Math.max(width, height));
for (let frame = 0; ; frame++) {
  await new Promise(requestAnimationFrame);
  field.draw();
  if (frame % 15 === 0) minimap.draw();
}
