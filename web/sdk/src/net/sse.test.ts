import { describe, expect, it } from "vitest";
import { EventReader, type ServerEvent } from "./sse.js";

const STREAM =
  ': a comment\nid: 7\nevent: lobby\ndata: {"a":\ndata:  1}\n\nevent: chat\r\ndata:x\r\n\r\ndata\r\rretry: 5\nevent: nothing\n\n';
const EVENTS: ServerEvent[] = [
  { kind: "lobby", data: '{"a":\n 1}', id: "7" },
  { kind: "chat", data: "x", id: "7" },
  { kind: "message", data: "", id: "7" },
];

describe("server-sent events", () => {
  it("are read from pieces of any size", () => {
    for (const size of [1, 2, 3, 7, STREAM.length]) {
      const got: ServerEvent[] = [];
      const reader = new EventReader((e) => got.push(e));
      for (let at = 0; at < STREAM.length; at += size) reader.read(STREAM.slice(at, at + size));
      expect(got, `pieces of ${size}`).toEqual(EVENTS);
    }
  });
  it("are refused when they are too long, in one line or in many", () => {
    const piece = "x".repeat(1 << 16);
    for (const text of [piece, `data: ${piece}\n`]) {
      const reader = new EventReader(() => undefined);
      expect(() => {
        for (let k = 0; k < 40; k++) reader.read(text);
      }).toThrow(/too long/);
    }
  });
});
