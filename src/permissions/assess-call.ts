import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";
import { bareCommand, type SimpleCommand } from "../../packages/command-analysis/src/simple-command.ts";
import { isThenable } from "../core/json.ts";
import type { Access, Recheck, Resource, Tool } from "../core/tool.ts";
import { isWithin } from "../guard/path/path-name.ts";
import { partsToAllow, type CommandPlace } from "./approvals/parts-to-allow.ts";
import type { CallKind } from "./mode.ts";
import type { Judges } from "./open-decide.ts";
import { wordPaths } from "./rules/command-paths.ts";
import { pathsIn, pathsInCode } from "./rules/searched-folders.ts";

/** What a call would do, as far as permission is concerned. */
export interface Assessment {
  readonly kind: Exclude<CallKind, "danger">;
  readonly subject: Subject;
  /** What needs a person's yes whatever the rules say. */
  readonly dangers: readonly Finding[];
  /** What is asked about although the mode would let it through; a rule or a grant settles it. */
  readonly doubts: readonly string[];
  /** Why nobody can allow it. */
  readonly refusal?: string;
  /** See `ToolContext`: the paths were judged by where they lead now. */
  readonly recheck?: Recheck;
  /** A sandbox of the operating system holds what it starts, where there is one. */
  readonly isHeld?: boolean;
  /** A rule says that it is to be asked each time: a yes for longer would mean nothing. */
  readonly isAskedEachTime?: boolean;
}

export interface CallToAssess {
  readonly tool: Tool;
  readonly input: unknown;
  readonly workdir: string;
}

/** Never throws for what the input holds: it was checked against the tool's schema before. */
export function assessCall(call: CallToAssess, judges: Judges): Assessment | Promise<Assessment> {
  const input = (call.input ?? {}) as Readonly<Record<string, unknown>>;
  const cwd = resolve(call.workdir, typeof input["cwd"] === "string" ? input["cwd"] : ".");
  if (call.tool.name === "bash" && typeof input["command"] === "string") {
    const analysis = judges.command(input["command"], cwd);
    const place = { cwd, workdir: call.workdir };
    const isKept = input["keep_running"] === true;
    const finish = (found: CommandAnalysis): Assessment => assessCommand(found, judges, { ...place, isKept });
    return isThenable(analysis) ? Promise.resolve(analysis).then(finish) : finish(analysis);
  }
  if (call.tool.name === "run_python" && typeof input["code"] === "string") {
    const found = judges.code("python", input["code"], cwd);
    const possible = pathsInCode(input["code"]).map((path) => touchEither(judges, path));
    const subject: Subject = { kind: "other", possible };
    const finish = (dangers: readonly Finding[]): Assessment => ({ ...other, subject, dangers, isHeld: true });
    return isThenable(found) ? Promise.resolve(found).then(finish) : finish(found);
  }
  if (call.tool.name === "use_agent" && typeof input["cwd"] === "string") return assessTask(input["cwd"], call.workdir);
  const found = assessOther(call, input, judges);
  const changed = call.tool.changed?.(call.input);
  const { name } = call.tool;
  const dangers: Finding[] =
    changed === undefined ? [] : [{ verdict: "danger", rule: "mcp.changed", reason: changed, command: name }];
  const all = dangers.length === 0 ? found : { ...found, dangers: [...found.dangers, ...dangers] };
  return call.tool.isHeld ? { ...all, isHeld: true } : all;
}

function assessOther(call: CallToAssess, input: Readonly<Record<string, unknown>>, judges: Judges): Assessment {
  const found = assessResources(call, judges);
  const { subject } = found;
  if (subject.kind !== "other") return found;
  // What it writes counts more than where it reads from.
  if (typeof input["url"] === "string") {
    const host = URL.parse(input["url"])?.hostname.toLowerCase() ?? null;
    return { ...other, subject: { ...subject, kind: "url", host } };
  }
  // A search changes nothing here, but what is asked for leaves the machine.
  return call.tool.traits.category === "web" ? { ...other, subject } : found;
}

const other: Assessment = { kind: "shell", subject: { kind: "other" }, dangers: [], doubts: [] };
const harmless: Assessment = { ...other, kind: "read" };

