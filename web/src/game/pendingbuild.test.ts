import type { Answer } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { PendingBuild } from "./pendingbuild";

const turn = () => new Promise((r) => setTimeout(r, 0));

describe("a building site that was asked for", () => {
  it("waits for its answer, and then for another click", async () => {
    const site = new PendingBuild();
    let answer: (a: Answer) => void = () => undefined;
    const said: boolean[] = [];
    site.ask(new Promise<Answer>((r) => (answer = r)), (ok) => said.push(ok));
    expect(site.waits).toBe(true);
    answer({ ok: false, code: "BAD_PLACE" });
    await turn();
    expect([site.waits, said]).toEqual([false, [false]]);
  });
  it("says nothing of one that was forgotten", async () => {
    const site = new PendingBuild();
    const said: boolean[] = [];
    site.ask(Promise.resolve<Answer>({ ok: true, leftOut: [] }), (ok) => said.push(ok));
    site.forget();
    await turn();
    expect([site.waits, said]).toEqual([false, []]);
  });
});
