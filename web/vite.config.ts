import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import type { Rolldown } from "vite";
import { defineConfig } from "vitest/config";

// Where `npm run dev` finds a running server; `npm run build` does not use it.
const player = process.env.FOGKEEP_DEV_URL ?? "http://127.0.0.1:8080";
const admin = process.env.FOGKEEP_DEV_ADMIN_URL ?? "http://127.0.0.1:8081";

/** Bytes. A smaller file fits a packet as it is, and may even grow by compression. */
const COMPRESS_FROM = 1024;

/** Scripts and styles compressed beside themselves, once: the server (web/pages.go) sends them as they lie. */
const compress = {
  name: "compress",
  apply: "build" as const,
  writeBundle({ dir }: { dir?: string }) {
    const assets = join(dir ?? "dist/site", "assets");
    for (const name of readdirSync(assets)) {
      if (!/\.(js|css)$/.test(name)) continue;
      const plain = readFileSync(join(assets, name));
      if (plain.length < COMPRESS_FROM) continue;
      const text = { params: { [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } };
      writeFileSync(join(assets, `${name}.br`), brotliCompressSync(plain, text));
      writeFileSync(join(assets, `${name}.gz`), gzipSync(plain, { level: 9 }));
    }
  },
};

/**
 * Pieces of shaders that no material of the pages has, by their names in three.js: a bundler cannot know, since they
 * are members of one object. Without them a shader that needs one would be wrong, so the list has only what
 * belongs to materials, lights and meshes that the renderer does not have.
 */
const UNUSED_SHADERS =
  /^(lights_(physical|phong|toon)|transmission|iridescence|clearcoat|envmap_physical|cube_uv_reflection|gradientmap|alphahash|batching|bumpmap|normalmap|aomap|lightmap|skin|displacementmap|roughnessmap|metalnessmap|map_particle|(meshphysical|meshphong|meshtoon|meshmatcap|meshnormal|points|sprite|linedashed|background|backgroundCube|cube|equirect|distance)_(vert|frag)$)/;

/** Parts of three.js that the pages never use, since they have no headset and no environment maps, and what stands for each. */
const UNUSED_CLASSES: Record<string, string> = {
  "WebXRManager extends EventDispatcher":
    "enabled = false; isPresenting = false; setAnimationLoop() {} dispose() {} getEnvironmentBlendMode() {}",
  PMREMGenerator: "",
};

/** Leaves these out. Fails where three.js is built in another way than it was. */
const slimShaders = {
  name: "slim-shaders",
  apply: "build" as const,
  transform(code: string, id: string) {
    if (!/three[\\/]build[\\/]three\.module\.js$/.test(id)) return null;
    let left = 0;
    let slim = code.replace(/\nconst ShaderChunk = \{[^}]*\}/, (all) =>
      all.replace(/^(\t)(\w+): [\w$]+/gm, (entry, tab, name) => {
        if (!UNUSED_SHADERS.test(name)) return entry;
        left++;
        return `${tab}${name}: ""`;
      }),
    );
    if (left < 40)
      throw new Error(`only ${left} pieces of shaders are left out of three.js: look at its build`);
    for (const [name, stub] of Object.entries(UNUSED_CLASSES)) {
      const whole = slim;
      slim = slim.replace(new RegExp(`\\nclass ${name} \\{[^]*?\\n\\}\\n`), `\nclass ${name} { ${stub} }\n`);
      if (slim === whole) throw new Error(`three.js has no ${name}: look at its build`);
    }
    return { code: slim, map: null };
  },
};

/** Files that the first screen does not need: app/parts.ts loads them later. */
const LATER =
  /node_modules[\\/](three|@bufbuild)|src[\\/](render|hud|text[\\/]match)[\\/]|src[\\/]replay[\\/](?!link\.)/;

/** Fails a build whose first screen loads these files, since one import can cause that. */
const firstScreen = {
  name: "first-screen",
  apply: "build" as const,
  generateBundle(_: unknown, bundle: Rolldown.OutputBundle) {
    const first = new Set(
      Object.values(bundle).flatMap((c) => (c.type === "chunk" && c.isEntry ? c.fileName : [])),
    );
    for (const name of first) {
      const chunk = bundle[name];
      if (chunk?.type !== "chunk") continue;
      const wrong = chunk.moduleIds.find((id) => LATER.test(id));
      if (wrong) throw new Error(`${wrong} would be loaded with the first screen: see app/parts.ts`);
      for (const needed of chunk.imports) first.add(needed);
    }
  },
};

