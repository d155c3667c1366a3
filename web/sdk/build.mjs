// Builds the package: npm packs dist/. Run by `npm pack` and `npm run build`.

import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
rmSync(join(here, "dist"), { recursive: true, force: true });
const tsc = fileURLToPath(new URL("lib/tsc.js", import.meta.resolve("typescript/package.json")));
execFileSync(process.execPath, [tsc, "--project", here], { stdio: "inherit" });
