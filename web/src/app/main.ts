import { Stage } from "../render/stage";
import { Diorama } from "./diorama";

const canvas = document.createElement("canvas");
canvas.style.cssText = "position:fixed;inset:0;width:100vw;height:100vh;display:block";
document.body.style.margin = "0";
document.body.append(canvas);
const d = new Diorama();
const s = new Stage(canvas, d.state);
s.resize(innerWidth, innerHeight);
const q = new URLSearchParams(location.search);
s.eye.distance = Number(q.get("d") ?? 26);
s.eye.jump(Number(q.get("x") ?? 36), Number(q.get("z") ?? 37));
const view = { selected: new Set([3, 4]), hover: 1, bars: "hurt" as const, relations: false };
let last = performance.now();
function frame() {
  const now = performance.now();
  const dt = Math.min(100, now - last);
  last = now;
  s.draw(d.step(now), dt, view);
  (window as any).frames = ((window as any).frames ?? 0) + 1;
  (window as any).stage = s;
  requestAnimationFrame(frame);
}
frame();
