import { fitCommand, type PartFit } from "./match-command.ts";
import { matchName, matchPath } from "./match-glob.ts";
import type { Rule, RuleSpec } from "./permission-rule.ts";
import { someFileBelow } from "./searched-folders.ts";
import type { SearchedPlace, Subject, TouchedPath } from "../assess-call.ts";

/** The rule that lets the whole call through: every part needs one that fits for sure. */
export function findAllowing(rules: readonly Rule[], toolId: string, subject: Subject): Rule | undefined {
  const named = rules.filter((rule) => namesTool(rule, toolId) || isWriteForEdit(rule, toolId));
  const whole = named.find(({ spec }) => spec === null);
  if (whole) return whole;
  const parts = partsOf(subject, "allow");
  let first: Rule | undefined;
  for (const part of parts) {
    const fitting = named.find(({ spec }) => spec !== null && part(spec) === "yes");
    if (!fitting) return undefined;
    first ??= fitting;
  }
  return first;
}

/** The rule that stops the call, or could: any part is enough. Sure ones come first. */
export function findRestricting(
  rules: readonly Rule[],
  toolId: string,
  subject: Subject,
): { readonly rule: Rule; readonly isSure: boolean } | undefined {
  const named = rules.filter((rule) => namesTool(rule, toolId));
  const whole = named.find(({ spec }) => spec === null);
  if (whole) return { rule: whole, isSure: true };
  const parts = partsOf(subject, "restrict");
  const fits = named.map((rule) => ({ rule, fit: bestFit(parts, rule.spec!) }));
  const sure = fits.find(({ fit }) => fit === "yes")?.rule ?? findByPath(rules, toolId, touchedBy(subject, toolId));
  if (sure) return { rule: sure, isSure: true };
  const possible =
    fits.find(({ fit }) => fit === "maybe")?.rule ??
    findByPath(rules, toolId, possiblyTouchedBy(subject)) ??
    findBelow(rules, subject, toolId);
  return possible && { rule: possible, isSure: false };
}

/** Which paths, relative to the workdir, these deny rules keep every tool from writing. */
export function deniesWriting(rules: readonly Rule[]): (path: string) => boolean {
  const touched = (path: string): TouchedPath => ({ given: path, access: "write", names: [path] });
  return (path) => findByPath(rules, "", [touched(path)]) !== undefined;
}

function namesTool({ tool }: Rule, toolId: string): boolean {
  return tool.endsWith("*") ? toolId.startsWith(tool.slice(0, -1)) : tool === toolId;
}

/** Whoever may write a file whole may change a part of it. */
function isWriteForEdit({ tool, spec }: Rule, toolId: string): boolean {
  return toolId === "edit" && tool === "write" && spec?.kind === "path";
}

/** What a call touches for sure, by whatever tool. */
function touchedBy(subject: Subject, toolId: string): readonly TouchedPath[] {
  if (subject.kind === "command") return subject.paths;
  const { named = [] } = subject;
  return subject.kind === "paths" ? [...ownPaths(subject.paths, toolId), ...named] : named;
}

function possiblyTouchedBy(subject: Subject): readonly TouchedPath[] {
  return subject.kind === "paths" ? [] : (subject.possible ?? []);
}

/** A search also reads what says which files to leave out, and shows nothing of that. */
function ownPaths(paths: readonly TouchedPath[], toolId: string): readonly TouchedPath[] {
  return searches.has(toolId) ? paths.slice(0, 1) : paths;
}

const searches = new Set(["list_files", "glob", "grep"]);
/** Tools whose path is one file, or a folder of which they show names only. */
const staysAtItsPath = new Set(["read", "write", "edit", "list_files", "glob"]);

