import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { CommandAnalysis } from "../../../packages/command-analysis/src/analyse-command.ts";
import type { SimpleCommand, Word } from "../../../packages/command-analysis/src/simple-command.ts";
import { findSecretBelow } from "../../guard/path/secret-names.ts";
import type { SearchedPlace, TouchedPath } from "../assess-call.ts";
import type { JudgedPath, Judges } from "../open-decide.ts";
import { findRepositoryProgram } from "../trust/repository-programs.ts";
import { expandGlob, within } from "./match-glob.ts";
import {
  pathsIn,
  possiblePathsIn,
  possiblePathsInInput,
  revisionPathsIn,
  searchedFolders,
} from "./searched-folders.ts";

type PathJudge = Pick<Judges, "path">;

export interface CommandPaths {
  /** Arguments that lie in the workdir, or would. */
  readonly paths: readonly TouchedPath[];
  /** What may name a path, but only somebody who knows the program can say. */
  readonly possible: readonly TouchedPath[];
  /** Folders whose files are read or copied without being named. */
  readonly searched: readonly SearchedPlace[];
  /** Arguments that certainly or possibly lead outside of it. */
  readonly outside: readonly string[];
  /** Why secrets may be read, in words. */
  readonly secrets: readonly string[];
  /** What would run a program although the command only looks, such as a setting of the repository. */
  readonly programs: readonly string[];
}

/**
 * Which arguments of commands name files. Any word may: `cat .env` does not say that `.env` is one. A relative one is looked
 * at from every folder that a `cd` before it may have led to, and from those that the command's own options name.
 */
export function wordPaths(
  { commands, changing, isComplete }: Pick<CommandAnalysis, "commands" | "changing" | "isComplete">,
  judges: PathJudge,
  cwd: string,
): CommandPaths {
  const gathering = new Gathering(judges);
  let folders = [cwd];
  for (const command of commands) {
    gathering.isReading = isComplete && !changing.includes(command);
    gathering.addCommand(command, folders);
    if (command.name !== "cd" && command.name !== "pushd") continue;
    const next = nextFolders(command, folders);
    if (next === null) gathering.outside.push(command.source);
    else folders = [...new Set([...folders, ...next])];
  }
  const { paths, possible, searched, outside, secrets, programs } = gathering;
  return { paths, possible, searched, outside, secrets, programs };
}

/** Programs that read no file, whatever they are given. */
const saysOnly = new Set("echo printf test [ true false : expr seq basename dirname kill sleep".split(" "));

class Gathering implements CommandPaths {
  readonly paths: TouchedPath[] = [];
  readonly possible: TouchedPath[] = [];
  readonly searched: SearchedPlace[] = [];
  readonly outside: string[] = [];
  readonly secrets: string[] = [];
  readonly programs: string[] = [];
  /** The command that is looked at is proved to change nothing. */
  isReading = false;
  private readonly judges: PathJudge;

  constructor(judges: PathJudge) {
    this.judges = judges;
  }

  addCommand(command: SimpleCommand, folders: readonly string[]): void {
    const all = [...folders, ...optionFolders(command, folders)];
    if (command.name === "git") this.programs.push(...all.flatMap((folder) => findRepositoryProgram(folder) ?? []));
    for (const word of readWords(command)) {
      if (word.kind === "dynamic") this.outside.push(word.text);
      else for (const folder of all) this.addWord(command, word, folder);
    }
    // A pattern shows the names in a folder even where nothing reads the files.
    for (const word of shownWords(command)) for (const folder of all) this.addPattern(word, folder);
    for (const folder of all) {
      for (const path of possiblePathsInInput(command)) this.addPossible(path, folder);
      this.addSearched(command, folder);
    }
  }

  private addWord(command: SimpleCommand, word: Word, folder: string): void {
    const named = word.kind === "glob" ? expandGlob(word, folder) : [];
    if (named === null) this.secrets.push(`${word.text} may mean more files than can be looked at`);
    for (const path of [...pathsIn(word.text), ...(named ?? [])]) {
      for (const verdict of this.judge(path, folder)) {
        if (verdict.kind === "secret") this.secrets.push(`${path} looks like a file of secrets`);
        if (verdict.kind === "outside" && mayBePath(path, folder)) this.outside.push(path);
        else this.paths.push(this.touch(path, verdict));
      }
    }
    for (const path of revisionPathsIn(command, word)) {
      const [verdict] = this.judge(path, folder);
      if (verdict?.kind === "secret") this.secrets.push(`${word.text} looks like a file of secrets`);
      if (verdict) this.paths.push(this.touch(path, verdict));
    }
    for (const path of possiblePathsIn(command, word, folder)) this.addPossible(path, folder);
  }

