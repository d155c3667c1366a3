// Synthesized sound: a mixer with a bus for each kind of sound. Filtered noise and notes for
// shots by the sort of the weapon, short tunes for the answers of units and for alerts, slow chords for the
// music. Every alert is also shown on the screen.
//
//	effects ─┐
//	interface┤
//	units ───┼─► master ─► loudspeaker
//	alerts ──┤
//	music ───┘

import { packAssets } from "../draw/pack";
import { BUSES, type Bus, type Volumes } from "./settings";
import {
  type AlertKind,
  type AnswerKind,
  alertNotes,
  answerNotes,
  BAR_SECONDS,
  CHORD_NOTES,
  chordNotes,
  FIGHT_BAR_SECONDS,
  FIGHT_BEATS,
  type Note,
  type Shooter,
  type ShotVoice,
  type Speaker,
  shotVoice,
} from "./voices";

/** The most voices of a bus at a time; further ones are not played. */
export const VOICES_MAX: Readonly<Record<Bus, number>> = {
  effects: 28,
  interface: 2,
  units: 3,
  alerts: 8,
  music: 3 * CHORD_NOTES + FIGHT_BEATS,
};
/** Between two answers of units, and two alerts of a kind. */
const ANSWER_PERIOD_MS = 350;
const ALERT_PERIOD_MS = 700;
/** The music takes so many shots near the camera, each forgotten by half in {@link FORGET_MS}, for a fight. */
const FIGHT_SHOTS = 6;
const FORGET_MS = 5000;
/** So many shots of late are a crowd, under which thunder rolls. */
const CROWD_SHOTS = 12;
const THUNDER_PERIOD_MS = 900;
const THUNDER = { filter: "lowpass", hz: 220, toHz: 60, seconds: 1.3, loud: 0.5 } as const;
/** The same volume sounds half as loud at a quarter of the gain. */
const gainOf = (volume: number): number => volume * volume;

export class Sound {
  private context: AudioContext | null = null;
  private noise: AudioBuffer | null = null;
  private readonly gains = new Map<Bus | "master", GainNode>();
  private readonly voices: Record<Bus, number> = { effects: 0, interface: 0, units: 0, alerts: 0, music: 0 };
  private volumes: Volumes = { master: 0.5, effects: 1, interface: 1, units: 1, alerts: 1, music: 0 };
  private muted = false;
  private lastAnswerMs = Number.NEGATIVE_INFINITY;
  private readonly lastAlertMs = new Map<AlertKind, number>();
  private musicTimer: ReturnType<typeof setTimeout> | undefined;
  private bar = 0;
  /** Shots of late, and the time of that number. */
  private readonly heat = { shots: 0, ms: 0 };
  private shots = 0;
  private thunderMs = Number.NEGATIVE_INFINITY;
  /** Of the pack's files, decoded. */
  private readonly samples = new WeakMap<ArrayBuffer, Promise<AudioBuffer>>();

