import { join, resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { Place } from "./find-place.ts";
import { openPathGuard, type PathGuard } from "./open-path-guard.ts";
import { foldName, isWithin, namesBetween } from "./path-name.ts";
import { defaultProtectedPaths, instructionReason, protectedReason, reasonInWorkdir } from "./protected-names.ts";
import { isSecretPath } from "./secret-names.ts";
import { isSecretOfHome } from "./secret-places.ts";

export type PathOperation = "read" | "write" | "edit" | "delete" | "list" | "move" | "chmod" | "mkdir" | "execute";

export interface PathVerdict {
  /** It would go through without a person. */
  readonly allowed: boolean;
  /** A person may allow it; what is neither allowed nor asked for is refused. */
  readonly ask: boolean;
  readonly kind: "ok" | "outside" | "invalid" | "protected" | "instructions" | "secret" | "own" | "state";
  /** One sentence; null when it is allowed. */
  readonly reason: string | null;
  /** Where it leads: absolute, without symbolic links; null when that is outside or nowhere. */
  readonly resolved: string | null;
}

export interface JudgedWorkdir {
  readonly workdir: string;
  /** Paths from the workdir down that a change must be asked for, besides the names that always are. */
  readonly protectedPaths?: readonly string[];
  /** Absolute, without links: Deckhand's own folders besides those called `.deckhand`. No tool writes there. */
  readonly ownFolders?: readonly string[];
  /** Absolute: the person's home folder, where more names hold secrets than elsewhere. */
  readonly home?: string;
}

/**
 * Whether a path may be used for something, without doing it. An operation that is not known is judged as a write.
 * Never throws.
 */
export function judgePath(path: string, operation: string, place: JudgedWorkdir): PathVerdict {
  let guard: PathGuard | undefined;
  try {
    guard = openPathGuard({ root: place.workdir });
    return judge(guard, { path, operation: known(operation), place });
  } catch (thrown) {
    const name = guard === undefined ? `The workdir ${place.workdir}` : String(path);
    return refuse("invalid", `${name} ${problems[codeOf(thrown) ?? ""] ?? "can't be followed"}.`);
  } finally {
    guard?.close();
  }
}

const problems: Readonly<Record<string, string>> = {
  ELOOP: "can't be followed: its symbolic links lead in a circle",
  ENOTDIR: "can't exist: a part of it before the last is no folder",
  ENAMETOOLONG: "is too long for a path",
  EACCES: "can't be followed: the operating system refused access",
  ENOENT: "does not exist",
};

const operations = new Set(["read", "write", "edit", "delete", "list", "move", "chmod", "mkdir", "execute"]);

function known(operation: string): PathOperation {
  return operations.has(operation) ? (operation as PathOperation) : "write";
}

interface Question {
  readonly path: string;
  readonly operation: PathOperation;
  readonly place: JudgedWorkdir;
}

function judge(guard: PathGuard, question: Question): PathVerdict {
  const { path, operation } = question;
  // These act on the name: a link is removed or renamed itself.
  const found = guard.find(path, { last: operation === "delete" || operation === "move" ? "keep" : "follow" });
  if (!found.ok) return refuse(found.kind, found.problem);
  return {
    ...judgeFound(guard, { place: found, ...waysTo(guard, found.path, question) }, question),
    resolved: found.path,
  };
}

interface Found {
  readonly place: Place;
  /** Absolute: as it is without links, and as it was given. */
  readonly paths: readonly string[];
  /** The names that lead there from the workdir, for each of them. */
  readonly ways: readonly (readonly string[])[];
}

function waysTo(guard: PathGuard, resolved: string, { path, place }: Question): Pick<Found, "paths" | "ways"> {
  const asked = resolve(place.workdir, path);
  const ways = [namesBetween(guard.root, resolved)];
  if (!isWithin(place.workdir, asked)) return { paths: [resolved], ways };
  return { paths: [resolved, asked], ways: [...ways, namesBetween(resolve(place.workdir), asked)] };
}

function judgeFound(guard: PathGuard, found: Found, question: Question): PathVerdict {
  const { path, operation, place } = question;
  const paths = [...found.paths, ...found.ways.map((names) => join(guard.root, ...names))];
  if (changes.has(operation)) {
    const takesAll = operation === "delete" || operation === "move";
    const touches = (own: string): boolean =>
      paths.some((each) => isWithin(own, each) || (takesAll && isWithin(each, own)));
    if (place.ownFolders?.some(touches)) {
      return refuse("state", `${path} belongs to Deckhand's own state, which no tool may change.`);
    }
    if (paths.some((each) => isOwn(guard, each))) {
      return refuse("own", `${path} belongs to Deckhand's own records, which no tool may change.`);
    }
  }
  const problem = kindProblem(guard, found.place, question);
  return problem === undefined ? judgeNames(guard, found, question) : refuse("invalid", problem);
}

/** Why what is there can't be used that way, whoever allows it. */
function kindProblem(guard: PathGuard, { path: resolved, stats }: Place, question: Question): string | undefined {
  const { path, operation } = question;
  const isChange = changes.has(operation) && operation !== "mkdir";
  if (isChange && resolved === guard.root) return `${path} is the workdir itself, which stays as it is.`;
  const isReplaced = operation === "write" || operation === "edit";
  if (isReplaced && (path.endsWith("/") || stats?.isDirectory())) return `${path} names a folder, not a file.`;
  if (stats === undefined || stats.isDirectory() || operation === "delete" || operation === "move") return undefined;
  if (!stats.isFile()) return `${path} is a pipe, socket or device, not a file or folder.`;
  if (operation === "mkdir") return `${path} is a file that is there already.`;
  if (operation === "chmod" && stats.nlink > 1n)
    return `${path} has other names (hard links), which may lie elsewhere.`;
  return undefined;
}

const changes: ReadonlySet<PathOperation> = new Set(["write", "edit", "delete", "move", "chmod", "mkdir"]);
/** What shows the content to whoever asked, or lets it be shown under a harmless name. */
const disclosures: ReadonlySet<PathOperation> = new Set(["read", "edit", "move", "execute"]);

/** Names count wherever they lie on the whole path: a workdir inside `.vscode` does not make its files harmless. */
function judgeNames(
  guard: PathGuard,
  { place: { path: resolved }, paths, ways }: Found,
  question: Question,
): PathVerdict {
  const { path, operation, place } = question;
  const wholeWays = paths.map((each) => namesBetween("/", each));
  if (changes.has(operation)) {
    const protectedPaths = place.protectedPaths ?? defaultProtectedPaths;
    const reason =
      firstOf(wholeWays, protectedReason) ??
      firstOf(ways, (names) => reasonInWorkdir(names, protectedPaths)) ??
      reasonByLink(guard, resolved, { operation, protectedPaths });
    if (reason !== undefined) return askAPerson("protected", `Changing ${path} needs a person: ${reason}.`);
    const instruction = firstOf(ways, instructionReason);
    if (instruction !== undefined)
      return askAPerson("instructions", `Changing ${path} is asked about: ${instruction}.`);
  }
  if (disclosures.has(operation) && (wholeWays.some(isSecretPath) || paths.some((each) => isPrivate(each, place)))) {
    const verb = operation === "move" ? "Moving" : operation === "edit" ? "Editing" : "Reading";
    return askAPerson("secret", `${verb} ${path} needs a person: secrets are kept in files of this name.`);
  }
  return { allowed: true, ask: false, kind: "ok", reason: null, resolved: null };
}

function isPrivate(path: string, { home, ownFolders = [] }: JudgedWorkdir): boolean {
  if (ownFolders.some((folder) => isWithin(folder, path))) return true;
  return home !== undefined && isWithin(home, path) && isSecretOfHome(namesBetween(home, path));
}

function firstOf<Value>(ways: Found["ways"], find: (names: readonly string[]) => Value | undefined): Value | undefined {
  for (const names of ways) {
    const found = find(names);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A protected path may be a link to what is changed here, or lie below what is removed. */
function reasonByLink(
  guard: PathGuard,
  resolved: string,
  { operation, protectedPaths }: { readonly operation: PathOperation; readonly protectedPaths: readonly string[] },
): string | undefined {
  const takesAll = operation === "delete" || operation === "move";
  const isTouched = (path: string): boolean => {
    const real = realPathOf(guard, path);
    return real !== undefined && (isWithin(real, resolved) || (takesAll && isWithin(resolved, real)));
  };
  const touched = protectedPaths.find(isTouched);
  return touched === undefined ? undefined : `${touched}, which Deckhand runs or obeys, leads there`;
}

function realPathOf(guard: PathGuard, path: string): string | undefined {
  try {
    const place = guard.find(path);
    if (!place.ok) return undefined;
    guard.release(place);
    return place.path;
  } catch {
    // One that can't be followed leads to nothing that could be changed here.
    return undefined;
  }
}

function refuse(kind: PathVerdict["kind"], reason: string): PathVerdict {
  return { allowed: false, ask: false, kind, reason, resolved: null };
}

function askAPerson(kind: PathVerdict["kind"], reason: string): PathVerdict {
  return { ...refuse(kind, reason), ask: true };
}

/** The folder in a workdir where Deckhand keeps its store, its log and the outputs that were too long to show. */
export const ownFolder = ".deckhand";

/** Whether a place (absolute, without links) is such a folder or lies in one, also one of a workdir further down or up. */
export function isOwn(guard: PathGuard, path: string): boolean {
  if (namesBetween("/", path).some((name) => foldName(name) === ownFolder)) return true;
  const records = realRecords(guard);
  return records !== undefined && isWithin(records, path);
}

/** It may be a link itself; one that leads in a circle or outside leads to no file of the workdir. */
function realRecords(guard: PathGuard): string | undefined {
  try {
    const place = guard.find(ownFolder);
    if (!place.ok) return undefined;
    guard.release(place);
    return place.path;
  } catch {
    return undefined;
  }
}
