#!/usr/bin/env node
// npm create fogkeep FOLDER: writes the template into a new folder.

import { cpSync, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Refuses in one line. */
function refuse(why) {
  console.error(`create-fogkeep: ${why}`);
  process.exit(1);
}

const [folder = "", ...more] = process.argv.slice(2);
if (folder === "" || folder.startsWith("-") || more.length > 0) refuse("usage: npm create fogkeep FOLDER");
const to = resolve(folder);
const name = basename(to);
// npm also uses the name as the package's.
if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
  refuse(`${folder}: a name of a-z, 0-9, ".", "_" and "-", from a letter or digit, at most 100`);
if (existsSync(to)) refuse(`${to}: the folder exists`);
if (!existsSync(dirname(to))) refuse(`${dirname(to)}: there is no such folder`);

cpSync(fileURLToPath(new URL("template", import.meta.url)), to, { recursive: true });
renameSync(join(to, "_gitignore"), join(to, ".gitignore")); // npm packs no .gitignore
for (const file of ["package.json", "README.md"])
  writeFileSync(join(to, file), readFileSync(join(to, file), "utf8").replace("NAME", name));
console.log(`${to}: a page, a bot and a script that starts a server; README.md has the commands`);
