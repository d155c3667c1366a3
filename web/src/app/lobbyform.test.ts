import { type FormField, type Options, type OptionWishes, optionWishesForm } from "@fogkeep/client";
import { describe, expect, it } from "vitest";
import { passwordToSend } from "./lobbyform";
import { hostWaitsFor } from "./lobbyview";
import { formWith, optionsLine, optionsOf, rulesetLabel } from "./optionfields";

describe("the rules of a lobby, in a line", () => {
  const plain = {
    mode: "skirmish",
    ruleset: "skirmish",
    abandonMinutes: 5,
    countdownSeconds: 0,
    revealOnFire: true,
    whitelist: [],
    scoreLimit: 0,
    speedPercent: 100,
    ticksPerSecond: 20,
    timeLimitMinutes: 0,
    occlusion: "map",
    teams: "each",
    replays: "participants",
    chatHistory: false,
    openOtherTeams: false,
    leavers: "rules",
    votes: "all",
    voteQuorum: 66,
    voteCooldown: 60,
    bytesPerS: 0,
    spectators: 4,
    spectatorDelay: 60,
  } satisfies Options;
  it("say what differs, and who may watch", () => {
    expect(optionsLine(plain)).toBe("Skirmish · Speed: Normal · Up to 4 spectators, 60 s delayed");
    expect(optionsLine({ ...plain, speedPercent: 150, timeLimitMinutes: 20, spectators: 0 })).toBe(
      "Skirmish · Speed: Fast · Time limit: 20 min, then the higher score wins · No spectators",
    );
    expect(optionsLine({ ...plain, seed: "42" })).toMatch(/ · Fixed seed 42: everyone can foresee/);
    expect(optionsLine({ ...plain, mode: "deathmatch", scoreLimit: 20 })).toMatch(/^Deathmatch to 20 · /);
    expect(optionsLine({ ...plain, speedPercent: 70, occlusion: "none", spectatorDelay: 0 })).toBe(
      "Skirmish · Speed: 70 % · Line of sight: Nothing blocks it · Up to 4 spectators, live",
    );
    expect(optionsLine({ ...plain, replays: "link" })).toMatch(
      / · Everyone with the link may watch the replay$/,
    );
    expect(optionsLine({ ...plain, replays: "off" })).toMatch(/ · No replay$/);
    expect(optionsLine({ ...plain, teams: "coop", bytesPerS: 8000, chatHistory: true })).toBe(
      "Skirmish · Teams: Together against bots · Speed: Normal · Up to 4 spectators, 60 s delayed · Earlier chat is shown to players who join later · Up to 8 KB/s for each player",
    );
  });
});

describe("an option that the API describes", () => {
  const form: FormField[] = [
    { name: "mode", type: "string", label: "Mode", default: "skirmish", choices: [["skirmish", "Skirmish"]] },
    {
      name: "lives",
      type: "number",
      label: "Lives",
      default: 3,
      minimum: 1,
      maximum: 9,
      modes: ["last-man"],
    },
    { name: "night", type: "boolean", label: "Night", default: false },
  ];
  it("is sent, and as its default in a mode that does not have it", () => {
    expect(optionsOf({ mode: "last-man", lives: "5", night: true }, form)).toEqual({
      mode: "last-man",
      lives: 5,
      night: true,
    });
    expect(optionsOf({ mode: "skirmish", lives: "5", night: false }, form)).toEqual({
      mode: "skirmish",
      lives: 3,
      night: false,
    });
  });
  it("is in the line of the rules when it is not the default", () => {
    const options = (more: object) => ({ mode: "skirmish", scoreLimit: 0, ...more }) as Options;
    expect(optionsLine(options({ lives: 3 }), form)).toBe("Skirmish");
    expect(optionsLine(options({ lives: 5, night: true }), form)).toBe("Skirmish · Lives: 5 · Night: on");
  });
  it("is in the host's form if it has a label", () => {
    const names = ["mode", "scoreLimit", "speedPercent", "occlusion", "timeLimitMinutes", "spectators"];
    expect(optionWishesForm.map((f) => f.name)).toEqual(expect.arrayContaining([...names, "spectatorDelay"]));
  });
});

