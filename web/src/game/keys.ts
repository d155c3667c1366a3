// The keyboard in a match: actions by their keys, control groups, saved views,
// and the camera while its keys are held.

import type { Handle } from "../base/ids";
import { OrderKind } from "../gen/fogkeep/v1/client_pb.js";
import { type Action, actionOf } from "../input/hotkeys";
import { letters } from "../input/letters";
import type { Hands } from "./hands";
import { ownHandles, type Parts } from "./parts";

const EDGE_PX = 6;
/** Work for as long as they are held. */
const HELD: ReadonlySet<Action> = new Set(["panUp", "panDown", "panLeft", "panRight", "zoomIn", "zoomOut"]);
/** A notch of the wheel. */
const NOTCH_MS = 90;
const BUTTON_KEYS = new Set(["Enter", "NumpadEnter", "Space", "Tab"]);
const CLICK_TWICE_MS = 400;
const GROUP_TWICE_MS = 400;

/** What keys do beyond the field. */
export interface Opens {
  menu(): void;
  figures(): void;
  /** A spectator's eyes, by number. */
  eyes(key: number): void;
  /** The focus to the next panel, or the one before. */
  panels(step: 1 | -1): void;
  /** The focus back to the field. */
  field(): void;
}

export class Keys {
  /** A key was pressed: this player has a keyboard, and perhaps nothing else. */
  used = false;
  private lastClickMs = -1e9;
  private readonly held = new Set<string>();
  private lastGroup = { n: -1, ms: -1e9 };
  private readonly savedViews: ({ x: number; z: number; distance: number } | null)[] = [
    null,
    null,
    null,
    null,
  ];
  private nextBase = 0;
  private idleAt = 0;

  constructor(
    private readonly parts: Parts,
    private readonly hands: Hands,
    private readonly opens: Opens,
    signal: AbortSignal,
  ) {
    void letters.ask();
    window.addEventListener("keydown", (e) => this.keyDown(e), { signal });
    window.addEventListener("keyup", (e) => this.held.delete(e.code), { signal });
    // A key let go of elsewhere would be held forever.
    window.addEventListener("blur", () => this.held.clear(), { signal });
  }

  private keyDown(e: KeyboardEvent): void {
    const el = e.target as HTMLElement | null;
    if (el && (el.tagName === "INPUT" || el.tagName === "TEXTAREA" || el.tagName === "SELECT")) return;
    if (document.querySelector("dialog[open]")) return;
    letters.learn(e);
    this.used = true;
    if (el?.matches("button:focus-visible")) {
      // A button that was gone to by keyboard takes the keys that buttons take.
      if (BUTTON_KEYS.has(e.code)) return;
      if (e.code === "Escape") {
        e.preventDefault();
        this.opens.field();
        if (!this.hands.mode) return; // what waits for a click is left as well
      }
    }
    if (e.code.startsWith("Digit") && this.groupKey(e, Number(e.code.slice(5)))) return;
    if (/^F[1-4]$/.test(e.code)) {
      this.viewKey(e, Number(e.code.slice(1)) - 1);
      return;
    }
    if ((e.ctrlKey || e.metaKey) && e.code !== "ControlLeft") return;
    const action = actionOf(this.parts.bindings(), e.code);
    const lasts = action !== null && HELD.has(action);
    if (!lasts && !e.repeat) {
      const command = this.parts.card.byCode(e.code);
      if (command) {
        e.preventDefault();
        this.hands.runCommand(command, e.shiftKey);
        return;
      }
    }
    if (!action) return;
    this.held.add(e.code);
    e.preventDefault();
    if (!lasts && !e.repeat) this.act(action, e.shiftKey);
  }

