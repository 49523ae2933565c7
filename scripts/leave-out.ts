// A part of the build: code that bundled libraries bring along and that no call of ours can reach stays out of the bundle.
import { fileURLToPath } from "node:url";
import type { Rolldown } from "tsdown";

const replacements: Readonly<Record<string, string>> = {
  // It gets documents, never text: the parser of text that it brings (500 kB) is not in its build for browsers.
  turndown: fileURLToPath(import.meta.resolve("turndown/lib/turndown.browser.es.js")),
};

const stubs: Readonly<Record<string, string>> = {
  // Schedules are not pg-boss's here: it only tells workers that something waits.
  "cron-parser": "export const CronExpressionParser = {}; export default {};",
  "rrule-temporal": "export const RRuleTemporal = {}; export default {};",
  // The sockets of another platform.
  "pg-cloudflare": "export const CloudflareSocket = undefined;",
};

/** What the style sheets of a page say is never asked for, and the parser for it (250 kB) contains an eval. */
const styleSheets = "@acemir/cssom";

/** What is wrong with an input is said in English; the other 60 languages would be two thirds of zod. */
const languages = "/zod/v4/locales/index.js";

export function leaveOut(): Rolldown.Plugin {
  return {
    name: "leave-out",
    resolveId: {
      order: "pre",
      handler(id, importer) {
        if (id === styleSheets) return { id: `\0${styleSheets}` };
        if (Object.hasOwn(stubs, id)) return { id: `\0${id}` };
        // A canvas that happens to be installed beside us must not be loaded.
        if (id.endsWith("/commonjs/canvas.cjs")) return this.resolve(id.replace(".cjs", "-shim.cjs"), importer);
        return replacements[id];
      },
    },
    load(id) {
      if (id.endsWith(languages)) return 'export { default as en } from "./en.js";';
      if (id === `\0${styleSheets}`) return "export const parse = () => ({ cssRules: [] });";
      return id.startsWith("\0") ? stubs[id.slice(1)] : undefined;
    },
  };
}
