import type { WeaponInfo } from "@fogkeep/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { BUSES, type Volumes } from "./settings";
import { Sound, VOICES_MAX } from "./sound";
import {
  type AlertKind,
  type AnswerKind,
  alertNotes,
  answerNotes,
  BAR_SECONDS,
  chordNotes,
  FIGHT_BAR_SECONDS,
  shotVoice,
} from "./voices";

const scout = { name: "scout", class: "unit", radius: 0.3, worker: false, weapons: [1] };
const worker = { name: "worker", class: "unit", radius: 0.4, worker: true, weapons: [] };
const artillery = { name: "artillery", class: "unit", radius: 0.5, worker: false, weapons: [1] };
const KINDS: AnswerKind[] = ["select", "move", "attack", "stop", "work", "ability"];
const ALERTS: AlertKind[] = [
  "danger",
  "base",
  "capture",
  "contact",
  "ready",
  "built",
  "gained",
  "taken",
  "queueFull",
  "short",
  "ping",
  "won",
  "lost",
];

describe("voices", () => {
  it("are a type's own, and tell the kinds of orders apart", () => {
    const hz = (t: typeof scout) => answerNotes(t, "select")[0].hz;
    expect(hz(scout)).toBeGreaterThan(hz(artillery));
    expect(answerNotes(worker, "move")[0].wave).not.toBe(answerNotes(scout, "move")[0].wave);
    expect(answerNotes(scout, "move")).toEqual(answerNotes({ ...scout }, "move"));
    const tunes = KINDS.map((k) => JSON.stringify(answerNotes(scout, k)));
    expect(new Set(tunes).size).toBe(KINDS.length);
    expect(new Set(ALERTS.map((k) => JSON.stringify(alertNotes(k)))).size).toBe(ALERTS.length);
  });
  it("of weapons differ by sort, strength and from shot to shot", () => {
    const weapon = (w: object) =>
      ({ range: 5000, splash: 0, damage: 10, projectile: true, homing: true, ...w }) as WeaponInfo;
    const rifle = weapon({ projectile: false });
    const blade = weapon({ projectile: false, range: 500 });
    const rocket = weapon({ splash: 800 });
    const cannon = weapon({ splash: 800, homing: false });
    const all = [rifle, blade, weapon({}), rocket, cannon, "blast"] as const;
    expect(new Set(all.map((w) => JSON.stringify(shotVoice(w, 0)))).size).toBe(all.length);
    const strong = { ...rifle, damage: 60 };
    expect(shotVoice(strong, 0).noise.hz).toBeLessThan(shotVoice(rifle, 0).noise.hz);
    expect(new Set(Array.from({ length: 20 }, (_, k) => shotVoice(rifle, k).noise.hz)).size).toBeGreaterThan(
      3,
    );
    expect(shotVoice(undefined, 0)).toEqual(shotVoice(rifle, 0));
  });
  it("are short, soft and in the range that a person hears well", () => {
    const short = [
      ...KINDS.flatMap((k) => answerNotes(scout, k)),
      ...KINDS.flatMap((k) => answerNotes(artillery, k)),
    ];
    const chords = Array.from({ length: 50 }, (_, bar) => chordNotes(bar, bar > 24)).flat();
    for (const n of [...short, ...ALERTS.flatMap(alertNotes), ...chords]) {
      expect(n.hz).toBeGreaterThan(80);
      expect(n.hz).toBeLessThan(2000);
      expect(n.loud).toBeLessThan(0.5);
    }
    for (const n of short) expect(n.at + n.seconds).toBeLessThan(0.5);
  });
});

/** Counts what would be heard: notes by the gain that they are joined to. */
class FakeContext {
  currentTime = 0;
  sampleRate = 1000;
  destination = { name: "out" };
  started: { stop(): void; out: unknown }[] = [];
  gains: FakeNode[] = [];
  createGain() {
    const g = new FakeNode();
    this.gains.push(g);
    return g;
  }
  createOscillator() {
    const node = new FakeNode();
    const { started } = this;
    return Object.assign(node, {
      frequency: new FakeParam(),
      start: () => started.push({ stop: () => (node as { onended?: () => void }).onended?.(), out: node }),
      stop: () => undefined,
    });
  }
  createBufferSource = () => this.createOscillator();
  createBiquadFilter = () => Object.assign(new FakeNode(), { frequency: new FakeParam() });
  createStereoPanner = () => Object.assign(new FakeNode(), { pan: new FakeParam() });
  createBuffer = () => ({ getChannelData: () => new Float32Array(4) });
  close = async () => undefined;
  /** All notes end. */
  end() {
    for (const s of this.started.splice(0)) s.stop();
  }
}
class FakeParam {
  value = 0;
  setValueAtTime(v: number) {
    this.value = v;
  }
  setTargetAtTime(v: number) {
    this.value = v;
  }
  linearRampToValueAtTime() {}
  exponentialRampToValueAtTime() {}
}
class FakeNode {
  gain = new FakeParam();
  connect = (to: unknown) => to;
}

