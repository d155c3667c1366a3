// The sounds of an answer of a unit, an alert, and a bar of the music: notes
// as plain data, made from names by rules. game/sound.ts plays them.

import type { WeaponInfo } from "@fogkeep/client";
import { type WeaponSort, weaponSort } from "../draw/weapon";

export interface Note {
  readonly hz: number;
  /** Seconds from the first note. */
  readonly at: number;
  readonly seconds: number;
  /** Loudness, 0 to 1. */
  readonly loud: number;
  readonly wave: OscillatorType;
  /** Pitch at the end, as a share of `hz`; 1: it stays. */
  readonly slide: number;
}

/** The kind of an order: the tune follows from it. */
export type AnswerKind = "select" | "move" | "attack" | "stop" | "work" | "ability";

/** Steps of each tune in semitones over the voice's pitch; a short step is 0.07 s. */
const TUNES: Readonly<Record<AnswerKind, readonly number[]>> = {
  select: [0],
  move: [0, 4],
  attack: [7, 0],
  stop: [-5],
  work: [0, 2, 4],
  ability: [0, 7, 12],
};

const A3_HZ = 220;
const semitones = (hz: number, n: number): number => hz * 2 ** (n / 12);

/** A type as far as its voice depends on it. */
export interface Speaker {
  readonly name: string;
  readonly class: string;
  /** Tiles: larger units speak lower. */
  readonly radius: number;
  readonly worker: boolean;
  readonly weapons: readonly unknown[];
}

/** Notes of the pentatonic scale that voices stand on: any two sound well together. */
const PITCHES = [0, 2, 4, 7, 9];

/** The answer of a unit type to a kind of order. A type always has the same voice. */
export function answerNotes(type: Speaker, kind: AnswerKind): Note[] {
  const structure = type.class === "structure";
  const size = structure ? -12 : type.radius < 0.36 ? 12 : type.radius < 0.46 ? 5 : 0;
  const hz = semitones(A3_HZ, size + PITCHES[hash(type.name) % PITCHES.length]);
  const wave: OscillatorType = structure
    ? "sine"
    : type.worker || type.weapons.length === 0
      ? "triangle"
      : "square";
  // A square wave has more overtones: softer, it is as loud.
  const loud = wave === "square" ? 0.16 : 0.4;
  const step = kind === "attack" ? 0.06 : 0.075;
  return TUNES[kind].map((n, k, all) => ({
    hz: semitones(hz, n),
    at: k * step,
    seconds: k === all.length - 1 ? 0.14 : step,
    loud,
    wave,
    slide: kind === "stop" ? 0.84 : 1,
  }));
}

export type AlertKind =
  | "danger"
  | "base"
  | "capture"
  | "contact"
  | "ready"
  | "built"
  | "gained"
  | "taken"
  | "queueFull"
  | "short"
  | "ping"
  | "won"
  | "lost";

/** Semitones over A3, the length of a step and the wave. */
const ALERTS: Readonly<
  Record<AlertKind, readonly [steps: readonly number[], seconds: number, OscillatorType]>
> = {
  danger: [[15, 10, 15, 10], 0.13, "triangle"],
  base: [[15, 15, 9, 9], 0.16, "square"],
  capture: [[10, 13, 10, 13], 0.13, "triangle"],
  contact: [[19, 17], 0.2, "sine"],
  ready: [[12, 19], 0.14, "triangle"],
  built: [[12, 16, 19], 0.14, "triangle"],
  gained: [[7, 12, 19], 0.12, "triangle"],
  taken: [[15, 12, 8], 0.18, "triangle"],
  queueFull: [[7, 7], 0.1, "square"],
  short: [[5, 3], 0.12, "square"],
  ping: [[24, 24, 24], 0.08, "sine"],
  won: [[0, 4, 7, 12], 0.22, "triangle"],
  lost: [[12, 8, 5, 0], 0.26, "triangle"],
};

export function alertNotes(kind: AlertKind): Note[] {
  const [steps, seconds, wave] = ALERTS[kind];
  return steps.map((n, k) => ({
    hz: semitones(A3_HZ, n),
    at: k * seconds,
    seconds: seconds * 1.3,
    loud: wave === "square" ? 0.18 : 0.42,
    wave,
    slide: 1,
  }));
}

/** The sound of a shot: noise whose filter moves from one pitch to another, and notes. */
export interface ShotVoice {
  readonly noise: {
    readonly filter: "lowpass" | "bandpass";
    readonly hz: number;
    readonly toHz: number;
    readonly seconds: number;
    readonly loud: number;
  };
  readonly notes: readonly Note[];
}

