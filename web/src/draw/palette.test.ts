import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { ACCENT, DANGER, GOOD, PAGE, TEXT } from "./palette";

describe("the palette", () => {
  // CSS cannot read it: the variables of the theme repeat five colours.
  it("has the colours of the theme", () => {
    const css = readFileSync(new URL("../ui/theme.css", import.meta.url), "utf8");
    const variable = (name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(css)?.[1];
    expect(["page", "text", "accent", "danger", "good"].map(variable)).toEqual([
      PAGE,
      TEXT,
      ACCENT,
      DANGER,
      GOOD,
    ]);
  });
});
