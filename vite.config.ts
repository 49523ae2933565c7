import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin } from "vite";
import { thirdPartyNotices } from "./scripts/third-party-notices.ts";

/** The dashboard: `web/` becomes `dist/web`, which the daemon serves. */
export default defineConfig({
  root: fileURLToPath(new URL("./web", import.meta.url)),
  // The daemon's policy lets nothing in but its own files: no script, style or picture may be written into another file.
  build: {
    outDir: fileURLToPath(new URL("./dist/web", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    // The pages that are loaded late have little of their own: in one file it costs a third of what it does in three.
    cssCodeSplit: false,
    cssTarget: "es2024",
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: false,
    // How long its plugins take is nobody's concern who starts the program for the first time.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [beforeFirstPaint(), thirdPartyNotices() as Plugin],
});

/** Whoever chose a theme never sees the other one flash by. */
function beforeFirstPaint(): Plugin {
  return {
    name: "before-first-paint",
    transformIndexHtml: {
      order: "post",
      handler: (html) => html.replace('<script type="module"', '<script type="module" blocking="render"'),
    },
  };
}