  private act(action: Action, shift: boolean): void {
    const { match } = this.parts;
    switch (action) {
      case "cancel":
        if (this.hands.mode) this.hands.setMode(null);
        else if (this.parts.card.menuOpen) this.parts.card.menuOpen = false;
        else this.parts.selection.clear();
        return;
      case "subgroup":
        this.parts.selection.cycle(shift ? -1 : 1);
        return;
      case "lastAlert": {
        const a = this.parts.alerts().walk();
        if (a) this.parts.renderer.camera.go(a.x, a.z);
        return;
      }
      case "toSelection":
        this.goTo(this.parts.selection.handles);
        return;
      case "nextBase": {
        const bases = ownHandles(
          this.parts.match.state,
          (t) => t.class === "structure" && t.trains.length > 0,
        );
        if (bases.length > 0) this.goTo([bases[this.nextBase++ % bases.length]]);
        return;
      }
      case "army":
        this.parts.selection.set(
          ownHandles(this.parts.match.state, (t) => t.class === "unit" && !t.worker && t.weapons.length > 0),
        );
        return;
      case "idleWorker": {
        const idle = ownHandles(this.parts.match.state, (t) => t.worker).filter((u) => {
          const doing = match.state.own.units.get(u)?.doing ?? OrderKind.UNSPECIFIED;
          return doing === OrderKind.UNSPECIFIED || doing === OrderKind.STOP;
        });
        if (idle.length === 0) return;
        const next = idle[this.idleAt++ % idle.length];
        this.parts.selection.set([next]);
        this.goTo([next]);
        return;
      }
      case "clickHere": {
        const now = performance.now();
        const double = now - this.lastClickMs < CLICK_TWICE_MS;
        this.lastClickMs = double ? -1e9 : now;
        this.hands.clickHere(shift, double);
        return;
      }
      case "orderHere":
        this.hands.orderHere(shift);
        return;
      case "nextPanel":
        this.opens.panels(shift ? -1 : 1);
        return;
      case "pingMode":
        this.parts.pings.ask();
        return;
      case "chat":
        // Who looks on is not heard.
        if (match.info.spectator) return;
        this.parts.hud.openChat(shift, (line) => {
          void match.say(line, shift).answer.then((a) => {
            if (!a.ok) this.parts.hud.alert(`Not said. ${a.text}`, "info", () => undefined);
          });
        });
        return;
      case "menu":
        this.opens.menu();
        return;
      case "debug":
        this.opens.figures();
        return;
    }
  }

  private groupKey(e: KeyboardEvent, n: number): boolean {
    e.preventDefault();
    if (this.parts.match.info.spectator) {
      this.opens.eyes(n);
      return true;
    }
    const now = performance.now();
    if (e.ctrlKey || e.altKey || e.metaKey) {
      this.parts.selection.assign(n);
      return true;
    }
    if (e.shiftKey) {
      this.parts.selection.join(n);
      return true;
    }
    if (this.lastGroup.n === n && now - this.lastGroup.ms < GROUP_TWICE_MS)
      this.goTo(this.parts.selection.groups[n]);
    else this.hands.recall(n);
    this.lastGroup = { n, ms: now };
    return true;
  }

  private viewKey(e: KeyboardEvent, n: number): void {
    e.preventDefault();
    const { camera } = this.parts.renderer;
    if (e.ctrlKey) {
      this.savedViews[n] = { x: camera.x, z: camera.z, distance: camera.distance };
      return;
    }
    const v = this.savedViews[n];
    if (!v) return;
    camera.distance = v.distance;
    camera.go(v.x, v.z);
  }

  moveCamera(dt: number): void {
    const s = this.parts.settings.value;
    const { camera } = this.parts.renderer;
    if (this.actionHeld("zoomIn")) camera.zoom(-dt / NOTCH_MS, 0, 0);
    if (this.actionHeld("zoomOut")) camera.zoom(dt / NOTCH_MS, 0, 0);
    let dx = 0;
    let dz = 0;
    if (this.actionHeld("panLeft")) dx--;
    if (this.actionHeld("panRight")) dx++;
    if (this.actionHeld("panUp")) dz--;
    if (this.actionHeld("panDown")) dz++;
    const p = this.hands.pointer.at;
    const kept = document.fullscreenElement !== null || document.pointerLockElement !== null;
    const edges = s.edgeScroll === "always" || (s.edgeScroll === "fullscreen" && kept);
    if (edges && p) {
      if (p.x < EDGE_PX) dx--;
      if (p.x > innerWidth - EDGE_PX) dx++;
      if (p.y < EDGE_PX) dz--;
      if (p.y > innerHeight - EDGE_PX) dz++;
    }
    if (dx === 0 && dz === 0) return;
    const step = (s.panSpeed * (camera.height / 26) * dt) / 1000 / Math.hypot(dx, dz);
    camera.pan(dx * step, dz * step);
  }

  actionHeld(action: Action): boolean {
    for (const code of this.parts.bindings()[action]) if (this.held.has(code)) return true;
    return false;
  }

  private goTo(handles: Iterable<Handle>): void {
    const c = this.parts.selection.center(handles);
    if (c) this.parts.renderer.camera.go(c.x, c.z);
  }
}
