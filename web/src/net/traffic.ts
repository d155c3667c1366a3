// Counts what comes over the socket, by part of the frame.

const PARTS: Record<number, string> = {
  1: "header",
  2: "header",
  3: "leave",
  4: "enter",
  5: "motion",
  6: "health",
  7: "flags",
  8: "destroyed",
  9: "amount",
  10: "burst",
  11: "ghosts",
  12: "mask",
  13: "mask hash",
  14: "events",
  15: "sights",
  16: "players",
  17: "chat",
  18: "pings",
  19: "exact",
  20: "answers",
  21: "own",
  30: "welcome",
  31: "ended",
  32: "closing",
};

export class Traffic {
  inBytes = 0;
  outBytes = 0;
  frames = 0;
  sent = 0;
  readonly byKind: Record<string, number> = {};

  /** Bytes received in the last whole second. */
  inPerSecond = 0;
  private secondAt = 0;
  private secondBytes = 0;

  received(bytes: Uint8Array, nowMs: number): void {
    this.inBytes += bytes.length;
    this.frames++;
    if (nowMs - this.secondAt >= 1000) {
      this.inPerSecond = this.secondBytes;
      this.secondBytes = 0;
      this.secondAt = nowMs;
    }
    this.secondBytes += bytes.length;
    measure(bytes, this.byKind);
  }

  posted(bytes: Uint8Array): void {
    this.outBytes += bytes.length;
    this.sent++;
  }
}

/** Adds the size of each top-level field of an encoded message to `byKind`. */
export function measure(bytes: Uint8Array, byKind: Record<string, number>): void {
  let at = 0;
  const varint = (): number => {
    let v = 0;
    let scale = 1;
    while (at < bytes.length) {
      const b = bytes[at++];
      v += (b & 0x7f) * scale;
      if (b < 0x80) break;
      scale *= 128;
    }
    return v;
  };
  while (at < bytes.length) {
    const from = at;
    const tag = varint();
    const wire = tag & 7;
    if (wire === 0) varint();
    else if (wire === 1) at += 8;
    else if (wire === 2) {
      const n = varint(); // moves `at` itself
      at += n;
    } else if (wire === 5) at += 4;
    else return;
    const part = PARTS[tag >>> 3] ?? `field ${tag >>> 3}`;
    byKind[part] = (byKind[part] ?? 0) + Math.min(at, bytes.length) - from;
  }
}
