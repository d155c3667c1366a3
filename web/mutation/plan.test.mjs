import { transformWithOxc } from "vite";
import { beforeEach, describe, expect, it } from "vitest";
import "./switch.js";
import { namedMutants } from "./named.mjs";
import { keyOf, plan } from "./plan.mjs";
import { planAll } from "./sources.mjs";

/** Runs a function `f` of a source with each of its mutants: the results, by the change. */
async function results(source, ...args) {
  const planned = plan(source, "x.ts", 0);
  const { code } = await transformWithOxc(planned.code, "x.ts");
  const f = new Function(`${code}; return f;`)();
  const run = (id) => {
    globalThis.__mutation.turn(id, 50);
    try {
      return f(...args);
    } catch (e) {
      return e.message;
    }
  };
  return {
    as: run(-1),
    with: Object.fromEntries(planned.mutants.map((m) => [`${m.what}: ${m.text}`, run(m.id)])),
  };
}

beforeEach(() => globalThis.__mutation.turn(-1));

describe("the mutants of a file", () => {
  it("are what they say, and nothing without one", async () => {
    expect(await results("function f(a: number, b: number) { return a < b && a + b > 10; }", 4, 10)).toEqual({
      as: true,
      with: {
        "left side of && left out: a < b && a + b > 10": true,
        "right side of && left out: a < b && a + b > 10": true,
        "boundary of <: a < b": true,
        "negated: a < b": false,
        "boundary of >: a + b > 10": true,
        "negated: a + b > 10": false,
        "+ becomes -: a + b": false,
      },
    });
    expect(await results("function f(a) { let n = 1; if (!a) n += 5; return n; }", 0)).toEqual({
      as: 6,
      with: { "negated: !a": 1, "assignment left out: n += 5;": 1 },
    });
    expect(
      await results("function f(a) { for (const x of a) { if (x === 2) return x; } return 9; }", [1, 2]),
    ).toEqual({
      as: 2,
      with: { "return left out: return x;": 9, "negated: x === 2": 1 },
    });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a source
    expect((await results("function f(a) { return a ?? `${a * 2}` + (a || 3); }", 0)).as).toBe(0);
  });

  it("in shaders change the text, but not its comments", async () => {
    const source =
      "const f = () => /* glsl */ `float a = b * c; // 1 + 1\n  a += 2.0;\n  if (a > 1.0) discard;`;";
    const { as, with: of } = await results(source);
    expect(as).toBe("float a = b * c; // 1 + 1\n  a += 2.0;\n  if (a > 1.0) discard;");
    expect(Object.values(of)).toEqual([
      as.replace("a += 2.0;", ";"),
      as.replace("discard;", ";"),
      as.replace("b * c", "b + c"),
      as.replace("a > 1.0", "a <= 1.0"),
    ]);
  });

  it("that loop for ever end with an error", async () => {
    const { with: of } = await results("function f() { let n = 0; while (n < 3) { n++; } return n; }");
    expect(of["count left out: n++;"]).toBe("the mutant loops");
  });

  it("of the list by hand fit their files", () => {
    expect(namedMutants().length).toBeGreaterThan(10);
  });

  it("have names of their own in all of the client", () => {
    const { mutants, codes } = planAll();
    expect(codes.size).toBeGreaterThan(50);
    expect(mutants.filter((m) => m.shader).length).toBeGreaterThan(500);
    expect(mutants.every((m, id) => m.id === id && keyOf(m).startsWith(m.file))).toBe(true);
  });
});