/** A background agent works freely in the folder it is given, so one outside the workdir is a person's to choose. */
function assessTask(cwd: string, workdir: string): Assessment {
  const folder = realPathOf(resolve(workdir, cwd));
  const recheck = recheckOf(new Map([[cwd, folder]]));
  if (isWithin(workdir, folder)) return { ...other, recheck };
  const reason = `The agent would work outside the workdir, in ${folder}`;
  return { ...other, dangers: [{ verdict: "danger", rule: "task.outside", reason, command: cwd }], recheck };
}

/** One that is not there yet leads nowhere. */
function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function assessCommand(
  analysis: CommandAnalysis,
  judges: Judges,
  { isKept, ...place }: CommandPlace & { readonly isKept: boolean },
): Assessment {
  const { paths, possible, searched, outside, secrets, programs } = wordPaths(analysis, judges, place.cwd);
  const isReadOnly = analysis.isReadOnly && programs.length === 0;
  const doubts = [...secrets];
  const staysInside = outside.length === 0;
  if (isReadOnly && !staysInside) doubts.push(`${outside[0]} is outside the workdir`);
  const toAllow = partsToAllow(analysis, {
    ...place,
    judges,
    isProved: doubts.length === 0 && staysInside && programs.length === 0,
  });
  return {
    kind: isReadOnly && doubts.length === 0 && !isKept ? "read" : "shell",
    subject: {
      kind: "command",
      commands: analysis.commands,
      // That it outlives the program, no rule about its words allows.
      toAllow: isKept ? [...toAllow, bareCommand] : toAllow,
      paths,
      // What is started in a folder may touch anything there.
      possible: place.cwd === resolve(place.workdir) ? possible : [...possible, touchEither(judges, place.cwd)],
      searched,
    },
    dangers: analysis.findings,
    doubts,
    isHeld: true,
  };
}