/**
 * The SDK's own sources stand for its package, which is built from them. FOGKEEP_SDK names an unpacked package instead:
 * a build that only shows that the pages can use the package.
 */
const sdk = process.env.FOGKEEP_SDK;
const client = fileURLToPath(new URL(sdk ? `file://${resolve(sdk)}/dist` : "./sdk/src", import.meta.url));

/** `vite build --mode demo` makes the pages without a server (src/demo); `make demo` has made their program. */
const program = fileURLToPath(new URL("../bin/fogkeep-wasm.bin", import.meta.url));
const goRoot = () => execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();

const PAGES: Record<"demo" | "site", Record<string, string>> = {
  demo: { index: "demo.html" },
  site: { index: "index.html", admin: "admin.html" },
};

/** A folder's first page is index.html. */
const demoIndex = {
  name: "demo-index",
  enforce: "post" as const,
  generateBundle(_: unknown, bundle: Rolldown.OutputBundle) {
    bundle["demo.html"].fileName = "index.html";
  },
};

export default defineConfig(({ mode }) => ({
  plugins: sdk
    ? [firstScreen]
    : mode === "demo"
      ? [slimShaders, demoIndex]
      : [slimShaders, compress, firstScreen],
  base: mode === "demo" ? "./" : "/",
  worker: { format: "es" as const },
  resolve: {
    alias: [
      { find: /^fogkeep-wasm$/, replacement: `${program}?url` },
      ...(mode === "demo" ? [{ find: /^wasm_exec$/, replacement: `${goRoot()}/lib/wasm/wasm_exec.js` }] : []),
      { find: /^@fogkeep\/client$/, replacement: join(client, sdk ? "index.js" : "index.ts") },
      { find: /^@fogkeep\/client\/(\w+)$/, replacement: join(client, sdk ? "$1.js" : "$1.ts") },
    ],
  },
  // Preact's components, without a plugin: tsconfig.json says the same to tsc.
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: mode === "demo" ? "dist/demo" : "dist/site",
    emptyOutDir: true,
    target: "es2022",
    // three.js alone is above Vite's default warning; it is one cached chunk.
    chunkSizeWarningLimit: 600,
    modulePreload: { polyfill: false }, // a browser without it loads the same files, each when it is imported
    rolldownOptions: {
      input: PAGES[mode === "demo" ? "demo" : "site"],
      // Of its own, so that a browser keeps it when the rest changes.
      output: {
        codeSplitting: {
          groups: [
            { name: "three", test: /node_modules[\\/]three[\\/]/ },
            // The common start of all pages: one file in place of a dozen small ones.
            {
              name: "base",
              test: /node_modules[\\/]@?preact[\\/]|sdk[\\/]src[\\/](base|client)[\\/]|sdk[\\/]src[\\/]net[\\/](address|backoff|maps|request|sse)|sdk[\\/]src[\\/]gen[\\/](codes|player)|sdk[\\/]src[\\/]state[\\/]map\.|src[\\/](ui|draw)[\\/]|src[\\/](text[\\/](text|names)|app[\\/]loading|game[\\/]speed\.)/,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      "/admin/api": { target: admin, changeOrigin: true },
      "/api": { target: player, changeOrigin: true },
      "/maps": { target: player, changeOrigin: true },
      "/ws": { target: player.replace("http", "ws"), ws: true, changeOrigin: true },
    },
  },
  // Files share their imports: compiling it anew for each took a third of the time.
  test: {
    include: ["{src,sdk/src}/**/*.test.{ts,tsx}", "mutation/*.test.mjs", "docs/*.test.mjs"],
    environment: "node",
    isolate: false,
    testTimeout: 60_000, // bounds a hang: a busy machine runs a test of a second in ten
    setupFiles: ["src/text/testsetup.ts"],
  },
}));
