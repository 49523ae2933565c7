import { accessSync, constants, lstatSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { codeOf } from "../../core/errors.ts";

/** More is nobody's configuration. */
const maxFiles = 20;
const maxBytes = 1_000_000;

/** Repositories in repositories; more than this is nobody's project. */
const maxRepositories = 100;

/**
 * What makes git run a program when it only looks (`git status`, `git diff`, `git log -p`), by the own settings of the
 * repository that a folder lies in, and of the submodules that git looks into as well; undefined when nothing does. The person's own
 * settings elsewhere are theirs. What the environment of commands switches off (a file system monitor, a pager) does not count.
 */
export function findRepositoryProgram(folder: string): string | undefined {
  const first = findRepository(folder);
  const waiting = first ? [{ ...first, name: "its" }] : [];
  const seen = new Set<string>();
  try {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { git, top, name } = next;
      if (seen.has(git)) continue;
      if (seen.size === maxRepositories) return "more submodules than can be looked at";
      seen.add(git);
      const common = readCommonFolder(git);
      const settings = readSettings([join(common, "config"), join(git, "config.worktree")]);
      if (!settings) return `${name} settings can't be read as a whole`;
      const worktree = worktreeOf(settings, { git, top });
      const found = findProgram(settings, { common, worktree });
      if (found !== undefined) return `${name} ${found}`;
      for (const path of readGitlinks(git, usesLongHashes(settings) ? 32 : 20) ?? [null]) {
        if (path === null) return `${name} index can't be read as a whole`;
        const inner = repositoryIn(join(worktree, path));
        if (inner) waiting.push({ ...inner, name: `the submodule ${path}: its` });
      }
    }
  } catch {
    return "its settings can't be read";
  }
  return undefined;
}

function findProgram(
  settings: readonly Setting[],
  { common, worktree }: { readonly common: string; readonly worktree: string },
): string | undefined {
  // The last one counts, but which that is depends on the order of what is included.
  const moved = settings.flatMap(({ key, value }) => (key === "core.hookspath" ? [placeOf(value, worktree)] : []));
  const folders = [join(common, "hooks"), ...moved];
  if (folders.some((folder) => folder === null || isProgram(join(folder, "post-index-change"))))
    return "hook post-index-change";
  const isPartial = settings.some(({ key, value }) => promisor.test(key) && value !== "false");
  const running = settings.find(
    ({ key, value }) =>
      (runs.test(key) && !isHarmless(key, value)) || (isPartial && (fetches.test(key) || value.startsWith("ext::"))),
  );
  return running && `setting ${running.key}`;
}

function usesLongHashes(settings: readonly Setting[]): boolean {
  return settings.some(({ key, value }) => key === "extensions.objectformat" && value === "sha256");
}

function worktreeOf(settings: readonly Setting[], { git, top }: Repository): string {
  const moved = settings.findLast(({ key }) => key === "core.worktree")?.value;
  return moved === undefined ? top : resolve(git, moved);
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

interface Repository {
  readonly git: string;
  /** The folder that `.git` lies in. */
  readonly top: string;
}

function findRepository(start: string): Repository | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = repositoryIn(folder);
    if (found || folder === dirname(folder)) return found;
  }
}

/** By `.git` in it: a folder, or a file that says where that is. */
function repositoryIn(top: string): Repository | undefined {
  const path = join(top, ".git");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isFile()) return found && { git: path, top };
  const named = /^gitdir: (.+?)\s*$/.exec(readFileSync(path, "utf8"))?.[1];
  return named === undefined ? undefined : { git: resolve(top, named), top };
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
      if (!/^include(?:if\..+)?\.path$/s.test(setting.key)) continue;
      const place = placeOf(setting.value, dirname(file));
      if (place === null) return undefined;
      waiting.push(place);
    }
  }
  return settings;
}

/** Null in a home folder, which depends on the command's environment, and below git's own folder. */
function placeOf(path: string, folder: string): string | null {
  return /^~|^%\(prefix\)/.test(path) ? null : resolve(folder, path);
}