function assessResources({ tool, input }: CallToAssess, judges: Judges): Assessment {
  // Only our own background processes can be listed, read and stopped by it.
  if (tool.name === "processes") return harmless;
  const touched = touchedPaths(tool, input);
  if (touched.isMore) {
    const named = touched.paths.map(({ path, access }) => {
      const { names } = judges.path(path, "read");
      return { given: path, access, mayBeRead: !touched.isDeclared, names };
    });
    return { ...(tool.traits.readOnly ? harmless : other), subject: { kind: "other", named } };
  }
  const paths: TouchedPath[] = [];
  const places = new Map<string, string>();
  let refusal: string | undefined;
  const dangers: Finding[] = [];
  const doubts: string[] = [];
  for (const { path, access } of touched.paths) {
    const verdict = judges.path(path, access);
    if (verdict.resolved !== null) places.set(path, verdict.resolved);
    paths.push({ given: path, access, names: verdict.names });
    if (verdict.kind === "protected" && access === "write") {
      dangers.push({ verdict: "danger", rule: "protected.path", reason: verdict.reason ?? "", command: path });
    } else if (verdict.kind === "instructions" && access === "write") doubts.push(verdict.reason ?? path);
    else if (verdict.kind === "state" && access === "write") refusal ??= verdict.reason ?? path;
    else if (verdict.kind === "secret" && access === "read") doubts.push(verdict.reason ?? path);
  }
  const kind = touched.paths.some(({ access }) => access === "write") ? "edit" : "read";
  const named = patternFolder(tool, input).map((path): TouchedPath => {
    return { given: path, access: "read", names: judges.path(path, "read").names };
  });
  return {
    kind,
    subject: { kind: "paths", paths, named },
    dangers,
    doubts,
    recheck: recheckOf(places),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** Between the judgement and the run a call may wait, and somebody may put a link in the place of a folder. */
function recheckOf(places: ReadonlyMap<string, string>): Recheck {
  return (given, leadsTo) => {
    const judged = places.get(given);
    if (judged === undefined || judged === leadsTo) return undefined;
    return `${given} leads elsewhere now than when it was allowed.`;
  };
}

interface Touched {
  readonly paths: readonly { readonly path: string; readonly access: "read" | "write" }[];
  /** It touches more than these, or does not say. */
  readonly isMore: boolean;
  /** False: they are what in the input looks like a path. */
  readonly isDeclared: boolean;
}

function touchedPaths(tool: Tool, input: unknown): Touched {
  let resources: readonly Resource[] | undefined;
  try {
    resources = tool.resources?.(input);
  } catch {
    // It does not say.
  }
  const access = tool.traits.readOnly ? "read" : "write";
  if (resources === undefined || resources.some(({ kind }) => kind === "everything")) {
    return { paths: pathsInInput(input).map((path) => ({ path, access })), isMore: true, isDeclared: false };
  }
  const paths = resources.flatMap((each) => (each.kind === "path" ? [{ path: each.path, access: each.access }] : []));
  return { paths, isMore: resources.length === 0 || paths.length < resources.length, isDeclared: true };
}

const mostNamed = 200;

/** Each text of an input that could be the name of one file. */
function pathsInInput(input: unknown): string[] {
  const found: string[] = [];
  const waiting: unknown[] = [input];
  for (let value = waiting.pop(); waiting.length > 0 || value !== undefined; value = waiting.pop()) {
    if (found.length >= mostNamed) break;
    if (typeof value === "string") {
      if (value.length <= 4096 && !/[\n\r\0]/.test(value)) found.push(...pathsIn(value));
    } else if (typeof value === "object" && value !== null) waiting.push(...Object.values(value));
  }
  return found;
}

/** The folder that a pattern of glob begins with: `src` of `src/*.ts`. */
function patternFolder({ name }: Tool, input: unknown): string[] {
  const { pattern, path = "." } = (input ?? {}) as { readonly pattern?: unknown; readonly path?: string };
  if (name !== "glob" || typeof pattern !== "string") return [];
  const parts = pattern.split("/");
  const wild = parts.findIndex((part) => /[*?[{]/.test(part));
  const fixed = (wild < 0 ? parts : parts.slice(0, wild)).join("/");
  return fixed === "" ? [] : [join(path, fixed)];
}

function touchEither(judges: Pick<Judges, "path">, path: string): TouchedPath {
  return { given: path, access: "write", mayBeRead: true, names: judges.path(path, "read").names };
}

export interface TouchedPath {
  /** As the call says it. */
  readonly given: string;
  readonly access: Access;
  /** It is written, and may be read as well: rules for either cover it. */
  readonly mayBeRead?: boolean;
  /** Relative to the workdir: as written, and where links lead when that is another place. */
  readonly names: readonly string[];
}

/** A folder whose files a command reads or copies without naming them. */
export interface SearchedPlace {
  /** Absolute. */
  readonly path: string;
  /** As those of a touched path. */
  readonly names: readonly string[];
  /** Whether also what lies behind names that begin with a dot. */
  readonly hidden: boolean;
  /** Only files whose last name fits this. */
  readonly pattern?: string;
}

/** What rules are matched against. */
export type Subject =
  | {
      readonly kind: "command";
      /** Every program that would be started. */
      readonly commands: readonly SimpleCommand[];
      /** Those that a rule must allow; the others only read, inside the workdir, and do not change what these mean. */
      readonly toAllow: readonly SimpleCommand[];
      /** Arguments that are, or could be, paths in the workdir. */
      readonly paths: readonly TouchedPath[];
      /** What may be a path: pieces of code, letters glued to an option. */
      readonly possible: readonly TouchedPath[];
      readonly searched: readonly SearchedPlace[];
    }
  | {
      readonly kind: "paths";
      readonly paths: readonly TouchedPath[];
      /** A folder that the call's own pattern names: `kept` of `glob kept/*`. */
      readonly named?: readonly TouchedPath[];
    }
  | ({ readonly kind: "url"; readonly host: string | null } & NamedPaths)
  | ({ readonly kind: "other" } & NamedPaths);

/** Of a call that may touch more than paths: rules can stop it by these, and never allow it by them. */
interface NamedPaths {
  readonly named?: readonly TouchedPath[];
  /** What may be a path: pieces of code. */
  readonly possible?: readonly TouchedPath[];
}
