// Checks who imports whom (`.dependency-cruiser.mjs`) and draws the picture in docs/architecture.md.
//
//   node scripts/architecture.ts           draw it
//   node scripts/architecture.ts --check   fail when a rule is broken or the picture is stale
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cruise, format, type ICruiseResult } from "dependency-cruiser";
import config, { modules as table } from "../.dependency-cruiser.mjs";
import { replaceGenerated } from "./generated.ts";

const page = "docs/architecture.md";
const packages = ["command-analysis", "testing"];
const folders = ["src", "packages", "test", "bench", "scripts", "examples", "web"];

const result = await cruiseSources();
const broken = result.summary.error > 0;
if (broken) console.error((await format(result, { outputType: "err-long" })).output);

const before = readFileSync(page, "utf8");
const after = replaceGenerated(before, "modules", drawModules(result));
if (!process.argv.includes("--check")) {
  writeFileSync(page, after);
} else if (before !== after) {
  console.error(`The picture in ${page} is stale: run \`npm run architecture\`.`);
}
process.exitCode = broken || (process.argv.includes("--check") && before !== after) ? 1 : 0;

async function cruiseSources(): Promise<ICruiseResult> {
  const { forbidden, options } = config;
  const present = folders.filter((folder) => existsSync(folder));
  const { enhancedResolveOptions, ...cruiseOptions } = options;
  const { output } = await cruise(
    present,
    { ...cruiseOptions, validate: true, ruleSet: { forbidden } } as never,
    enhancedResolveOptions,
  );
  const cruised = output as ICruiseResult;
  // Without a parser that knows TypeScript the tool finds no file, no violation, and says that all is well.
  if (!cruised.modules.some(({ source }) => source.startsWith("src/") && source.endsWith(".ts"))) {
    throw new Error(
      "dependency-cruiser read no TypeScript source: is its parser (the package `typescript`) installed?",
    );
  }
  return cruised;
}

/** One arrow per pair of modules; dotted where only types cross. */
function drawModules({ modules }: ICruiseResult): string {
  const arrows = new Map<string, "value" | "type">();
  for (const { source, dependencies } of modules) {
    for (const { resolved, dependencyTypes } of dependencies) {
      const [from, to] = [moduleOf(source), moduleOf(resolved)];
      if (from === undefined || to === undefined || from === to) continue;
      const key = `${from} ${to}`;
      if (!dependencyTypes.includes("type-only")) arrows.set(key, "value");
      else if (!arrows.has(key)) arrows.set(key, "type");
    }
  }
  const known = new Set(modules.map(({ source }) => moduleOf(source)));
  const boxes = ["index", ...Object.keys(table), ...packages].filter((name) => known.has(name));
  const lines = [...arrows]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([key, kind]) => {
      const [from, to] = key.split(" ");
      return `  ${from} ${kind === "value" ? "-->" : "-.->"} ${to}`;
    });
  return ["```mermaid", "flowchart TD", ...boxes.map((name) => `  ${name}`), ...lines, "```"].join("\n");
}

function moduleOf(path: string): string | undefined {
  return /^(?:src|packages)\/(?:([\w-]+)\/|(index)\.ts$)/.exec(path)?.slice(1).find(Boolean);
}
