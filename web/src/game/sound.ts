// Synthesized sounds: filtered noise for shots, two tones for an alert. Every
// alert is also shown on the screen.

const VOICES_MAX = 24;

export class Sound {
  private context: AudioContext | null = null;
  private noise: AudioBuffer | null = null;
  private voices = 0;
  volume = 0.5;

  /** Browsers allow sound only after a gesture of the user. */
  wake(): void {
    if (this.context || this.volume === 0 || typeof AudioContext === "undefined") return;
    this.context = new AudioContext();
    this.noise = this.context.createBuffer(1, this.context.sampleRate / 2, this.context.sampleRate);
    const data = this.noise.getChannelData(0);
    let seed = 1;
    for (let i = 0; i < data.length; i++) {
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
      data[i] = seed / 2147483648;
    }
  }

  /** A shot or a blast: pan -1 to 1, far 0 to 1. */
  burst(pan: number, far: number, big: boolean): void {
    const c = this.context;
    if (!c || !this.noise || this.voices >= VOICES_MAX || document.hidden) return;
    const source = c.createBufferSource();
    source.buffer = this.noise;
    source.loop = true;
    const filter = c.createBiquadFilter();
    filter.type = "lowpass";
    filter.frequency.value = (big ? 700 : 2200) * (1 - 0.7 * far);
    const gain = c.createGain();
    const length = big ? 0.5 : 0.09;
    const loud = this.volume * (big ? 0.3 : 0.09) * (1 - 0.75 * far);
    gain.gain.setValueAtTime(loud, c.currentTime);
    gain.gain.exponentialRampToValueAtTime(0.0004, c.currentTime + length);
    const panner = c.createStereoPanner();
    panner.pan.value = Math.max(-1, Math.min(1, pan));
    source.connect(filter).connect(gain).connect(panner).connect(c.destination);
    this.start(source, length);
  }

  /** Two tones: falling for danger, rising for good news. */
  tones(danger: boolean): void {
    this.tone(danger ? 520 : 440, 0);
    this.tone(danger ? 390 : 660, 0.14);
  }

  tick(): void {
    this.tone(760, 0, 0.05, 0.05);
  }

  dispose(): void {
    void this.context?.close();
    this.context = null;
  }

  private tone(hz: number, after: number, loud = 0.12, length = 0.16): void {
    const c = this.context;
    if (!c || this.voices >= VOICES_MAX) return;
    const o = c.createOscillator();
    o.type = "triangle";
    o.frequency.value = hz;
    const gain = c.createGain();
    const at = c.currentTime + after;
    gain.gain.setValueAtTime(0, c.currentTime);
    gain.gain.setValueAtTime(this.volume * loud, at);
    gain.gain.exponentialRampToValueAtTime(0.0004, at + length);
    o.connect(gain).connect(c.destination);
    this.start(o, after + length);
  }

  private start(node: AudioScheduledSourceNode, seconds: number): void {
    this.voices++;
    node.onended = () => {
      this.voices--;
    };
    node.start();
    node.stop((this.context?.currentTime ?? 0) + seconds + 0.02);
  }
}
