// Server-sent events over fetch. An EventSource would do in browsers, but it sends
// no bearer token, and Node 20 lacks it.

/** One event of a stream. */
export interface ServerEvent {
  readonly kind: string;
  readonly data: string;
  /** The last id of the stream so far; or empty. */
  readonly id: string;
}

/** The longest event that is read, in characters. A lobby's is far shorter. */
const EVENT_MAX = 1 << 20;

/** Reads events from pieces of text as the WHATWG's HTML standard states it (9.2.6). */
export class EventReader {
  private line = "";
  private kind = "";
  private data: string[] = [];
  private size = 0;
  private id = "";
  private afterReturn = false;

  constructor(private readonly take: (e: ServerEvent) => void) {}

  /** Throws a RangeError for an event that is too long. */
  read(text: string): void {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const c = text[at];
      if (c !== "\n" && c !== "\r") {
        this.afterReturn = false;
        continue;
      }
      const second = c === "\n" && this.afterReturn;
      this.afterReturn = c === "\r";
      if (!second) this.endLine(this.line + text.slice(from, at));
      this.line = "";
      from = at + 1;
    }
    this.line += text.slice(from);
    if (this.line.length + this.size > EVENT_MAX) throw new RangeError("the event is too long");
  }

  private endLine(line: string): void {
    if (line === "") {
      if (this.data.length > 0)
        this.take({ kind: this.kind || "message", data: this.data.join("\n"), id: this.id });
      this.kind = "";
      this.data = [];
      this.size = 0;
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
    if (field === "event") this.kind = value;
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "data") {
      this.data.push(value);
      this.size += value.length;
    }
  }
}