const note = (
  hz: number,
  slide: number,
  seconds: number,
  loud: number,
  wave: OscillatorType = "sine",
): Note => ({
  hz,
  at: 0,
  seconds,
  loud,
  wave,
  slide,
});
const SHOTS: Readonly<Record<WeaponSort | "blast", ShotVoice>> = {
  blade: {
    noise: { filter: "bandpass", hz: 4200, toHz: 2600, seconds: 0.07, loud: 0.16 },
    notes: [note(1180, 0.97, 0.16, 0.07, "triangle"), note(1730, 0.98, 0.11, 0.04, "triangle")],
  },
  gun: {
    noise: { filter: "lowpass", hz: 3400, toHz: 500, seconds: 0.1, loud: 0.2 },
    notes: [note(190, 0.45, 0.06, 0.1)],
  },
  bolt: {
    noise: { filter: "bandpass", hz: 1500, toHz: 600, seconds: 0.1, loud: 0.05 },
    notes: [note(880, 0.3, 0.16, 0.08, "sawtooth")],
  },
  rocket: {
    noise: { filter: "bandpass", hz: 500, toHz: 2400, seconds: 0.4, loud: 0.24 },
    notes: [],
  },
  cannon: {
    noise: { filter: "lowpass", hz: 900, toHz: 120, seconds: 0.45, loud: 0.42 },
    notes: [note(110, 0.45, 0.32, 0.4)],
  },
  blast: {
    noise: { filter: "lowpass", hz: 800, toHz: 90, seconds: 0.6, loud: 0.55 },
    notes: [note(88, 0.5, 0.4, 0.3)],
  },
};
/** Damage of a weapon with the usual pitch; stronger ones sound lower. */
const USUAL_DAMAGE = 10;

/** A weapon, or a thing that blows up; undefined: a weapon that the rules do not have. */
export type Shooter = WeaponInfo | "blast" | undefined;

/** The sound of a shot of a number; shots differ a little. */
export function shotVoice(by: Shooter, count: number): ShotVoice {
  const weapon = by === "blast" ? undefined : by;
  const { noise, notes } = SHOTS[by === "blast" ? by : weapon ? weaponSort(weapon) : "gun"];
  const strength = weapon ? ((weapon.damage + USUAL_DAMAGE) / (2 * USUAL_DAMAGE)) ** -0.25 : 1;
  const pitch = semitones(strength, (hash(`shot ${count % 64}`) % 7) / 2 - 1.5);
  return {
    noise: { ...noise, hz: noise.hz * pitch, toHz: noise.toHz * pitch },
    notes: notes.map((n) => ({ ...n, hz: n.hz * pitch })),
  };
}

/** Seconds that a chord of the music sounds, in peace and in a fight; the next one begins before it has faded. */
export const BAR_SECONDS = 9;
export const FIGHT_BAR_SECONDS = 4.5;
/** Beats of the bass below a chord of a fight. */
export const FIGHT_BEATS = 8;
/** Notes of a chord. */
export const CHORD_NOTES = 4;
/** Chords in A minor, semitones over A2: each shares notes with those beside it. */
const CHORDS = [
  [0, 7, 12, 15],
  [-4, 3, 8, 12],
  [3, 10, 15, 19],
  [-2, 5, 10, 14],
  [5, 8, 12, 17],
];

/**
 * The chord of a bar, from 0: a slow walk through {@link CHORDS} that begins and often rests at home. In a fight the
 * chords are shorter, over a beating bass.
 */
export function chordNotes(bar: number, fight = false): Note[] {
  const chord = bar % 4 === 0 ? CHORDS[0] : CHORDS[hash(`bar ${bar}`) % CHORDS.length];
  const barSeconds = fight ? FIGHT_BAR_SECONDS : BAR_SECONDS;
  const notes = chord.map((n, k) => ({
    hz: semitones(A3_HZ / 2, n),
    // The notes come in one after the other.
    at: (k * barSeconds) / 15,
    seconds: barSeconds * 1.35,
    loud: 0.22 - 0.03 * k,
    wave: k === CHORD_NOTES - 1 ? ("sine" as const) : ("triangle" as const),
    slide: 1,
  }));
  if (!fight) return notes;
  const beats = Array.from({ length: FIGHT_BEATS }, (_, k) => ({
    hz: notes[0].hz,
    at: (k * barSeconds) / FIGHT_BEATS,
    seconds: 0.22,
    loud: k % 4 === 0 ? 0.3 : 0.2,
    wave: "square" as const,
    slide: 1,
  }));
  return [...notes, ...beats];
}

/** FNV-1a. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let k = 0; k < text.length; k++) h = Math.imul(h ^ text.charCodeAt(k), 0x01000193);
  return h >>> 0;
}
