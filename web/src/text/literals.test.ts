// No text that a player reads stands in the code: all are in the text files. This
// reads the syntax of the folders that make the player's pages and finds the strings
// that would reach them.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { describe, expect, it } from "vitest";

/** Folders with code of the player's pages. The admins' pages are in English alone. */
const FOLDERS = ["app", "demo", "game", "hud", "input", "replay", "ui"];

/** Attributes and properties whose strings a person reads or hears. */
const SPOKEN = new Set([
  "aria-label",
  "aria-description",
  "title",
  "placeholder",
  "alt",
  "label",
  "textContent",
]);
/** Calls whose strings are for the browser, though they may look like words. */
const SILENT = new Set(["class", "className", "style", "d", "accept", "autocomplete", "font", "role", "id"]);
/** Functions whose arguments are for the browser, or keys of the text files. */
const CODES = new Set([
  "t",
  "addEventListener",
  "closest",
  "getPropertyValue",
  "matches",
  "matchMedia",
  "querySelector",
  "querySelectorAll",
  "setProperty",
  "startsWith",
]);
/** Names of keys (`KeyboardEvent.code` and `key`), and the product's name. */
const NAMES =
  /^(Key[A-Z]|Digit\d?|Arrow(Up|Down|Left|Right)|F\d*|(Control|Shift|Alt|Meta)(Left|Right)?|Numpad\w*|Escape|Space|Enter|Tab|Backspace|Home|End|Insert|Delete|Page(Up|Down)|Period|Comma|Slash|Equal|Minus|fogkeep)$/;

interface Node {
  type: string;
  start: number;
  [key: string]: unknown;
}

const isNode = (v: unknown): v is Node => typeof (v as Node | null)?.type === "string";

/** The strings of a file that a player would read, each as `line: string`. */
function spoken(file: string, code: string): string[] {
  const found: string[] = [];
  const { program, errors } = parseSync(file, code);
  expect(errors, file).toEqual([]);
  walk(program as unknown as Node, "free");
  return found;

  /** `free`: a string is a text if it looks like words. `spoken`: if it has a letter. `silent`: never. */
  function walk(node: Node, where: "free" | "spoken" | "silent"): void {
    if (node.type.startsWith("TS") && !/^TS(As|NonNull|Satisfies)/.test(node.type)) return; // a type
    const text = stringOf(node);
    if (text !== undefined) {
      const isText = where === "spoken" ? /\p{L}/u.test(text) : where === "free" && looksLikeWords(text);
      if (isText && !NAMES.test(text.trim()))
        found.push(`${code.slice(0, node.start).split("\n").length}: ${text.trim()}`);
    }
    for (const [key, value] of Object.entries(node)) {
      for (const [index, child] of [value].flat().entries()) {
        if (isNode(child)) walk(child, placeOf(node, key, index, where));
      }
    }
  }
}

function stringOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type === "JSXText") return node.value as string;
  if (node.type === "TemplateElement") return (node.value as { cooked: string }).cooked;
  return undefined;
}

/** Two words in a row, or a word that begins like a sentence. */
const looksLikeWords = (text: string): boolean =>
  /\p{L}{2,}[,.;:]? \p{L}{2,}/u.test(text) || /^\s*\p{Lu}\p{Ll}+/u.test(text);

