// The pre-script of `npm start`, `npm test` and the others: installs what the lock file says, builds when the sources
// changed. Plain JavaScript without dependencies, for any Node from 18 on: on a fresh clone it is all there is.
//
//   node scripts/prepare.js              install and build, if needed
//   node scripts/prepare.js --no-build   install only, if needed
//
// Two of them at once are safe: the work is done under a lock folder, and looked at again once the lock is held.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { acquireLock, Stopped } from "./prepare-lock.js";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const at = (...parts) => join(root, ...parts);
const node24 = at("node_modules", ".bin", "node"); // npm puts this folder first on the PATH of its scripts
const nodeOfPlatform = findNodeOfPlatform();
const buildStamp = at("node_modules", ".cache", "deckhand-build");
const webStamp = at("node_modules", ".cache", "deckhand-web-build");
const sourcesOfBoth = [
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "scripts/third-party-notices.ts",
  "scripts/apache-2.0.txt",
];
const builds = !process.argv.includes("--no-build");

try {
  if (needsInstall() || needsLink() || (builds && (needsBuild() || needsWebBuild()))) {
    const release = acquireLock(at(".prepare.lock"), say);
    try {
      if (needsInstall()) install();
      if (needsLink()) linkNode24();
      requireNode24();
      if (builds && needsBuild()) build();
      if (builds && needsWebBuild()) buildWeb();
    } finally {
      release();
    }
  }
} catch (error) {
  console.error(error instanceof Stopped ? error.message : error);
  process.exitCode = 1;
}

/** npm keeps its own record of what it put into node_modules; what it says must match the lock file. */
function needsInstall() {
  const wanted = readJson(at("package-lock.json")).packages;
  const found = readJson(at("node_modules", ".package-lock.json"))?.packages;
  if (!found || (nodeOfPlatform && !existsSync(nodeOfPlatform))) return true;
  return Object.entries(wanted).some(([path, entry]) => {
    if (!path.startsWith("node_modules/")) return false;
    const installed = found[path];
    return installed ? installed.version !== entry.version || installed.integrity !== entry.integrity : !entry.optional;
  });
}

function install() {
  say("Installing the locked dependencies (this also brings Node 24) …");
  // No locked dependency needs an install script, so none may run.
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js") ? [process.execPath, process.env.npm_execpath] : ["npm"];
  const result = run([...npm, "ci", "--include=dev", "--include=optional", "--ignore-scripts", "--loglevel=error"]);
  if (result.status !== 0) {
    throw new Stopped(
      "The dependencies could not be installed: see npm's message above, then run `npm ci` by hand in this folder.",
    );
  }
}

/** The binary that scripts/node/package.json brings for this platform, if it has one. */
function findNodeOfPlatform() {
  const names = Object.keys(readJson(at("scripts", "node", "package.json")).optionalDependencies);
  const name = names.find((candidate) => candidate.endsWith(`-${process.platform}-${process.arch}`));
  return name && at("node_modules", name, "bin", "node");
}

/** npm 11 makes the link itself; npm 10 removes it again together with the other platforms' packages. */
function needsLink() {
  return nodeOfPlatform !== undefined && existsSync(nodeOfPlatform) && !existsSync(node24);
}

function linkNode24() {
  rmSync(node24, { force: true });
  symlinkSync(relative(dirname(node24), nodeOfPlatform), node24);
}

function nodeCommand() {
  return existsSync(node24) ? node24 : "node";
}

function requireNode24() {
  const version = spawnSync(nodeCommand(), ["--version"], { encoding: "utf8" }).stdout?.trim() ?? "none that runs";
  if (Number.parseInt(version.slice(1), 10) >= 24) return;
  throw new Stopped(
    `Deckhand needs Node 24 or newer and could not bring it for ${process.platform} ${process.arch} (found: ${version}): ` +
      "install Node 24 yourself and put it first on the PATH.",
  );
}

function needsBuild() {
  if (!existsSync(at("dist", "index.js")) || !existsSync(at("dist", "cli.js"))) return true;
  return !existsSync(buildStamp) || readFileSync(buildStamp, "utf8") !== sourcesHash();
}

/** Into a fresh folder that then takes the place of `dist`, so that no program ever sees half a build. */
function build() {
  say("Building dist …");
  const hash = sourcesHash();
  const next = `dist.${process.pid}`;
  const result = run([
    nodeCommand(),
    at("node_modules", "tsdown", "dist", "run.mjs"),
    "--out-dir",
    next,
    "--logLevel",
    "warn",
  ]);
  if (result.status !== 0) {
    rmSync(at(next), { recursive: true, force: true });
    throw new Stopped("The build failed: see the message above; `npm run build` repeats it.");
  }
  // The dashboard has sources of its own: it moves over as it is.
  if (existsSync(at("dist", "web"))) renameSync(at("dist", "web"), at(next, "web"));
  replace("dist", next);
  writeStamp(buildStamp, hash);
}

function needsWebBuild() {
  if (!existsSync(at("dist", "web", "index.html"))) return true;
  return !existsSync(webStamp) || readFileSync(webStamp, "utf8") !== webSourcesHash();
}

function buildWeb() {
  say("Building the dashboard …");
  const hash = webSourcesHash();
  const next = `dist.web.${process.pid}`;
  const vite = at("node_modules", "vite", "bin", "vite.js");
  const result = run([nodeCommand(), vite, "build", "--outDir", at(next), "--logLevel", "warn"]);
  if (result.status !== 0) {
    rmSync(at(next), { recursive: true, force: true });
    throw new Stopped("The dashboard could not be built: see the message above; `npm run build` repeats it.");
  }
  replace(join("dist", "web"), next);
  writeStamp(webStamp, hash);
}

function replace(name, next) {
  const old = at(`dist.old.${process.pid}`);
  if (existsSync(at(name))) renameSync(at(name), old);
  renameSync(at(next), at(name));
  rmSync(old, { recursive: true, force: true });
}

function writeStamp(stamp, hash) {
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, hash);
}

function sourcesHash() {
  return hashOf([
    ...sourcesOfBoth,
    "tsdown.config.ts",
    "scripts/group-chunks.ts",
    "scripts/leave-out.ts",
    ...filesUnder("src"),
    ...filesUnder("packages"),
  ]);
}

/** Of the other sources the dashboard takes types only. */
function webSourcesHash() {
  return hashOf([...sourcesOfBoth, "vite.config.ts", ...filesUnder("web")]);
}

function filesUnder(folder) {
  return readdirSync(at(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".md"))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(root.length + 1));
}

function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files.sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(at(file)))
      .update("\0");
  return hash.digest("hex");
}

/** Output goes to stderr: what `npm start` prints on stdout belongs to the command itself. */
function run([command, ...args]) {
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2] });
  if (result.error) throw new Stopped(`${command} could not be started (${result.error.code}): is npm on the PATH?`);
  return result;
}

function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
