import { globSync } from "node:fs";
import { basename } from "node:path";
import { defineConfig, type Rolldown } from "tsdown";
import { groupChunks } from "./scripts/group-chunks.ts";
import { leaveOut } from "./scripts/leave-out.ts";
import { thirdPartyNotices } from "./scripts/third-party-notices.ts";

/**
 * `dist/` is flat: every entry and every lazy chunk lies directly in it. That is what lets a room read a file that it
 * ships, built and unbuilt, with the same line:
 *
 *     readFileSync(new URL("./migrations/0001-executions.sql", import.meta.url), "utf8")
 *
 * Unbuilt that is `src/records/sqlite/migrations/…`; built it is `dist/migrations/…`, whatever chunk the line ended up in. So
 * every such folder is copied to `dist/` under its own name, and no two may have the same one.
 */
const shipped = globSync(["src/*/assets", "src/records/*/*migrations"]);
const names = shipped.map((folder) => basename(folder));
if (new Set(names).size < names.length) throw new Error(`Two modules ship a folder of one name: ${shipped.join(", ")}`);

/** Pure JavaScript, and what it brings along. A package that is missing here would be an error of the build. */
const bundled = [
  ["zod", /^zod\//, "unbash", "minisearch", "croner"],
  ["@ai-sdk/anthropic", "@ai-sdk/google", "@ai-sdk/openai-compatible"],
  ["@ai-sdk/provider", "@ai-sdk/provider-utils", "@workflow/serde", "eventsource-parser"],
  ["@mozilla/readability", "turndown", "@truto/turndown-plugin-gfm"],
  ["linkedom", "uhyphen", "htmlparser2", "css-select", "css-what", "boolbase"],
  ["@modelcontextprotocol/server", /^@modelcontextprotocol\/server\//, "@modelcontextprotocol/core"],
  ["pg", /^pg\//, "pg-pool", "pg-protocol", "pg-types", "pg-connection-string", "pgpass", "split2", "pg-int8"],
  ["postgres-array", "postgres-bytea", "postgres-date", "postgres-interval", "xtend"],
  ["pg-boss", "serialize-error", "non-error"],
  ["nth-check", "domelementtype", "domhandler", "domutils", "dom-serializer", "entities"],
].flat();

/**
 * One character beyond Latin-1, and V8 keeps the whole file with two bytes for each: 2.6 MB at the first request. `String.raw` shows the
 * escape, so that is for patterns only.
 */
const escapeWideCharacters: Rolldown.Plugin = {
  name: "escape-wide-characters",
  renderChunk: (code) =>
    code.replaceAll(/[\u0100-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
};

export default defineConfig({
  entry: {
    index: "src/index.ts",
    cli: "src/cli/main.ts",
    testing: "packages/testing/src/testing.ts",
    rollout: "src/tool-files/rollout/rollout.ts",
    // A program of its own: it runs in the child process of a tool file.
    "javascript-host": "src/tool-files/host/child/javascript-host.ts",
    // And this one beside an agent that speaks ACP.
    "acp-driver": "src/tasks/adapters/acp/acp-driver.ts",
    // And this one writes the log of a process that outlives us.
    "log-keeper": "src/process/background/log-keeper.ts",
    // And this one keeps the daemon running.
    "watchdog-program": "src/watchdog/watchdog-program.ts",
  },
  format: "esm",
  platform: "node",
  target: "node24",
  fixedExtension: false,
  sourcemap: false,
  dts: { sourcemap: false },
  copy: shipped.map((from) => ({ from })),
  // Each file that is loaded costs time: what is always loaded together is one.
  outputOptions: {
    codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: groupChunks }] },
    // Readable: Node prints the line that an uncaught error comes from, and a line of a whole chunk would be kilobytes.
    minify: false,
    comments: { legal: true, annotation: false, jsdoc: false },
  },
  // By default the bundler merges what chunks share (its own helpers, too) into one of the lazy chunks, and every chunk
  // that needs a helper then loads that one as well: a command would pay for what it does not use.
  inputOptions: { preserveEntrySignatures: "allow-extension", experimental: { chunkOptimization: false } },
  // How long its plugins take is nobody's concern who starts the program for the first time.
  checks: { bundlerTimings: false },
  deps: {
    // Loading zod as 60 small files costs twice the time of loading one chunk of it.
    alwaysBundle: bundled,
    // Its types stay an import: a user's schemas and ours must be the same type.
    dts: { neverBundle: ["zod"] },
    onlyBundle: bundled,
  },
  plugins: [leaveOut(), thirdPartyNotices(), escapeWideCharacters],
});
