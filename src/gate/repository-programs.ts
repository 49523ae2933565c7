import { accessSync, constants, lstatSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";

/** More is nobody's configuration. */
const maxFiles = 20;
const maxBytes = 1_000_000;

/**
 * What makes git run a program when it only looks (`git status`, `git diff`, `git log -p`), by the own settings of the
 * repository that a folder lies in; undefined when nothing does. The person's own settings elsewhere are theirs. What the
 * environment of commands switches off (a file system monitor, a pager) does not count.
 */
export function findRepositoryProgram(folder: string): string | undefined {
  const git = findGitFolder(folder);
  if (git === undefined) return undefined;
  try {
    const common = readCommonFolder(git);
    const settings = readSettings([join(common, "config"), join(git, "config.worktree")]);
    if (settings === undefined) return "its settings can't be read as a whole";
    const hooks = settings.find(({ key }) => key === "core.hookspath")?.value;
    const hooksFolder = hooks === undefined ? join(common, "hooks") : resolve(dirname(git), hooks);
    if (isProgram(join(hooksFolder, "post-index-change"))) return "its hook post-index-change";
    const isPartial = settings.some(({ key, value }) => promisor.test(key) && value !== "false");
    const running = settings.find(
      ({ key, value }) =>
        (runs.test(key) && !isHarmless(key, value)) || (isPartial && (fetches.test(key) || value.startsWith("ext::"))),
    );
    return running && `its setting ${running.key}`;
  } catch {
    return "its settings can't be read";
  }
}

interface Setting {
  readonly key: string;
  readonly value: string;
}

const runs =
  /^(?:diff\.external|diff\..+\.(?:command|textconv)|filter\..+\.(?:clean|smudge|process)|core\.alternaterefscommand|gpg(?:\..+)?\.program|gpg\.ssh\.defaultkeycommand)$/s;
/** A repository that lacks objects gets them from elsewhere while it is looked at. */
const promisor = /^remote\..+\.promisor$|^extensions\.partialclone$/s;
const fetches = /^(?:remote\..+\.(?:uploadpack|vcs)|core\.(?:sshcommand|gitproxy))$/s;

/** Git LFS, as `git lfs install --local` writes it. */
function isHarmless(key: string, value: string): boolean {
  return (
    value === "" ||
    (key.startsWith("filter.lfs.") &&
      /^git-lfs (?:(?:clean|smudge)(?: --skip)? -- %f|filter-process(?: --skip)?)$/.test(value))
  );
}

/** `.git` in the folder or above it: a folder, or a file that says where that is. */
function findGitFolder(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, ".git");
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile()) {
      const named = /^gitdir: (.+?)\s*$/.exec(readFileSync(path, "utf8"))?.[1];
      return named === undefined ? undefined : resolve(folder, named);
    }
    if (found) return path;
    if (folder === dirname(folder)) return undefined;
  }
}

function readCommonFolder(git: string): string {
  const path = join(git, "commondir");
  return statSync(path, { throwIfNoEntry: false }) ? resolve(git, readFileSync(path, "utf8").trim()) : git;
}

/** All of them, with what they include, whatever the condition; undefined when that is too much. */
function readSettings(files: readonly string[]): Setting[] | undefined {
  const waiting = [...files];
  const seen = new Set<string>();
  const settings: Setting[] = [];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!stats || seen.has(file)) continue;
    if (!stats.isFile() || stats.size > maxBytes || seen.size >= maxFiles) return undefined;
    seen.add(file);
    for (const setting of parse(readFileSync(file, "utf8"))) {
      settings.push(setting);
      if (/^include(?:if\..+)?\.path$/s.test(setting.key)) waiting.push(placeOf(setting.value, dirname(file)));
    }
  }
  return settings;
}

function placeOf(path: string, folder: string): string {
  if (path.startsWith("~/")) return join(homedir(), path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

/** As git-config(1) describes it. Keys are in lower case, but for the name between quotes. */
function parse(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  // A backslash at the end of a line goes on in the next one.
  for (const line of text.replaceAll(/\\\r?\n/g, "").split("\n")) {
    let rest = line.trim();
    const head = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/.exec(rest);
    if (head) {
      const name = head[2]?.replaceAll(/\\(.)/g, "$1");
      section = name === undefined ? head[1]!.toLowerCase() : `${head[1]!.toLowerCase()}.${name}`;
      rest = rest.slice(head[0].length).trim();
    }
    const pair = /^([a-zA-Z][\w-]*)\s*(?:=\s*(.*))?$/.exec(rest);
    if (pair) settings.push({ key: `${section}.${pair[1]!.toLowerCase()}`, value: plain(pair[2] ?? "true") });
  }
  return settings;
}

function plain(value: string): string {
  const unquoted = value.replaceAll(/"((?:[^"\\]|\\.)*)"|[#;].*$/g, "$1");
  return unquoted.replaceAll(/\\(["\\])/g, "$1").trim();
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