const header = /^\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)")?\s*\]/;

/** As git-config(1) describes it. Keys are in lower case, but for the name between quotes. */
function parse(text: string): Setting[] {
  const settings: Setting[] = [];
  let section = "";
  for (const line of splitLines(text)) {
    let rest = line.trim();
    // A line may have several, of which the last one counts.
    for (let head = header.exec(rest); head; head = header.exec(rest)) {
      const name = head[2]?.replaceAll(/\\(.)/g, "$1");
      section = name === undefined ? head[1]!.toLowerCase() : `${head[1]!.toLowerCase()}.${name}`;
      rest = rest.slice(head[0].length).trim();
    }
    const pair = /^([a-zA-Z][\w-]*)\s*(?:=\s*(.*))?$/s.exec(rest);
    if (pair) settings.push({ key: `${section}.${pair[1]!.toLowerCase()}`, value: plain(pair[2] ?? "true") });
  }
  return settings;
}

/** Without comments. A backslash at the end continues a line, but not a comment: that ends with its line. */
function splitLines(text: string): string[] {
  const lines = [""];
  let isQuoted = false;
  let isComment = false;
  for (const [part] of text.matchAll(/\\(?:\r?\n|[^])|[^\\#;"\n]+|[^]/g)) {
    if (isComment ? part.endsWith("\n") : part === "\n") {
      lines.push("");
      isQuoted = isComment = false;
    } else if (isComment || (part.startsWith("\\") && part.endsWith("\n"))) continue;
    else if (!isQuoted && (part === "#" || part === ";")) isComment = true;
    else {
      lines[lines.length - 1] += part;
      if (part === '"') isQuoted = !isQuoted;
    }
  }
  return lines;
}

function plain(value: string): string {
  return value
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, "$1")
    .replaceAll(/\\(["\\])/g, "$1")
    .trim();
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

const linkMode = 0o160000;

/**
 * The paths of a git index at which another repository lies: `git status` and `git diff` look into those, by their own settings.
 * Undefined when it can't be read as a whole. See gitformat-index(5).
 */
function readGitlinks(git: string, hashBytes: 20 | 32): string[] | undefined {
  let index: Buffer;
  try {
    index = readFileSync(join(git, "index"));
  } catch (thrown) {
    return codeOf(thrown) === "ENOENT" ? [] : undefined;
  }
  const version = index.readUInt32BE(4);
  if (index.toString("latin1", 0, 4) !== "DIRC" || version < 2 || version > 4) return undefined;
  const links: string[] = [];
  let at = 12;
  let path: Buffer = Buffer.alloc(0);
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const flagsAt = at + 40 + hashBytes;
    let nameAt = flagsAt + (version > 2 && index.readUInt16BE(flagsAt) & 0x4000 ? 4 : 2);
    let shared = 0;
    if (version === 4) {
      const { value, end } = readVarint(index, nameAt);
      shared = path.length - value;
      nameAt = end;
    }
    const end = index.indexOf(0, nameAt);
    if (end < 0 || shared < 0) return undefined;
    const name = index.subarray(nameAt, end);
    path = shared === 0 ? name : Buffer.concat([path.subarray(0, shared), name]);
    if (index.readUInt32BE(at + 24) === linkMode) links.push(path.toString());
    // The others are filled up with zeros to a multiple of eight bytes, at least one.
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7);
  }
  return hasSharedPart(index, at, index.length - hashBytes) ? undefined : links;
}

function readVarint(index: Buffer, at: number): { value: number; end: number } {
  let byte = index.readUInt8(at);
  let value = byte & 0x7f;
  let end = at + 1;
  for (; byte & 0x80; end += 1) {
    byte = index.readUInt8(end);
    value = (value + 1) * 128 + (byte & 0x7f);
  }
  return { value, end };
}

/** Some of its entries are in another file. */
function hasSharedPart(index: Buffer, start: number, end: number): boolean {
  for (let at = start; at + 8 <= end; at += 8 + index.readUInt32BE(at + 4))
    if (index.toString("latin1", at, at + 4) === "link") return true;
  return false;
}
