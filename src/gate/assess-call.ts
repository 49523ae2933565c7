import { resolve } from "node:path";
import { isThenable } from "../core/is-thenable.ts";
import type { Recheck, Tool } from "../core/tool.ts";
import type { CommandAnalysis } from "../safety/command/analyse-command.ts";
import type { Finding } from "../safety/command/finding.ts";
import { wordPaths } from "./command-paths.ts";
import { partsToAllow, type CommandPlace } from "./parts-to-allow.ts";
import type { Judges } from "./judges.ts";
import type { CallKind } from "./mode.ts";
import type { Subject, TouchedPath } from "./subject.ts";

/** What a call would do, as far as permission is concerned. */
export interface Assessment {
  readonly kind: Exclude<CallKind, "danger">;
  readonly subject: Subject;
  /** What needs a person's yes whatever the rules say. */
  readonly dangers: readonly Finding[];
  /** What is asked about although the mode would let it through; a rule or a grant settles it. */
  readonly doubts: readonly string[];
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
    const finish = (found: CommandAnalysis): Assessment => assessCommand(found, judges, place);
    return isThenable(analysis) ? Promise.resolve(analysis).then(finish) : finish(analysis);
  }
  if (call.tool.name === "run_python" && typeof input["code"] === "string") {
    const found = judges.code("python", input["code"], cwd);
    const finish = (dangers: readonly Finding[]): Assessment => ({ ...other, kind: "shell", dangers, isHeld: true });
    return isThenable(found) ? Promise.resolve(found).then(finish) : finish(found);
  }
  const found = assessOther(call, input, judges);
  return call.tool.isHeld ? { ...found, isHeld: true } : found;
}

function assessOther(call: CallToAssess, input: Readonly<Record<string, unknown>>, judges: Judges): Assessment {
  const found = assessResources(call, judges);
  // What it writes counts more than where it reads from.
  if (typeof input["url"] === "string" && found.subject.kind === "other") return assessUrl(input["url"]);
  // A search changes nothing here, but what is asked for leaves the machine.
  return call.tool.traits.category === "web" && found.subject.kind === "other" ? other : found;
}

const other: Assessment = { kind: "shell", subject: { kind: "other" }, dangers: [], doubts: [] };
const harmless: Assessment = { ...other, kind: "read" };

function assessCommand(analysis: CommandAnalysis, judges: Judges, place: CommandPlace): Assessment {
  const { paths, possible, searched, outside, secrets } = wordPaths(analysis.commands, judges, place.cwd);
  const doubts = [...secrets];
  const staysInside = outside.length === 0;
  if (analysis.isReadOnly && !staysInside) doubts.push(`${outside[0]} is outside the workdir`);
  return {
    kind: analysis.isReadOnly && doubts.length === 0 ? "read" : "shell",
    subject: {
      kind: "command",
      commands: analysis.commands,
      toAllow: partsToAllow(analysis, {
        ...place,
        judges,
        isProved: doubts.length === 0 && staysInside,
      }),
      paths,
      possible,
      searched,
    },
    dangers: analysis.findings,
    doubts,
    isHeld: true,
  };
}

function assessUrl(url: string): Assessment {
  return { ...other, subject: { kind: "url", host: URL.parse(url)?.hostname.toLowerCase() ?? null } };
}

function assessResources({ tool, input }: CallToAssess, judges: Judges): Assessment {
  // Only our own background processes can be listed, read and stopped by it.
  if (tool.name === "processes") return harmless;
  const touched = touchedPaths(tool, input);
  if (touched === null) return tool.traits.readOnly ? harmless : other;
  const paths: TouchedPath[] = [];
  const places = new Map<string, string>();
  const dangers: Finding[] = [];
  const doubts: string[] = [];
  for (const { path, access } of touched) {
    const verdict = judges.path(path, access);
    if (verdict.resolved !== null) places.set(path, verdict.resolved);
    paths.push({ given: path, access, names: verdict.names });
    if (verdict.kind === "protected" && access === "write") {
      dangers.push({ verdict: "danger", rule: "protected.path", reason: verdict.reason ?? "", command: path });
    } else if (verdict.kind === "secret" && access === "read") doubts.push(verdict.reason ?? path);
  }
  const kind = touched.some(({ access }) => access === "write") ? "edit" : "read";
  return { kind, subject: { kind: "paths", paths }, dangers, doubts, recheck: recheckOf(places) };
}

/** Between the judgement and the run a call may wait, and somebody may put a link in the place of a folder. */
function recheckOf(places: ReadonlyMap<string, string>): Recheck {
  return (given, leadsTo) => {
    const judged = places.get(given);
    if (judged === undefined || judged === leadsTo) return undefined;
    return `${given} leads elsewhere now than when it was allowed.`;
  };
}

/** Null when the tool does not say, or touches more than paths. */
function touchedPaths(tool: Tool, input: unknown): { path: string; access: "read" | "write" }[] | null {
  let resources;
  try {
    resources = tool.resources?.(input);
  } catch {
    return null;
  }
  if (resources === undefined || resources.length === 0) return null;
  const paths = resources.flatMap((each) => (each.kind === "path" ? [{ path: each.path, access: each.access }] : []));
  return paths.length === resources.length ? paths : null;
}