describe("the mixer", () => {
  const all = (v: Partial<Volumes> = {}): Volumes => ({
    master: 1,
    effects: 1,
    interface: 1,
    units: 1,
    alerts: 1,
    music: 0,
    ...v,
  });
  let now = 0;
  let fake: FakeContext;
  let sound: Sound;
  beforeEach(() => {
    vi.useFakeTimers();
    fake = new FakeContext();
    now = 0;
    sound = new Sound(
      () => fake as unknown as AudioContext,
      () => now,
    );
  });
  afterEach(() => {
    sound.dispose();
    vi.useRealTimers();
  });

  it("plays nothing before a gesture, or at volume 0", () => {
    sound.setVolumes(all());
    sound.tick();
    expect(fake.started.length).toBe(0);
    sound.wake();
    sound.setVolumes(all({ units: 0 }));
    sound.answer(scout, "move");
    expect(fake.started.length).toBe(0);
    sound.tick();
    expect(fake.started.length).toBe(1);
  });
  it("has a volume for each bus, and mutes all", () => {
    sound.setVolumes(all({ master: 0.5, alerts: 0.8 }));
    sound.wake();
    const [master, ...buses] = fake.gains.map((g) => g.gain);
    expect(master.value).toBeCloseTo(0.25);
    expect(buses[BUSES.indexOf("alerts")].value).toBeCloseTo(0.64);
    sound.mute(true);
    expect(master.value).toBe(0);
    sound.mute(false);
    expect(master.value).toBeCloseTo(0.25);
  });
  it("lets units answer a few times a second, not at each order", () => {
    sound.setVolumes(all());
    sound.wake();
    for (now = 0; now < 1000; now += 10) {
      sound.answer(scout, "stop");
      fake.end();
    }
    expect(now).toBe(1000);
    let heard = 0;
    for (now = 2000; now < 3000; now += 10) {
      sound.answer(scout, "stop");
      heard += fake.started.length;
      fake.end();
    }
    expect(heard).toBe(3);
  });
  it("says an alert of a kind once in a while, and another kind at once", () => {
    sound.setVolumes(all());
    sound.wake();
    sound.alert("ready");
    sound.alert("ready");
    expect(fake.started.length).toBe(alertNotes("ready").length);
    sound.alert("ping");
    expect(fake.started.length).toBe(alertNotes("ready").length + alertNotes("ping").length);
  });
  it("bounds the voices of each bus", () => {
    sound.setVolumes(all({ music: 1 }));
    sound.wake();
    for (let k = 0; k < 100; k++) {
      now += 1000;
      sound.tick();
      sound.answer(scout, "ability");
      sound.alert("danger");
      vi.advanceTimersByTime(BAR_SECONDS * 1000);
    }
    for (const bus of BUSES) expect(sound.sounding(bus), bus).toBeLessThanOrEqual(VOICES_MAX[bus]);
    expect(sound.sounding("music")).toBe(VOICES_MAX.music);
    fake.end();
    for (const bus of BUSES) expect(sound.sounding(bus), bus).toBe(0);
  });
  it("plays music while its volume is not 0", () => {
    sound.setVolumes(all());
    sound.wake();
    vi.advanceTimersByTime(60_000);
    expect(fake.started.length).toBe(0);
    sound.setVolumes(all({ music: 0.3 }));
    expect(fake.started.length).toBe(chordNotes(0).length);
    vi.advanceTimersByTime(BAR_SECONDS * 1000);
    expect(fake.started.length).toBe(2 * chordNotes(0).length);
    sound.setVolumes(all());
    fake.end();
    vi.advanceTimersByTime(60_000);
    expect(fake.started.length).toBe(0);
  });
  it("lets thunder carry many shots, each softer than a single one", () => {
    sound.setVolumes(all());
    sound.wake();
    vi.stubGlobal("document", { hidden: false });
    const heard = () => {
      sound.shot(undefined, 0, 0);
      const loudest = Math.max(...fake.gains.slice(BUSES.length + 1).map((g) => g.gain.value));
      fake.gains.length = BUSES.length + 1;
      const voices = fake.started.length;
      fake.end();
      return { loudest, voices };
    };
    const first = heard();
    for (let k = 0; k < 20; k++) heard();
    const later = heard();
    expect(later.loudest).toBeLessThan(first.loudest);
    now += 1000;
    expect(heard().voices).toBe(first.voices + 1);
    vi.unstubAllGlobals();
  });
  it("follows a fight with its music, and lets it go some seconds after the last shot", () => {
    sound.setVolumes(all({ music: 1 }));
    for (let k = 0; k < 8; k++) sound.shot(undefined, 0, 0.5);
    sound.wake();
    expect(fake.started.length).toBe(chordNotes(0, true).length);
    fake.end();
    now += 20_000;
    vi.advanceTimersByTime(FIGHT_BAR_SECONDS * 1000);
    expect(fake.started.length).toBe(chordNotes(1).length);
    fake.end();
    vi.stubGlobal("document", { hidden: true });
    for (let k = 0; k < 3; k++) sound.shot("blast", 0, 0.5);
    vi.unstubAllGlobals();
    vi.advanceTimersByTime(BAR_SECONDS * 1000);
    expect(fake.started.length, "a few shots are no fight").toBe(chordNotes(2).length);
  });
});
