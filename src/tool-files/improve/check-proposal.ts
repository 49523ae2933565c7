import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { completeTraits } from "../../core/define-tool.ts";
import { createId } from "../../core/ids.ts";
import type { Resource, ToolTraits } from "../../core/tool.ts";
import type { Processes } from "../../process/processes.ts";
import type { ToolVersion } from "../custom-tool.ts";
import type { ToolFile, ToolHosts, ToolSpec } from "../host/tool-host.ts";
import type { ReplayReport } from "../rollout/release/tool-release.ts";
import { endSentence } from "../tool-file-status.ts";
import type { VersionStore } from "../versions/version-store.ts";
import type { CheckName, CheckRow, Finding } from "./improvement.ts";
import { judgeRehearsal, type RehearsalPlace, type RehearsalOrder } from "./judge-rehearsal.ts";
import type { StagedProposal } from "./propose-until-passed.ts";
import { compareSchemas } from "./schema-compatibility.ts";
import { isSame } from "./schema-keywords.ts";
import { scriptCapabilities } from "./script-capabilities.ts";

export interface CheckPlace extends TypeCheckPlace, RehearsalPlace {
  readonly hosts: ToolHosts;
  readonly versions: VersionStore;
  /** Why this content may not come back; null when it may. */
  readonly whyOut: (hash: string) => string | null;
  /** Whether a new version may reach what the present one can't. */
  readonly mayReach: (names: readonly string[]) => Promise<boolean>;
}

export interface CheckedProposal {
  readonly findings: readonly Finding[];
  /** Null when it did not come so far. */
  readonly proposed: { readonly file: ToolFile; readonly spec: ToolSpec } | null;
  readonly replay: ReplayReport | null;
}

/** Checks a proposal until the first thing that is wrong with it. Nothing of it runs before its text was judged. */
export async function checkProposal(
  place: CheckPlace,
  staged: StagedProposal,
  { stable, ...cases }: RehearsalOrder & { readonly stable: ToolVersion },
): Promise<CheckedProposal> {
  const findings: Finding[] = [checkChange(place, staged, stable)];
  const isFailed = (): boolean => findings.at(-1)!.state === "failed" || place.signal.aborted;
  if (!isFailed()) findings.push(await checkReach(place, staged, stable));
  if (isFailed()) return { findings, proposed: null, replay: null };
  const file = place.versions.keep(staged.snapshot);
  const described = await place.hosts.describe(file);
  if (!described.ok) {
    const { message, line, hint } = described.problem;
    const detail = `${line === null ? "" : `Line ${line}: `}${endSentence(message)}${hint === null ? "" : ` ${hint}`}`;
    return { findings: [...findings, row("load", "failed", detail)], proposed: null, replay: null };
  }
  const { spec } = described;
  place.versions.writeSpec(file.hash, spec);
  const proposed = { file, spec };
  findings.push(row("load", "passed", `It is the tool ${spec.name}.`));
  for (const check of [checkName, checkSchema, checkPromises]) if (!isFailed()) findings.push(check(stable.spec, spec));
  if (!isFailed()) findings.push(await checkTypes(place, file, stable.file));
  if (isFailed()) return { findings, proposed, replay: null };
  const { findings: tried, replay } = await judgeRehearsal(place, { stable, proposed: file }, cases);
  return { findings: [...findings, ...tried], proposed, replay };
}

function checkChange(place: CheckPlace, { snapshot }: StagedProposal, stable: ToolVersion): Finding {
  if (snapshot.hash === stable.file.hash) return row("change", "failed", "It is the present version, unchanged.");
  const why = place.whyOut(snapshot.hash);
  if (why !== null) return row("change", "failed", `This very content was rolled back before: ${why}`);
  return row("change", "passed", "It is another content than the present one.");
}

async function checkReach(place: CheckPlace, { text }: StagedProposal, { file }: ToolVersion): Promise<Finding> {
  const { language } = file;
  const names = newCapabilities({ text: readFileSync(file.path, "utf8"), language }, { text, language });
  if (names.length === 0) return row("reach", "passed", "Its text reaches nothing new.");
  const list = names.join(", ");
  if (await place.mayReach(names)) return row("reach", "passed", `It may newly reach: ${list}.`);
  const detail = `It reaches what the present version does not: ${list}.`;
  return { ...row("reach", "failed", detail), forModel: `${detail} Do without.` };
}

function checkName(before: ToolSpec, { name }: ToolSpec): Finding {
  if (name === before.name) return row("name", "passed", "The name is the same.");
  return row("name", "failed", `It calls itself ${name}; the name must stay ${before.name}.`);
}

