// A shape for each player's colour, since not everyone can tell colours apart.
// The field, the minimap and lists use the same eight. The second eight players have
// the colours of the first, each with another shape.

/** Corners within -1 to 1, y down; the disc is many corners. */
const SHAPES: readonly (readonly (readonly [number, number])[])[] = [
  ring(16, 0.9, 0),
  ring(3, 1, -0.25),
  [
    [-0.8, -0.8],
    [0.8, -0.8],
    [0.8, 0.8],
    [-0.8, 0.8],
  ],
  ring(4, 1, 0),
  [
    [-0.33, -1],
    [0.33, -1],
    [0.33, -0.33],
    [1, -0.33],
    [1, 0.33],
    [0.33, 0.33],
    [0.33, 1],
    [-0.33, 1],
    [-0.33, 0.33],
    [-1, 0.33],
    [-1, -0.33],
    [-0.33, -0.33],
  ],
  star(),
  ring(6, 0.95, 0),
  [
    [-1, -0.4],
    [1, -0.4],
    [1, 0.4],
    [-1, 0.4],
  ],
];

/** Which of the shapes a colour's number has. */
export const shapeOf = (color: number): number => (color + Math.floor(color / SHAPES.length)) % SHAPES.length;

/** SVG path data in a box of -1 to 1. */
export function emblemPath(color: number): string {
  const points = SHAPES[shapeOf(color)];
  return `M${points.map(([x, y]) => `${x.toFixed(3)} ${y.toFixed(3)}`).join("L")}Z`;
}

/** Adds the shape to a canvas path. */
export function traceEmblem(
  ctx: CanvasRenderingContext2D,
  color: number,
  x: number,
  y: number,
  half: number,
): void {
  const points = SHAPES[shapeOf(color)];
  ctx.beginPath();
  for (const [px, py] of points) ctx.lineTo(x + px * half, y + py * half);
  ctx.closePath();
}

function ring(n: number, r: number, turn: number): [number, number][] {
  return Array.from({ length: n }, (_, k) => {
    const a = (k / n + turn) * Math.PI * 2;
    return [Math.cos(a) * r, Math.sin(a) * r];
  });
}

function star(): [number, number][] {
  return Array.from({ length: 10 }, (_, k) => {
    const a = (k / 10 - 0.25) * Math.PI * 2;
    const r = k % 2 === 0 ? 1 : 0.45;
    return [Math.cos(a) * r, Math.sin(a) * r];
  });
}
