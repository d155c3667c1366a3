// The list of pages behind the site, and its check of links. `make site` builds the pages themselves.

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { deadLinks, llms, llmsFull, pages, ROOT, version, versionList } from "./index.mjs";

test("the site and llms.txt have every page of docs, once, with its title, group and description", () => {
  const all = pages();
  const files = readdirSync(join(ROOT, "docs"), { recursive: true }).filter((f) => f.endsWith(".md"));
  expect(all.map((p) => p.path)).toEqual(expect.arrayContaining(files.map((f) => `docs/${f}`)));
  expect(new Set(all.map((p) => p.path)).size).toBe(all.length);
  expect(new Set(all.map((p) => p.address)).size).toBe(all.length);
  const index = llms(all);
  const whole = llmsFull(all);
  for (const p of all) {
    expect(index).toContain(`- [${p.title}](${p.address}.md)`);
    expect(whole).toContain(`<!-- ${p.address}.md -->\n\n# `);
    expect(p.group).not.toBe("");
    if (p.path.startsWith("docs/")) expect(p.about, p.path).not.toBe("");
  }
  expect(index).toMatch(/^# fogkeep\n\n> What a team cannot see is never sent to it.+\n\n## fogkeep\n/);
});

test("a link to a missing file or heading is dead, another is not", () => {
  const files = new Map([
    [
      "a/one.html",
      '<a href="../b.html#here"><a href="two.html"><a href="#no"><a href="https://example.org/x">',
    ],
    ["b.html", '<h1 id="here"></h1><a href="a/one.html"><img src="c.png"><a href="a/one.html#gone">'],
    ["c.png", ""],
  ]);
  expect(deadLinks(files)).toEqual([
    "a/one.html: two.html: there is no such file",
    "a/one.html: #no: there is no such heading",
    "b.html: a/one.html#gone: there is no such heading",
  ]);
});

test("the newest version stands first", () => {
  expect(version()).toMatch(/^\d+\.\d+\.\d+$/);
  expect(versionList(["0.9.0", "0.10.0"])).toMatch(/0\.10\.0\/index[\s\S]+0\.9\.0\/index/);
});
