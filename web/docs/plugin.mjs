// A plugin of TypeDoc: the pages of docs/ become documents of the site, beside the reference of the TypeScript SDK.

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Converter, JSX, KindRouter, RendererEvent } from "typedoc";
import { deadLinks, llms, llmsFull, pages, ROOT, text, version, versionList } from "./index.mjs";

const REPOSITORY = "https://github.com/fogkeep/fogkeep";
const all = pages();
const byPath = new Map(all.map((p) => [join(ROOT, p.path), p]));

/** Gives a document the address of its page. */
class Router extends KindRouter {
  getIdealBaseName(reflection) {
    return reflection.frontmatter?.address ?? `sdk/${super.getIdealBaseName(reflection)}`;
  }
}

/** Lets the code in a heading count as its text: TypeDoc makes anchors of plain text alone. */
function codeInHeadings(parser) {
  parser.core.ruler.push("code_in_headings", ({ tokens, Token }) => {
    for (const [i, token] of tokens.entries()) {
      if (tokens[i - 1]?.type !== "heading_open") continue;
      token.children = token.children.flatMap((child) => {
        if (child.type !== "code_inline") return [child];
        const parts = ["html_inline", "text", "html_inline"].map((type) => new Token(type, "", 0));
        for (const [k, content] of ["<code>", child.content, "</code>"].entries()) parts[k].content = content;
        return parts;
      });
    }
  });
}

/** @param {import("typedoc").Application} app */
export function load(app) {
  app.renderer.defineRouter("site", Router);
  app.on("bootstrapEnd", () => {
    app.options.setValue("projectDocuments", [...byPath.keys()]);
    app.options.setValue("out", join(ROOT, "artefacts/site", version()));
    app.options.setValue("name", `fogkeep ${version()}`);
    app.options.setValue("groupOrder", [...new Set(all.map((p) => p.group)), "*"]);
    app.options.setValue("markdownItLoader", codeInHeadings);
  });
  app.renderer.hooks.on("sidebar.begin", (page) => {
    const link = (to, name) => JSX.createElement("a", { href: page.relativeURL(to) }, name);
    return JSX.createElement(
      "p",
      null,
      link("../index.html", "Versions"),
      " · ",
      link("llms.txt", "llms.txt"),
    );
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const page = byPath.get(document.project.files.getReflectionPath(document));
    document.name = page.title;
    document.frontmatter = { group: page.group, address: page.address };
    document.relevanceBoost = 10; // in the search, pages come before the names of the SDK
    for (const part of document.content.filter((c) => c.kind === "relative-link")) {
      const path = resolve(ROOT, dirname(page.path), part.text.split("#")[0]);
      if (!statSync(path).isDirectory()) continue;
      part.kind = "text"; // TypeDoc copies files alone
      part.text = `${REPOSITORY}/tree/v${version()}/${relative(ROOT, path)}`;
    }
  });
  app.renderer.on(RendererEvent.END, ({ outputDirectory: out }) => {
    for (const p of all) {
      mkdirSync(dirname(join(out, p.address)), { recursive: true });
      writeFileSync(join(out, `${p.address}.md`), text(p.path));
    }
    writeFileSync(join(out, "llms.txt"), llms(all));
    writeFileSync(join(out, "llms-full.txt"), llmsFull(all));
    const folders = readdirSync(dirname(out), { withFileTypes: true }).filter((f) => f.isDirectory());
    writeFileSync(join(dirname(out), "index.html"), versionList(folders.map((f) => f.name)));
    const files = new Map();
    for (const name of readdirSync(out, { recursive: true }))
      if (statSync(join(out, name)).isFile())
        files.set(name, /\.(html|svg)$/.test(name) ? readFileSync(join(out, name), "utf8") : "");
    files.set("../index.html", "");
    for (const fault of deadLinks(files)) app.logger.error(fault);
  });
}