  /** What a word is to its program, only the program knows; one that may change something may read it as well. */
  private touch(given: string, { names }: JudgedPath): TouchedPath {
    return this.isReading ? { given, access: "read", names } : { given, access: "write", mayBeRead: true, names };
  }

  private addPattern(word: Word, folder: string): void {
    const { text } = word;
    const named = expandGlob(word, folder);
    const isOutside = (path: string): boolean => this.judge(path, folder).some(({ kind }) => kind === "outside");
    if (named === null || [text, ...named].some(isOutside)) this.outside.push(text);
  }

  private addPossible(path: string, folder: string): void {
    for (const verdict of this.judge(path, folder)) {
      this.possible.push(this.touch(path, verdict));
      if (verdict.kind === "secret" && existsSync(within(folder, path)))
        this.secrets.push(`${path} looks like a file of secrets`);
    }
  }

  private addSearched(command: SimpleCommand, from: string): void {
    for (const { folder, hidden, isShown, ...only } of searchedFolders(command)) {
      const path = physicalPath(within(from, folder));
      this.searched.push({ path, names: this.judge(folder, from).flatMap(({ names }) => names), hidden, ...only });
      if (!isShown) continue;
      const below = findSecretBelow(path, { hidden });
      if (below.found !== null) this.secrets.push(`it would read ${below.found}, which looks like a file of secrets`);
      else if (!below.isWhole)
        this.secrets.push(`there are too many files below ${folder} to look for secrets among them`);
    }
  }

  /** As it is written, and as the system reads it, where a link makes that another place. */
  private judge(path: string, folder: string): JudgedPath[] {
    const written = within(folder, path);
    const places = written.includes("..") ? new Set([resolve(written), physicalPath(written)]) : [written];
    return [...places].map((place) => this.judges.path(place, "read"));
  }
}

function readWords({ name, words, redirects }: SimpleCommand): Word[] {
  const files = redirects.flatMap(({ operator, target }) =>
    operator === "<&" || operator === ">&" || target.text === "/dev/null" ? [] : [target],
  );
  return saysOnly.has(name) ? files : [...words.slice(1), ...files];
}

/** Patterns whose names are only printed, or kept: `echo *`, `for x in *`, `a=(*)`. */
function shownWords({ name, words, assignments }: SimpleCommand): Word[] {
  const kept = assignments.flatMap(({ value }) =>
    value.text.startsWith("(")
      ? value.text
          .slice(1, -1)
          .split(/\s+/)
          .map((text) => ({ ...value, text }))
      : [value],
  );
  return [...(saysOnly.has(name) ? words.slice(1) : []), ...kept].filter(({ kind }) => kind === "glob");
}

/** `/^a.*b$/` given to grep is outside the workdir only by its looks. */
function mayBePath(path: string, folder: string): boolean {
  return !/[\^$|()\\{}]/.test(path) || existsSync(within(folder, path));
}

const mostFolders = 8;

/** Where a `cd` may lead from these folders; null when that is not known. */
function nextFolders({ words }: SimpleCommand, folders: readonly string[]): string[] | null {
  const target = words.slice(1).find(({ text }) => !text.startsWith("-") || text === "-");
  if (target?.kind !== "literal" || target.text === "-" || folders.length > mostFolders) return null;
  // By name, as shells do it, and by where links lead, as they do it with -P.
  return folders.flatMap((folder) => [resolve(folder, target.text), physicalPath(within(folder, target.text))]);
}

/** Folders that an option tells a program to work in: `env -C sub`, `git -C sub`, `make --directory=sub`. */
function optionFolders({ words }: SimpleCommand, folders: readonly string[]): string[] {
  const named = words.flatMap(({ text }, index) => {
    const glued = /^(?:-C|--(?:directory|chdir|cwd|dir|prefix|work-tree|working-dir(?:ectory)?|project)=)(.+)$/.exec(
      text,
    );
    if (glued) return [glued[1]!];
    const next = words[index + 1];
    return folderOption.test(text) && next?.kind === "literal" ? [next.text] : [];
  });
  const places = named
    .slice(0, mostFolders)
    .flatMap((name) => folders.map((folder) => physicalPath(within(folder, name))));
  return [...new Set(places)].filter(isFolder);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

const folderOption = /^(?:-C|--(?:directory|chdir|cwd|dir|prefix|work-tree|working-dir(?:ectory)?|project)|-[dDw])$/;

/**
 * Where the system would look for an absolute path: `link/..` is the folder above the place that the link leads to, not above the
 * link. A name that is not there leads nowhere, so for it the text decides.
 */
function physicalPath(path: string): string {
  let at = "/";
  for (const name of path.split("/")) {
    if (name === "..") at = dirname(realPath(at));
    else at = join(at, name);
  }
  return at;
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