/** The meaning of a string in a child of a node: `key` and `index` say which child. */
function placeOf(node: Node, key: string, index: number, where: "free" | "spoken" | "silent") {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
      return key === "source" ? "silent" : where;
    case "Property":
      return key === "key" ? "silent" : byName(nameOf(node.key), where);
    case "JSXAttribute":
      return key === "name" ? "silent" : byName(nameOf(node.name), "silent");
    case "JSXElement":
    case "JSXFragment":
      return key === "children" ? "spoken" : where;
    case "JSXExpressionContainer":
      return where;
    case "AssignmentExpression":
      return key === "right" ? byName(nameOf((node.left as Node).property), where) : where;
    case "BinaryExpression":
      return node.operator === "+" ? where : "silent";
    case "ConditionalExpression":
      return key === "test" ? "free" : where;
    case "SwitchCase":
      return key === "test" ? "silent" : where;
    case "NewExpression":
      return nameOf(node.callee) === "Error" ? "silent" : "free";
    case "CallExpression": {
      const name = nameOf(node.callee);
      if (key !== "arguments") return "free";
      if (CODES.has(name) || nameOf((node.callee as Node).object) === "classList") return "silent";
      if (name === "h") return index === 0 ? "silent" : index === 1 ? "free" : "spoken";
      return name === "text" ? "spoken" : "free";
    }
    case "ArrowFunctionExpression":
    case "MemberExpression":
    case "ObjectExpression":
      return where === "silent" ? "silent" : "free";
    default:
      return where;
  }
}

const byName = (name: string, otherwise: "free" | "spoken" | "silent") =>
  SPOKEN.has(name) ? "spoken" : SILENT.has(name) ? "silent" : otherwise;

/** The name of an identifier, of a member or of a string. */
function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "MemberExpression") return nameOf(node.property);
  return String(node.name ?? node.value ?? "");
}

describe("texts", () => {
  const src = join(import.meta.dirname, "..");
  for (const folder of FOLDERS) {
    it(`of ${folder} are in the text files`, () => {
      const files = readdirSync(join(src, folder), { recursive: true, encoding: "utf8" });
      const code = files.filter((f) => /(?<!\.test)\.tsx?$/.test(f));
      expect(code.length).toBeGreaterThan(1);
      const all = code.flatMap((f) => {
        const found = spoken(f, readFileSync(join(src, folder, f), "utf8"));
        return found.map((text) => `${folder}/${f}:${text}`);
      });
      // Put the text into en.json and the other files, and write t("its.key") here.
      expect(all).toEqual([]);
    });
  }
});

describe("the check finds", () => {
  const of = (code: string) => spoken("a.tsx", code).map((f) => f.replace(/^\d+: /, ""));
  it("a text wherever it may stand", () => {
    expect(of(`h("button", null, "Send")`)).toEqual(["Send"]);
    expect(of(`h("button", null, open ? "close" : "open")`)).toEqual(["close", "open"]);
    expect(of("h('p', null, `$".concat("{n} left`)"))).toEqual(["left"]);
    expect(of(`h("p", { class: "a b", title: "mine" })`)).toEqual(["mine"]);
    expect(of(`const a = <b>Send {n} now</b>;`)).toEqual(["Send", "now"]);
    expect(of(`const a = <b title="send" class="red big">{"ok"}</b>;`)).toEqual(["send", "ok"]);
    expect(of(`const a = <b>{open && "close"}</b>;`)).toEqual(["close"]);
    expect(of(`nav.toast("The lobby was closed.")`)).toEqual(["The lobby was closed."]);
    expect(of(`const words = ["Quality"];`)).toEqual(["Quality"]);
    expect(of(`el.textContent = "x";`)).toEqual(["x"]);
    expect(of(`new FogkeepError("code", "It failed.")`)).toEqual(["It failed."]);
  });
  it("no string that is for the program or the browser", () => {
    expect(
      of(`import { x } from "Some File"; type A = "Some Text"; switch (x) { case "Enter now": }`),
    ).toEqual([]);
    expect(of(`h("div", { class: "panel wide", style: "color: red" }, t("a.b"), icon(ICONS.x))`)).toEqual([]);
    expect(of(`<div class={open ? "a b" : "c d"} onClick={() => act("send")} data-do="play-bot" />`)).toEqual(
      [],
    );
    expect(
      of(`document.querySelector("dialog open"); if (e.key === "Some key") throw new Error("no 2D canvas");`),
    ).toEqual([]);
    expect(of(`const keys = ["KeyA", "Escape"]; el.classList.add("Big");`)).toEqual([]);
  });
});