function checkSchema(before: ToolSpec, after: ToolSpec): Finding {
  const comparison = compareSchemas(before.inputSchema, after.inputSchema);
  if (comparison.compatible) return row("schema", "passed", "Every input that was taken still is.");
  return row("schema", "failed", `The input schema takes less than before. ${comparison.reason}`);
}

function checkPromises(before: ToolSpec, after: ToolSpec): Finding {
  const problems = findWidening(promisesOf(before), promisesOf(after));
  if (problems.length === 0)
    return row("promises", "passed", "Traits, limits, resources and cases are as strict as before.");
  return row("promises", "failed", problems.join(" "));
}

function promisesOf(spec: ToolSpec): SpecPromises {
  return { ...spec, traits: completeTraits({ category: "custom", ...spec.traits }) };
}

function row(check: CheckName, state: CheckRow["state"], detail: string): Finding {
  return { check, state, detail };
}

/** A file of a tool, as text. */
export interface CodeText {
  readonly text: string;
  readonly language: "javascript" | "typescript" | "python";
}

/**
 * What the new text can reach that the old one could not, sorted: names of modules, and words such as `network`, `eval` or
 * `anything`. It looks at the text alone, comments included, so it finds too much rather than too little; what code hides on
 * purpose is the sandbox's to hold.
 */
export function newCapabilities(before: CodeText, after: CodeText): string[] {
  const known = findCapabilities(before);
  return [...findCapabilities(after)].filter((name) => !known.has(name)).sort();
}

function findCapabilities({ text, language }: CodeText): ReadonlySet<string> {
  return language === "python" ? pythonCapabilities(text) : scriptCapabilities(text);
}

/** What Python can reach, by its text. */
function pythonCapabilities(text: string): ReadonlySet<string> {
  const joined = text.replaceAll(/\\\r?\n/g, " ");
  const found = new Set<string>();
  for (const name of findModules(joined)) if (!harmless.has(name)) found.add(loaders.has(name) ? "anything" : name);
  for (const [name, pattern] of words) if (pattern.test(joined)) found.add(name);
  return found;
}

function findModules(text: string): string[] {
  const plain = [...text.matchAll(/\bimport[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w. \t]+)*)/g)];
  // What follows `from x import` are names of x.
  const named = [...text.matchAll(/\bfrom[ \t]+(\.*[\w.]*)[ \t]+import\b/g)];
  const starts = new Set(named.map(({ 0: whole, index }) => index + whole.length - "import".length));
  return [
    ...named.map(([, from]) => nameModule(from!)),
    ...plain.filter(({ index }) => !starts.has(index)).flatMap(([, list]) => list!.split(",").map(nameModule)),
  ].filter((name) => name !== "");
}

/** A module of the folder keeps its dots: it is no package. */
function nameModule(dotted: string): string {
  const name = dotted.trim().split(/\s/, 1)[0]!;
  return name.startsWith(".") ? name : name.split(".", 1)[0]!;
}

/** Modules that only compute. */
const harmless = new Set(
  (
    "__future__ abc array base64 bisect calendar cmath collections colorsys copy csv dataclasses datetime decimal difflib " +
    "enum fractions functools hashlib heapq hmac html itertools json keyword locale math numbers operator random re " +
    "statistics string struct textwrap time typing unicodedata uuid zlib zoneinfo"
  ).split(" "),
);
/** What has one of these has all. */
const loaders = new Set("builtins code codeop ctypes gc imp importlib inspect pkgutil runpy sys zipimport".split(" "));