  constructor(
    private readonly make: () => AudioContext | null = () =>
      typeof AudioContext === "undefined" ? null : new AudioContext(),
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Browsers allow sound only after a gesture of the user. */
  wake(): void {
    if (this.context || this.volumes.master === 0) return;
    const c = this.make();
    if (!c) return;
    this.context = c;
    this.noise = noiseOf(c);
    const master = c.createGain();
    master.connect(c.destination);
    this.gains.set("master", master);
    for (const bus of BUSES) {
      const gain = c.createGain();
      gain.connect(master);
      this.gains.set(bus, gain);
    }
    this.applyVolumes();
    this.playMusic();
  }

  setVolumes(volumes: Volumes): void {
    this.volumes = volumes;
    this.applyVolumes();
    this.playMusic();
  }

  /** Mutes all sound, as long as the page is hidden for example. */
  mute(muted: boolean): void {
    this.muted = muted;
    this.applyVolumes();
  }

  /** A shot, by the weapon's sound in the pack or its sort. Pan -1 to 1, far 0 to 1. */
  shot(by: Shooter, pan: number, far: number): void {
    const shots = this.noteShot();
    if (!this.context || document.hidden) return;
    const sound = typeof by === "object" && packAssets.shots.get(by.name);
    // Many shots are one roar: each is softer, and low thunder carries them.
    const loud = (1 - 0.75 * far) / Math.sqrt(1 + shots / CROWD_SHOTS);
    if (sound) {
      this.sample("effects", sound, pan, 0.5 * loud);
      return;
    }
    const { noise, notes } = shotVoice(by, this.shots);
    this.rush(noise, pan, far, loud);
    this.play(
      "effects",
      notes.map((n) => ({ ...n, loud: n.loud * loud })),
      0.004,
      pan,
    );
    if (shots < CROWD_SHOTS || this.now() - this.thunderMs < THUNDER_PERIOD_MS) return;
    this.thunderMs = this.now();
    this.rush(THUNDER, pan / 2, 0, Math.min(1, shots / (4 * CROWD_SHOTS)));
  }

  /** Filtered noise; a far sound is dull. */
  private rush(noise: ShotVoice["noise"], pan: number, far: number, loud: number): void {
    const c = this.context;
    if (!c || !this.noise || !this.free("effects")) return;
    const source = c.createBufferSource();
    source.buffer = this.noise;
    source.loop = true;
    const filter = c.createBiquadFilter();
    filter.type = noise.filter;
    const dull = 1 - 0.7 * far;
    filter.frequency.setValueAtTime(noise.hz * dull, c.currentTime);
    filter.frequency.exponentialRampToValueAtTime(noise.toHz * dull, c.currentTime + noise.seconds);
    const gain = c.createGain();
    gain.gain.setValueAtTime(noise.loud * loud, c.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.0004, c.currentTime + noise.seconds);
    source.connect(filter).connect(gain).connect(pannerOf(c, pan)).connect(this.gains.get("effects")!);
    this.start("effects", source, c.currentTime, noise.seconds);
  }

  /** The music follows the shots. */
  private noteShot(): number {
    this.shots++;
    this.heat.shots = this.shotsOfLate() + 1;
    this.heat.ms = this.now();
    return this.heat.shots;
  }

  private shotsOfLate(): number {
    return this.heat.shots * 0.5 ** ((this.now() - this.heat.ms) / FORGET_MS);
  }

  /** Plays a sound of a pack; one that the browser cannot decode is silent. */
  private sample(bus: Bus, file: ArrayBuffer, pan: number, loud: number): void {
    const c = this.context;
    if (!c || document.hidden || !this.free(bus)) return;
    let buffer = this.samples.get(file);
    if (!buffer) {
      buffer = c.decodeAudioData(file.slice(0));
      this.samples.set(file, buffer);
    }
    void buffer.then(
      (decoded) => {
        if (this.context !== c) return;
        const source = c.createBufferSource();
        source.buffer = decoded;
        const gain = c.createGain();
        gain.gain.value = loud;
        source.connect(gain).connect(pannerOf(c, pan)).connect(this.gains.get(bus)!);
        this.start(bus, source, c.currentTime, decoded.duration);
      },
      () => undefined,
    );
  }

  /** A unit answers to an order, or to being selected; not more than three times a second. */
  answer(type: Speaker, kind: AnswerKind): void {
    if (this.now() - this.lastAnswerMs < ANSWER_PERIOD_MS) return;
    this.lastAnswerMs = this.now();
    const voice = packAssets.voices.get(type.name);
    if (voice) {
      this.sample("units", voice, 0, 0.6);
      return;
    }
    this.play("units", answerNotes(type, kind));
  }

  alert(kind: AlertKind): void {
    if (this.now() - (this.lastAlertMs.get(kind) ?? Number.NEGATIVE_INFINITY) < ALERT_PERIOD_MS) return;
    this.lastAlertMs.set(kind, this.now());
    this.play("alerts", alertNotes(kind));
  }

  /** A click of the interface: an order was given, or refused. */
  tick(): void {
    this.play("interface", [{ hz: 760, at: 0, seconds: 0.05, loud: 0.12, wave: "triangle", slide: 1 }]);
  }

  dispose(): void {
    clearTimeout(this.musicTimer);
    this.musicTimer = undefined;
    void this.context?.close();
    this.context = null;
  }

  /** How many voices of a bus sound now. */
  sounding(bus: Bus): number {
    return this.voices[bus];
  }

  private applyVolumes(): void {
    const at = this.context?.currentTime ?? 0;
    for (const [bus, gain] of this.gains) {
      const volume = bus === "master" && this.muted ? 0 : this.volumes[bus];
      gain.gain.setTargetAtTime(gainOf(volume), at, 0.03);
    }
  }

  /** Begins the music, one chord after another, or ends it when its volume is 0. */
  private playMusic(): void {
    const wanted = this.context !== null && this.volumes.music > 0 && this.volumes.master > 0;
    if (!wanted) {
      clearTimeout(this.musicTimer);
      this.musicTimer = undefined;
      return;
    }
    if (this.musicTimer !== undefined) return;
    const fight = this.shotsOfLate() >= FIGHT_SHOTS;
    this.play("music", chordNotes(this.bar++, fight), fight ? 0.03 : BAR_SECONDS * 0.35);
    this.musicTimer = setTimeout(
      () => {
        this.musicTimer = undefined;
        this.playMusic();
      },
      (fight ? FIGHT_BAR_SECONDS : BAR_SECONDS) * 1000,
    );
  }

  /** `fadeIn` is how long a note takes to its full loudness, in seconds. */
  private play(bus: Bus, notes: readonly Note[], fadeIn = 0.008, pan = 0): void {
    const c = this.context;
    let out: AudioNode | undefined = this.gains.get(bus);
    if (!c || !out || this.volumes[bus] === 0 || notes.length === 0) return;
    if (pan !== 0) {
      const panner = pannerOf(c, pan);
      panner.connect(out);
      out = panner;
    }
    for (const n of notes) {
      if (!this.free(bus)) return;
      const o = c.createOscillator();
      const at = c.currentTime + n.at;
      o.type = n.wave;
      o.frequency.setValueAtTime(n.hz, at);
      if (n.slide !== 1) o.frequency.exponentialRampToValueAtTime(n.hz * n.slide, at + n.seconds);
      const gain = c.createGain();
      gain.gain.setValueAtTime(0, at);
      gain.gain.linearRampToValueAtTime(n.loud, at + Math.min(fadeIn, n.seconds / 2));
      gain.gain.exponentialRampToValueAtTime(0.0004, at + n.seconds);
      o.connect(gain).connect(out);
      this.start(bus, o, at, n.seconds);
    }
  }

  private free(bus: Bus): boolean {
    return this.voices[bus] < VOICES_MAX[bus];
  }

  private start(bus: Bus, node: AudioScheduledSourceNode, at: number, seconds: number): void {
    this.voices[bus]++;
    node.onended = () => {
      this.voices[bus]--;
    };
    node.start(at);
    node.stop(at + seconds + 0.02);
  }
}

function pannerOf(c: AudioContext, pan: number): StereoPannerNode {
  const panner = c.createStereoPanner();
  panner.pan.value = Math.max(-1, Math.min(1, pan));
  return panner;
}

/** Half a second of noise, always the same. */
function noiseOf(c: AudioContext): AudioBuffer {
  const noise = c.createBuffer(1, c.sampleRate / 2, c.sampleRate);
  const data = noise.getChannelData(0);
  let seed = 1;
  for (let i = 0; i < data.length; i++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    data[i] = seed / 2147483648;
  }
  return noise;
}