describe("the rulesets of a server", () => {
  const of = (...ids: string[]) => ids.map((id) => ({ id, name: id, hash: "" }));
  const field = (...ids: string[]) => formWith(of(...ids), []).find((f) => f.name === "ruleset");
  it("are offered where there is a choice", () => {
    expect(field()).toBeUndefined();
    expect(field("skirmish")).toBeUndefined();
    expect(field("skirmish", "my-duel")?.choices).toEqual([
      ["skirmish", "Skirmish"],
      ["my-duel", "My duel"],
    ]);
    expect(
      optionsOf({ mode: "skirmish", ruleset: "my-duel" }, formWith(of("skirmish", "my-duel"), [])).ruleset,
    ).toBe("my-duel");
    expect("ruleset" in optionsOf({ mode: "skirmish" }, formWith([], []))).toBe(false);
  });
  it("of a pack have its title", () => {
    const [plain, wet, dry] = [
      { id: "my-duel", name: "duel", hash: "" },
      { id: "marsh", name: "marsh", hash: "", pack: "The Marsh" },
      { id: "marsh-dry", name: "dry-land", hash: "", pack: "The Marsh" },
    ] as const;
    expect(rulesetLabel(plain, [plain, wet])).toBe("My duel");
    expect(rulesetLabel(wet, [plain, wet])).toBe("The Marsh");
    expect(rulesetLabel(dry, [plain, wet, dry])).toBe("The Marsh: Dry land");
  });
  it("are named when another than the usual one is played", () => {
    const form = optionWishesForm.filter((f) => f.name === "ruleset");
    expect(optionsLine({ ruleset: "my-duel" } as Options, form)).toBe("Ruleset: My duel");
    expect(optionsLine({ ruleset: "skirmish" } as Options, form)).toBe("");
  });
});

describe("the modes of a server", () => {
  const choices = (...modes: string[]) => formWith([], modes).find((f) => f.name === "mode")?.choices;
  it("are offered, those that its program has added after the others", () => {
    expect(choices("deathmatch", "king-of-the-hill", "skirmish")).toEqual([
      ["skirmish", "Skirmish"],
      ["deathmatch", "Deathmatch"],
      ["king-of-the-hill", "King of the hill"],
    ]);
    expect(choices()).toEqual(choices("deathmatch", "skirmish"));
    const duel = [{ id: "duel", name: "Duel", hash: "", modes: ["hill"] }];
    const modes = (ruleset: string) => formWith(duel, [], ruleset).find((f) => f.name === "mode")?.choices;
    expect(modes("duel")).toEqual([...choices()!, ["hill", "Hill"]]);
    expect(modes("skirmish")).toEqual(choices());
    expect(optionsOf({ mode: "king-of-the-hill" }, formWith([], ["king-of-the-hill"])).mode).toBe(
      "king-of-the-hill",
    );
  });
  it("are named in the line of the rules", () => {
    const form = optionWishesForm.filter((f) => f.name === "mode");
    expect(optionsLine({ mode: "king-of-the-hill", scoreLimit: 0 } as Options, form)).toBe(
      "King of the hill",
    );
  });
  it("may have the options of any mode", () => {
    const wishes: Pick<OptionWishes, "mode" | "scoreLimit"> = { mode: "king-of-the-hill", scoreLimit: 50 };
    expect(optionsOf({ ...wishes })).toMatchObject(wishes);
    expect(optionsOf({ mode: "skirmish", scoreLimit: 50 }).scoreLimit).toBe(0);
  });
});

describe("a lobby's password", () => {
  it("stays unless another is written or it is removed", () => {
    expect([passwordToSend("", false), passwordToSend("tide", false), passwordToSend("", true)]).toEqual([
      undefined,
      "tide",
      "",
    ]);
    expect(passwordToSend("typed before the box was ticked", true)).toBe("");
  });
});

describe("what the host waits for", () => {
  const seat = (kind: "player" | "bot" | "open", ready = false, team = 1) =>
    ({ slot: 0, kind, team, color: 0, ready }) as const;
  const host = { ...seat("player", false, 0), account: { id: "host", name: "Ada" } };
  const waitsFor = (...others: ReturnType<typeof seat>[]) =>
    hostWaitsFor({ host: "host", seats: [host, ...others] });
  it("is somebody else, another team, and then everybody", () => {
    expect(waitsFor(seat("open"))).toBe("You are alone here. Add a bot or invite someone.");
    expect(waitsFor(seat("bot"))).toBe("Everyone is ready.");
    expect(waitsFor(seat("player"))).toBe("Waiting for everyone to be ready.");
    expect(waitsFor(seat("player", true))).toBe("Everyone is ready.");
    expect(waitsFor(seat("player", true, 0))).toMatch(/^All players are in one team/);
  });
});
