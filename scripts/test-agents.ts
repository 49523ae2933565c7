// `npm run test:agents`: the real agent CLIs, each at its pinned version, against scripted models on this machine.
//
//   npm run test:agents                  installs what is missing (about 1.6 GB in all), then runs every test
//   npm run test:agents -- claude pi     only these files of test/e2e/agents
//   npm run test:agents -- --install     only installs
//
// They are kept in .cache/agents, or where DECKHAND_AGENTS_CACHE says.
import { spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join, resolve } from "node:path";
import { pins, programOf, type PinnedAgent } from "../test/e2e/agents/pins.ts";

const root = join(import.meta.dirname, "..");
const files = globSync("test/e2e/agents/*.test.ts", { cwd: root }).sort();
const tests = files.map((file) => basename(file, ".test.ts"));
const given = process.argv.slice(2);
const named = given.filter((argument) => !argument.startsWith("-"));
const unknown = named.filter((name) => !tests.includes(name));
if (unknown.length > 0) {
  console.error(`There is no test of ${unknown.join(", ")}. There are: ${tests.join(", ")}.`);
  process.exit(2);
}

const cache = resolve(process.env["DECKHAND_AGENTS_CACHE"] || join(root, ".cache", "agents"));
// Under an older Node npm silently takes an older CLI.
const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env["PATH"]}` };
/** Tests that are not of one agent need several. */
const isNeeded = (agent: string): boolean =>
  named.length === 0 || named.includes(agent) || named.some((name) => !Object.hasOwn(pins, name));
const wanted = (Object.keys(pins) as PinnedAgent[]).filter(isNeeded);

mkdirSync(cache, { recursive: true });
// Nothing in it is anybody's source.
if (!process.env["DECKHAND_AGENTS_CACHE"]) writeFileSync(join(cache, ".gitignore"), "*\n");
for (const agent of wanted) install(agent);
if (!given.includes("--install")) process.exitCode = test();

function install(agent: PinnedAgent): void {
  const { package: name, version } = pins[agent];
  if (installedVersion(agent) === version && existsSync(programOf(cache, agent))) return;
  const folder = join(cache, agent);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  console.log(`Installing ${name}@${version} …`);
  const args = ["install", "--no-audit", "--no-fund", "--save-exact", `${name}@${version}`];
  const { status, error } = spawnSync("npm", args, { cwd: folder, env, stdio: ["ignore", "ignore", "inherit"] });
  if (status === 0 && installedVersion(agent) === version) return;
  console.error(
    `${name}@${version} can't be installed into ${folder}${error ? `: ${error.message}` : "; npm says why above"}.`,
  );
  process.exit(1);
}

function installedVersion(agent: PinnedAgent): string | undefined {
  const file = join(cache, agent, "node_modules", pins[agent].package, "package.json");
  if (!existsSync(file)) return undefined;
  return (JSON.parse(readFileSync(file, "utf8")) as { version?: string }).version;
}

function test(): number {
  const chosen = files.filter((_, at) => named.length === 0 || named.includes(tests[at]!));
  const { status } = spawnSync(
    process.execPath,
    ["--test", "--test-concurrency=2", "--test-timeout=300000", ...chosen],
    // A skip would hide a failure here.
    { cwd: root, env: { ...env, DECKHAND_AGENTS_CACHE: cache, DECKHAND_REQUIRE: "agents" }, stdio: "inherit" },
  );
  return status ?? 1;
}