/** The rule whose path this is: `read(…)` is about every call that reads there, `write(…)` and `edit(…)` about every one that writes. */
function findByPath(rules: readonly Rule[], toolId: string, paths: readonly TouchedPath[]): Rule | undefined {
  if (paths.length === 0) return undefined;
  return rules.find(
    ({ tool, spec }) =>
      spec?.kind === "path" &&
      paths.some((path) => isAbout(tool, path, toolId) && fitPath(spec.pattern, path, "restrict")),
  );
}

function isAbout(ruleTool: string, { access, mayBeRead }: TouchedPath, toolId: string): boolean {
  if (ruleTool === "write" || ruleTool === "edit") return access === "write";
  // An edit that does not fit shows the lines that come near it.
  return ruleTool === "read" && (access === "read" || mayBeRead === true || toolId === "edit");
}

/** A folder that holds what a rule is about: whether the call comes to it is not known. */
function findBelow(rules: readonly Rule[], subject: Subject, toolId: string): Rule | undefined {
  if (subject.kind === "command") {
    return rules.find(
      ({ tool, spec }) =>
        tool === "read" && spec?.kind === "path" && subject.searched.some((place) => isBelow(spec.pattern, place)),
    );
  }
  if (staysAtItsPath.has(toolId)) return undefined;
  const touched = touchedBy(subject, toolId);
  return rules.find(
    ({ tool, spec }) =>
      spec?.kind === "path" &&
      touched.some((path) => isAbout(tool, path, toolId) && path.names.some((name) => mayHold(name, spec.pattern))),
  );
}

/** By the names alone. */
function mayHold(folder: string, pattern: string): boolean {
  const parts = partsOfPath(pattern.toLowerCase());
  for (const [index, name] of partsOfPath(folder.toLowerCase()).entries()) {
    const part = parts[index];
    if (part === "**") return true;
    if (part === undefined || !matchName(part, name)) return false;
  }
  return true;
}

/** A file that fits lies there. */
function isBelow(pattern: string, { path, names, hidden, pattern: only }: SearchedPlace): boolean {
  return names.some(
    (name) =>
      mayHold(name, pattern) &&
      someFileBelow(path, {
        hidden,
        fits: (below) =>
          matchPath(pattern.toLowerCase(), `${name}/${below}`.toLowerCase()) &&
          (only === undefined || /\[/.test(only) || matchName(only, below.slice(below.lastIndexOf("/") + 1))),
      }),
  );
}

function partsOfPath(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

type Part = (spec: RuleSpec) => PartFit;

function partsOf(subject: Subject, effect: "allow" | "restrict"): Part[] {
  switch (subject.kind) {
    case "command":
      return (effect === "allow" ? subject.toAllow : subject.commands).map(
        (command) => (spec) => (spec.kind === "command" ? fitCommand(spec, command, effect) : "no"),
      );
    case "paths":
      return subject.paths.map(
        (path) => (spec) => (spec.kind === "path" && fitPath(spec.pattern, path, effect) ? "yes" : "no"),
      );
    case "url":
      return [(spec) => (spec.kind === "domain" && fitDomain(spec.domain, subject.host) ? "yes" : "no")];
    case "other":
      return [];
  }
}

function bestFit(parts: readonly Part[], spec: RuleSpec): PartFit {
  const fits = parts.map((part) => part(spec));
  return fits.includes("yes") ? "yes" : fits.includes("maybe") ? "maybe" : "no";
}

/**
 * To allow, every name of the place must fit; to stop, one is enough, in whatever case a file system may ignore, and a folder's
 * name means all that lies in it.
 */
function fitPath(pattern: string, { names }: TouchedPath, effect: "allow" | "restrict"): boolean {
  if (effect === "allow") return names.every((name) => matchPath(pattern, name));
  const folded = pattern.toLowerCase();
  return names.some((name) => [folded, `${folded}/`].some((each) => matchPath(each, name.toLowerCase())));
}

function fitDomain(domain: string, host: string | null): boolean {
  return host !== null && (host === domain || host.endsWith(`.${domain}`));
}
