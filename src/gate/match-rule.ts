import { fitCommand, type PartFit } from "./match-command.ts";
import { matchName, matchPath } from "./match-glob.ts";
import type { Rule, RuleSpec } from "./rule.ts";
import { someFileBelow } from "./searched-folders.ts";
import type { SearchedPlace, Subject, TouchedPath } from "./subject.ts";

/** The rule that lets the whole call through: every part needs one that fits for sure. */
export function findAllowing(rules: readonly Rule[], toolId: string, subject: Subject): Rule | undefined {
  const named = rules.filter((rule) => namesTool(rule, toolId));
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
  const sure = fits.find(({ fit }) => fit === "yes") ?? findByPath(rules, touchedBy(subject, toolId));
  if (sure) return { rule: sure.rule, isSure: true };
  const possible =
    fits.find(({ fit }) => fit === "maybe") ??
    (subject.kind === "command" ? findByPath(rules, { tools: fileTools, paths: subject.possible }) : undefined) ??
    findBelow(rules, subject, toolId);
  return possible && { rule: possible.rule, isSure: false };
}

function namesTool({ tool }: Rule, toolId: string): boolean {
  return tool.endsWith("*") ? toolId.startsWith(tool.slice(0, -1)) : tool === toolId;
}

const fileTools = ["read", "write", "edit"];

interface Touched {
  /** Whose rules count. */
  readonly tools: readonly string[];
  readonly paths: readonly TouchedPath[];
}

/** A file that may not be read or written by the file tools may not be by a command that names it, or by a search. */
function touchedBy(subject: Subject, toolId: string): Touched {
  if (subject.kind === "command") return { tools: fileTools, paths: subject.paths };
  return { tools: ["read"], paths: subject.kind === "paths" && toolId === "grep" ? subject.paths : [] };
}

function findByPath(rules: readonly Rule[], { tools, paths }: Touched): { readonly rule: Rule } | undefined {
  const rule = rules.find(
    ({ tool, spec }) =>
      tools.includes(tool) && spec?.kind === "path" && paths.some((path) => fitPath(spec.pattern, path, "restrict")),
  );
  return rule && { rule };
}

/** A search of a folder that holds what may not be read: whether it finds it is not known. */
function findBelow(rules: readonly Rule[], subject: Subject, toolId: string): { readonly rule: Rule } | undefined {
  const rule = rules.find(({ tool, spec }) => {
    if (tool !== "read" || spec?.kind !== "path") return false;
    if (subject.kind === "command") return subject.searched.some((place) => isBelow(spec.pattern, place));
    if (toolId !== "grep" || subject.kind !== "paths") return false;
    return subject.paths.some(({ names }) => names.some((name) => mayHold(name, spec.pattern)));
  });
  return rule && { rule };
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

/** To allow, every name of the place must fit; to stop, one is enough, in whatever case a file system may ignore. */
function fitPath(pattern: string, { names }: TouchedPath, effect: "allow" | "restrict"): boolean {
  if (effect === "allow") return names.every((name) => matchPath(pattern, name));
  return names.some((name) => matchPath(pattern.toLowerCase(), name.toLowerCase()));
}

function fitDomain(domain: string, host: string | null): boolean {
  return host !== null && (host === domain || host.endsWith(`.${domain}`));
}
