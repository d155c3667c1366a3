// The list of pages, read from docs/README.md: their order, groups and descriptions on the site and in llms.txt.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** READMEs of folders, beside the examples', by their address. */
const READMES = {
  "sdk/typescript": "web/sdk",
  "sdk/create": "web/create",
  "sdk/csharp": "proto/csharp",
  "sdk/vectors": "proto/testdata/vectors",
};

/** The text of a file, by its path below the repository's root. */
export const text = (path) => readFileSync(join(ROOT, path), "utf8");

/**
 * Every page of the site, in order: its path below the root, title, group, description, and its address without ending.
 * @returns {{path: string, title: string, group: string, about: string, address: string}[]}
 */
export function pages() {
  const out = [];
  const add = (path, group, address, about = "") =>
    out.push({ path, group, about, address, title: /^# (.+)$/m.exec(text(path))[1].replaceAll("`", "") });
  add("docs/README.md", "fogkeep", "pages", "all pages");
  let group = "";
  for (const [, heading, address, about] of text("docs/README.md").matchAll(
    /^## ([^:\n]+).*$|^- \[[^\]]+\]\((\w[^)]*)\.md\): (.+)$/gm,
  ))
    if (heading) group = heading;
    else add(`docs/${address}.md`, group, address, about);
  for (const name of readdirSync(join(ROOT, "examples")))
    if (existsSync(join(ROOT, `examples/${name}/README.md`)))
      add(`examples/${name}/README.md`, "Examples", `examples/${name}`);
  for (const [address, folder] of Object.entries(READMES)) add(`${folder}/README.md`, "SDKs", address);
  for (const file of readdirSync(ROOT).filter((f) => f.endsWith(".md") && f !== "README.md"))
    add(file, "The project", `project/${basename(file, ".md").toLowerCase()}`);
  return out;
}

/** The index for language models (llmstxt.org): each page's Markdown with its description. */
export function llms(all = pages()) {
  const about = /^\*\*[\s\S]+?(?=\n\n)/m.exec(text("README.md"))[0];
  const lines = ["# fogkeep", "", `> ${about.replaceAll("**", "").replaceAll("\n", " ")}`];
  for (const [i, p] of all.entries()) {
    if (p.group !== all[i - 1]?.group) lines.push("", `## ${p.group}`, "");
    lines.push(`- [${p.title}](${p.address}.md)${p.about && ": "}${p.about}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The text of all pages, one after the other. */
export const llmsFull = (all = pages()) =>
  all.map((p) => `<!-- ${p.address}.md -->\n\n${text(p.path)}`).join("\n");

/** The newest version in CHANGELOG.md, which names the folder of the site. */
export const version = () => /^## (\d+\.\d+\.\d+)$/m.exec(text("CHANGELOG.md"))[1];

/** The page above the versions' folders: a link to each, the newest first. */
export function versionList(folders) {
  const newest = folders.sort((a, b) => b.localeCompare(a, "en", { numeric: true }));
  const items = newest.map((v) => `<li><a href="${v}/index.html">fogkeep ${v}</a></li>`).join("\n");
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>fogkeep: versions of the documentation</title>
<style>body { font: 1rem system-ui, sans-serif; margin: 2rem auto; max-width: 40rem; padding: 0 1rem; color-scheme: light dark }</style>
<h1>fogkeep</h1>
<p>The documentation of each version, the newest first:</p>
<ul>
${items}
</ul>
</html>
`;
}

/**
 * The links of HTML pages that lead to a missing file or heading; TypeDoc checks headings in its own reference.
 * @param {Map<string, string>} files the text of each HTML file, "" of each other file, by path
 */
export function deadLinks(files) {
  const ids = new Map();
  const idsOf = (path) => {
    if (!ids.has(path))
      ids.set(path, new Set([...files.get(path).matchAll(/ id="([^"]*)"/g)].map((m) => m[1])));
    return ids.get(path);
  };
  const dead = [];
  for (const [path, html] of files)
    for (const [, raw] of html.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const link = raw.replaceAll("&amp;", "&");
      if (/^[a-z]+:/.test(link)) continue;
      const [file, anchor] = link.split("#");
      const to = file ? posix.join(posix.dirname(path), decodeURI(file)) : path;
      if (!files.has(to)) dead.push(`${path}: ${link}: there is no such file`);
      else if (anchor && !to.startsWith("sdk/") && !idsOf(to).has(decodeURIComponent(anchor)))
        dead.push(`${path}: ${link}: there is no such heading`);
    }
  return dead;
}
