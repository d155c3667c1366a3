import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { socketAddress } from "./address.js";

interface Row {
  told: string;
  over: string;
  address: string;
}

describe("an address that a server names", () => {
  it("is followed as the table for all clients says", () => {
    const file = new URL("../../../../proto/testdata/addresses.json", import.meta.url);
    const rows: Row[] = JSON.parse(readFileSync(file, "utf8"));
    expect(rows.length).toBeGreaterThan(20);
    for (const r of rows) expect(socketAddress(r.told, r.over), r.told).toBe(r.address);
  });

  it("is bounded", () => {
    const long = `https://${"a".repeat(600)}.example.org`;
    expect(socketAddress(long, "wss://x/ws")).toBe("");
  });
});