const words: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["eval", /(?<![.\w])(?:eval|exec|compile)\s*\(|[=(,:]\s*(?:eval|exec|compile)\b/],
  ["open", /(?<![.\w])open\s*\(|[=(,:]\s*open\b/],
  [
    "anything",
    /__(?:import|builtins|subclasses|loader|spec|globals|getattribute|mro|bases|class|code)__|\b(?:globals|vars|locals)\s*\(/,
  ],
];

/** What a tool promises of itself, beside its schema. */
export interface SpecPromises {
  readonly traits: ToolTraits;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  readonly resources?: readonly Resource[];
  readonly cases: readonly { readonly name: string }[];
}

/** What the new spec allows itself, or no longer promises; sentences, none when it is as strict as before. */
export function findWidening(before: SpecPromises, after: SpecPromises): string[] {
  return [
    ...traitsWidened(before.traits, after.traits),
    ...limitWidened("timeout_ms", before.timeoutMs, after.timeoutMs),
    ...limitWidened("idle_ms", before.idleMs, after.idleMs),
    // Calls are allowed, and run side by side, by what they say that they touch.
    ...(isSame(before.resources, after.resources) ? [] : ["It changes its resources."]),
    // Who is tried does not write the cases.
    ...before.cases.flatMap((kept) => (after.cases.some((each) => isSame(kept, each)) ? [] : [tellCase(kept.name)])),
  ];
}

const risks = ["low", "medium", "high"];
const replays = ["never", "check", "safe"];

function traitsWidened(before: ToolTraits, after: ToolTraits): string[] {
  const problems: string[] = [];
  if (before.readOnly && !after.readOnly) problems.push("It says that it changes things now.");
  if (!before.readOnly && after.readOnly)
    problems.push("It says that it changes nothing now: calls would not be asked about.");
  if (risks.indexOf(after.risk) < risks.indexOf(before.risk)) {
    problems.push(`It lowers its risk from ${before.risk} to ${after.risk}.`);
  }
  if (replays.indexOf(after.replay) > replays.indexOf(before.replay)) {
    problems.push(`It says that a replay is "${after.replay}", and was "${before.replay}".`);
  }
  if (after.idempotent && !before.idempotent) problems.push("It says that it is idempotent, and was not.");
  const places = after.offeredIn.filter((place) => !before.offeredIn.includes(place));
  if (places.length > 0) problems.push(`It offers itself in ${places.join(", ")}, and did not.`);
  if (after.category !== before.category) problems.push(`It changes its category to "${after.category}".`);
  return problems;
}

function limitWidened(name: string, before: number | undefined, after: number | undefined): string[] {
  if (after === before || (before !== undefined && after !== undefined && after < before)) return [];
  const show = (value: number | undefined): string => (value === undefined ? "left out" : String(value));
  return [`It changes ${name} from ${show(before)} to ${show(after)}.`];
}

function tellCase(name: string): string {
  return `It changes or removes the case "${name}".`;
}

interface TypeCheckPlace {
  readonly workdir: string;
  /** Where files for the compiler may be put. */
  readonly folder: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Asks the compiler of the workdir, where there is one and the file has types. */
async function checkTypes(place: TypeCheckPlace, proposed: ToolFile, stable: ToolFile): Promise<CheckRow> {
  if (proposed.language !== "typescript") return notChecked(`It is ${proposed.language}.`);
  const compiler = join(place.workdir, "node_modules", ".bin", "tsc");
  if (!existsSync(compiler)) return notChecked("There is no compiler here (node_modules/.bin/tsc).");
  const answer = await compile(place, compiler, proposed);
  if (answer.state === "fine") return { check: "types", state: "passed", detail: "The compiler has no complaint." };
  if (answer.state === "unknown") return notChecked(answer.why);
  const before = await compile(place, compiler, stable);
  if (before.state === "fine") return { check: "types", state: "failed", detail: answer.complaint };
  return notChecked("The compiler does not take the present version either.");
}

function notChecked(detail: string): CheckRow {
  return { check: "types", state: "not_checked", detail };
}

type Compiled =
  | { readonly state: "fine" }
  | { readonly state: "wrong"; readonly complaint: string }
  | { readonly state: "unknown"; readonly why: string };

const wallMs = 60_000;

async function compile(place: TypeCheckPlace, compiler: string, file: ToolFile): Promise<Compiled> {
  const { workdir, processes, clock, env, signal } = place;
  const end = await processes.runCommand({
    argv: [compiler, "-p", writeProject(place, file)],
    cwd: workdir,
    env,
    executionId: createId("call", clock.now()),
    signal,
    maxOutputBytes: 1024 * 1024,
    wallMs,
  });
  try {
    if (end.startError)
      return { state: "unknown", why: `The compiler could not be started: ${end.startError.message}` };
    if (end.stoppedBy !== null) return { state: "unknown", why: "The compiler took too long, or was stopped." };
    if (end.exitCode === 0) return { state: "fine" };
    const [first] = readFileSync(end.stdout.path, "utf8").split("\n");
    return { state: "wrong", complaint: (first ?? "").replace(/^.*?(?=[\w.-]+\(\d+,\d+\))/, "").slice(0, 500) };
  } finally {
    await end.discard();
  }
}

/** A project of one file: what the workdir's own project says is about other files. */
function writeProject({ folder, workdir }: TypeCheckPlace, file: ToolFile): string {
  const path = join(folder, `${file.hash}.tsconfig.json`);
  const hasNode = existsSync(join(workdir, "node_modules", "@types", "node"));
  const compilerOptions = {
    noEmit: true,
    skipLibCheck: true,
    target: "esnext",
    module: "nodenext",
    strict: true,
    noImplicitAny: false,
    allowImportingTsExtensions: true,
    types: hasNode ? ["node"] : [],
  };
  writeFileSync(path, JSON.stringify({ compilerOptions, files: [file.path] }), { mode: 0o600 });
  return path;
}
