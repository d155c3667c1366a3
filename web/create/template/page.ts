// A client on a 2D canvas: the ground under its fog, and a mark for all that is in sight.
// Left button: selects the player's own things near the place. Right button: attacks an enemy there, else moves.

import { CLIFF, Client, PLAYER_COLORS, PoseColumns, posOf, typeOf, WATER } from "@fogkeep/client";

const [canvas] = document.getElementsByTagName("canvas");
const [output] = document.getElementsByTagName("output");
const g = canvas.getContext("2d")!;
const client = new Client({ server: import.meta.env.VITE_SERVER ?? "http://127.0.0.1:8080" });
await client.guest();
const match = await client.play((await client.playBot("easy")).id);
const { state, info } = match;
const { world, mask } = state;
const { width, height, terrain } = info.map;
const scale = canvas.width / Math.max(width, height);
const pixels = new ImageData(width, height);
const poses = new PoseColumns();
let selected: number[] = [];

async function draw() {
  for (let i = 0; i < width * height; i++) {
    const color = terrain[i] === WATER ? [40, 70, 110] : terrain[i] === CLIFF ? [90, 85, 80] : [80, 100, 60];
    const light = mask.visible(i) ? 1 : mask.explored(i) ? 0.5 : 0.2;
    pixels.data.set([...color.map((c) => c * light), 255], 4 * i);
  }
  g.drawImage(await createImageBitmap(pixels), 0, 0, width * scale, height * scale);
  const rows = match.sample(poses);
  for (let k = 0; k < rows; k++) {
    const slot = poses.slot[k];
    const size = scale * Math.max(1, 2 * typeOf(info.rules, world.type[slot]).radius);
    const left = poses.x[k] * scale - size / 2;
    const top = poses.z[k] * scale - size / 2;
    g.fillStyle = PLAYER_COLORS[info.players[world.owner[slot]]?.color] ?? "#ccc";
    g.fillRect(left, top, size, size);
    g.strokeStyle = selected.includes(world.ids[slot]) ? "#fff" : "transparent";
    g.strokeRect(left, top, size, size);
  }
  requestAnimationFrame(draw);
}

canvas.oncontextmenu = (e) => e.preventDefault();
canvas.onpointerdown = async (e) => {
  const tiles = canvas.width / canvas.clientWidth / scale;
  const to = posOf(e.offsetX * tiles, e.offsetY * tiles);
  const near = [...world.ids].filter((id) => {
    const slot = world.slot(id);
    return slot >= 0 && Math.hypot(world.posX(slot) - to.x, world.posY(slot) - to.y) < 4 * 1024;
  });
  if (e.button === 0) selected = near.filter((id) => state.relation(world.slot(id)) === "own");
  if (e.button === 0) output.value = `${selected.length} selected`;
  if (e.button !== 2) return;
  const target = near.find((id) => state.relation(world.slot(id)) === "enemy");
  const units = selected;
  const sent = match.order(target ? { do: "attack", units, target } : { do: "move", units, to });
  const answer = await sent.answer;
  output.value = answer.ok ? `${units.length} on their way` : answer.code;
};
draw();
