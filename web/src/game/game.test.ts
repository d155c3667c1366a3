import { History, MatchState } from "@fogkeep/client";
import { info } from "@fogkeep/client/testing";
import { describe, expect, it, vi } from "vitest";
import { edgePoint } from "../hud/arrows";
import { Alerts } from "./alerts";
import { ConnectionStatus, words } from "./connectionstatus";
import { defaults, parse } from "./settings";

describe("Alerts", () => {
  const hidden = () => false;
  it("shows one event at one place once in ten seconds", () => {
    const a = new Alerts();
    expect(a.add("attacked", "!", true, 10, 10, 0, hidden)).not.toBeNull();
    expect(a.add("attacked", "!", true, 14, 12, 5000, hidden)).toBeNull();
    expect(a.add("attacked", "!", true, 60, 60, 5000, hidden)).not.toBeNull();
    expect(a.add("trained", "!", false, 10, 10, 5000, hidden)).not.toBeNull();
    expect(a.add("attacked", "!", true, 10, 10, 11_000, hidden)).not.toBeNull();
  });
  it("counts each thing that its events concern once", () => {
    const a = new Alerts();
    const first = a.add("attacked", "!", true, 10, 10, 0, hidden, 5);
    for (const unit of [5, 6, 6, 7]) a.add("attacked", "!", true, 10, 10, 100, hidden, unit);
    expect(a.again).toBe(first);
    expect(first?.concerned.size).toBe(3);
  });
  it("is silent about a fight that is on screen", () => {
    expect(new Alerts().add("attacked", "!", true, 0, 0, 0, () => true)).toBeNull();
  });
  it("goes back from the latest", () => {
    const a = new Alerts();
    for (let i = 0; i < 3; i++) a.add(`k${i}`, "", false, i, 0, i, hidden);
    expect([a.previous()?.x, a.previous()?.x, a.previous()?.x, a.previous()?.x]).toEqual([2, 1, 0, 2]);
  });
});

describe("a lost connection", () => {
  it("says what is held and when it is tried again", () => {
    expect(words(0, 0)).toBe("Connection lost, reconnecting…");
    expect(words(2100, 0)).toBe("Connection lost, reconnecting… Next try in 3 s.");
    expect(words(0, 2)).toBe("Connection lost, reconnecting… 2 orders are held back and will be sent.");
  });
  it("is shown after a second, and the page says when it is back, drawn or not", () => {
    vi.useFakeTimers();
    let told = (_: object) => {};
    const said: (string | null)[] = [];
    const match = {
      events: { on: (_: string, fn: typeof told) => (told = fn) },
      lastFrameMs: 0,
      unanswered: 0,
    };
    const hud = {
      connection: () => {},
      setBanner: (s: string | null) => said.push(s),
      alert: (s: string) => said.push(s),
    };
    const canvas = { classList: { toggle: () => {} } };
    const status = new ConnectionStatus(match as never, hud as never, canvas as never, () => {});
    const lose = (ms: number, drawn: boolean) => {
      said.length = 0;
      told({ now: "resuming" });
      vi.advanceTimersByTime(ms);
      if (drawn) status.update(performance.now());
      told({ now: "live" });
      status.update(performance.now());
      return said.slice();
    };
    expect(lose(900, true)).toEqual([]);
    expect(lose(1100, true).sort()).toEqual(["Connected again", "Connection lost, reconnecting…", null]);
    expect(lose(1100, false)).toEqual(["Connected again"]);
    vi.useRealTimers();
  });
});

describe("an arrow at the edge", () => {
  const page = { width: 1000, height: 700, inset: { top: 100, bottom: 200, side: 40 } };
  it("lies on the rim of what is free of panels, in the direction of the place", () => {
    expect(edgePoint(10, 0, page)).toMatchObject({ x: 960, y: 300, angle: 0 });
    expect(edgePoint(0, -3, page)).toMatchObject({ y: 100 });
    expect(edgePoint(0, 3, page)).toMatchObject({ y: 500 });
    for (let k = 0; k < 32; k++) {
      const p = edgePoint(Math.cos(k), Math.sin(k), page);
      expect(p.x).toBeGreaterThanOrEqual(39.9);
      expect(p.x).toBeLessThanOrEqual(960.1);
      expect(p.y).toBeGreaterThanOrEqual(99.9);
      expect(p.y).toBeLessThanOrEqual(500.1);
    }
  });
  it("is on the page also where the panels leave no room", () => {
    const p = edgePoint(1, 1, { width: 200, height: 150, inset: { top: 100, bottom: 200, side: 40 } });
    expect([p.x >= 0 && p.x <= 200, p.y >= 0 && p.y <= 150]).toEqual([true, true]);
  });
});

describe("History", () => {
  const played = (ticks: number) => {
    const s = new MatchState(info());
    const history = new History(s);
    s.mask.setVisible(5, true);
    for (s.world.tick = 0; s.world.tick < ticks; s.world.tick++) history.frame();
    return { s, history };
  };
  it("counts tiles, once a second", () => {
    const { history } = played(41);
    expect(history.ticks).toEqual([0, 20, 40]);
    expect([history.visible[2], history.explored[2]]).toEqual([1, 1]);
  });
  it("stays small in a long match, and covers all of it", () => {
    const { history } = played(20 * 60 * 60);
    expect(history.ticks.length).toBeLessThanOrEqual(240);
    expect(history.ticks[0]).toBe(0);
    expect(history.ticks[history.ticks.length - 1]).toBeGreaterThan(20 * 60 * 55);
    expect(history.visible.length).toBe(history.ticks.length);
  });
  it("goes back with a match that was taken up at an earlier tick", () => {
    const { s, history } = played(200);
    s.world.tick = 95;
    history.frame();
    expect(history.ticks).toEqual([0, 20, 40, 60, 80, 95]);
    expect(history.visible.length).toBe(6);
  });
});

describe("settings", () => {
  it("survive nonsense", () => {
    expect(parse("{")).toEqual(defaults());
    expect(parse("[1]")).toEqual(defaults());
    expect(
      parse(
        '{"scale":99,"preset":"x","panSpeed":"fast","own":{"grid":{"attack":["KeyX"],"nope":["KeyY"]},"classic":7,"stop":["KeyJ"]}}',
      ),
    ).toEqual({
      ...defaults(),
      scale: 1.6,
      own: { grid: { attack: ["KeyX"] } },
    });
  });
});
