import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { WelcomeSchema } from "../gen/fogkeep/v1/server_pb.js";
import { rulesOf } from "./welcome.js";

describe("the rules of a welcome", () => {
  it("have the kinds that the server's program has added by their names", () => {
    const rules = rulesOf(
      create(WelcomeSchema, {
        abilities: [{ name: "blow", kind: "gale", target: 1 }],
        effects: [
          { name: "spun", kind: "dizzy" },
          { name: "fire", kind: "damage", strength: 4 },
        ],
      }),
    );
    expect(rules.abilities.map((a) => [a.name, a.kind, a.target])).toEqual([["blow", "gale", "unit"]]);
    expect(rules.effects.map((e) => [e.kind, e.strength])).toEqual([
      ["dizzy", 0],
      ["damage", 4],
    ]);
  });
});
