import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { ToolFile, ToolSpec } from "../host/tool-host.ts";
import { hashParts, languageOf, type Snapshot } from "../scan/read-tool-file.ts";

/**
 * Every content of every tool file, by its hash: `<hash>/files/` has it, `<hash>/spec.json` what it said of itself. Nothing in
 * it is ever changed; what is damaged is written again from the file, or not used.
 */
export interface VersionStore {
  /** Keeps a content, whole or not at all, and says where it can be run. Throws the system's error. */
  keep(snapshot: Snapshot): ToolFile;
  /** The same for one whose copy is damaged: nothing of that is left. */
  restore(snapshot: Snapshot): ToolFile;
  /** What this content said of itself before; undefined when nobody asked it, or when that can't be understood. */
  readSpec(hash: string): ToolSpec | undefined;
  writeSpec(hash: string, spec: ToolSpec): void;
  /** A content of this file that was kept, whole and unchanged, also under the name it had then; undefined when there is none. */
  find(name: string, hash: string): ToolFile | undefined;
  /** Of all contents that were kept, in no order. */
  listHashes(): readonly string[];
  /** The content of a file that worked last. */
  findLastGood(name: string): ToolFile | undefined;
  isLastGood(name: string, hash: string): boolean;
  noteGood(name: string, hash: string): void;
}

export function openVersionStore(options: {
  /** Absolute; made when the first content is kept. */
  readonly folder: string;
  /** The folder of tools: absolute, and as a person says it. */
  readonly tools: string;
  readonly shown: string;
  /** Called before the first write. */
  readonly claim: () => void;
}): VersionStore {
  const { folder } = options;
  let isClaimed = false;

  function placeOf(hash: string): string {
    return join(folder, hash, "files");
  }

  function claim(): void {
    if (isClaimed) return;
    options.claim();
    isClaimed = true;
  }

  function fileOf(name: string, hash: string): ToolFile {
    const shown = join(options.shown, name);
    return { path: join(placeOf(hash), name), shown, language: languageOf(name), hash };
  }

  /** Which content of each file worked last; undefined when that is missing or damaged. */
  function readIndex(): Readonly<Record<string, string>> | undefined {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, "good.json"), "utf8"));
      const isIndex = typeof value === "object" && value !== null && !Array.isArray(value);
      return isIndex ? (value as Record<string, string>) : undefined;
    } catch {
      return undefined;
    }
  }

  function find(name: string, hash: string): ToolFile | undefined {
    const kept = nameOfKept(placeOf(hash), { name, hash });
    return kept === undefined ? undefined : { ...fileOf(kept, hash), shown: join(options.shown, name) };
  }

  function keep(snapshot: Snapshot): ToolFile {
    const place = placeOf(snapshot.hash);
    for (const { path, content } of snapshot.parts) {
      if (hasContent(join(place, path), content)) continue;
      claim();
      writeWhole(join(place, path), content, folder);
    }
    linkPackages(place, options.tools);
    return fileOf(snapshot.name, snapshot.hash);
  }

  return {
    find,
    keep,
    restore(snapshot) {
      rmSync(placeOf(snapshot.hash), { recursive: true, force: true });
      return keep(snapshot);
    },
    readSpec(hash) {
      try {
        return parseKeptSpec(readFileSync(join(folder, hash, "spec.json"), "utf8"));
      } catch {
        return undefined; // It is asked again.
      }
    },
    writeSpec(hash, spec) {
      claim();
      writeWhole(join(folder, hash, "spec.json"), Buffer.from(`${JSON.stringify({ v: 1, spec })}\n`), folder);
    },
    listHashes: () => listHashes(folder),
    findLastGood(name) {
      const index = readIndex();
      const known = index?.[name];
      for (const hash of index ? [known] : listKept(folder, name)) {
        const found = typeof hash === "string" && /^[0-9a-f]{64}$/.test(hash) ? find(name, hash) : undefined;
        if (found) return found;
      }
      return undefined;
    },
    isLastGood: (name, hash) => readIndex()?.[name] === hash,
    noteGood(name, hash) {
      const index = readIndex();
      if (index?.[name] === hash) return;
      claim();
      writeWhole(join(folder, "good.json"), Buffer.from(`${JSON.stringify({ ...index, [name]: hash })}\n`), folder);
    },
  };
}

function hasContent(path: string, content: Buffer): boolean {
  try {
    return readFileSync(path).equals(content);
  } catch {
    return false;
  }
}

/** Packages that lie beside the tools; those of the workdir are found from here anyway. */
function linkPackages(place: string, tools: string): void {
  const packages = join(tools, "node_modules");
  const link = join(place, "node_modules");
  if (!existsSync(packages) || existsSync(link)) return;
  try {
    symlinkSync(packages, link);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  }
}

/** A spec as it was kept. Throws when it is not one, or one of another time. */
function parseKeptSpec(text: string): ToolSpec {
  const kept = JSON.parse(text) as { readonly v?: unknown; readonly spec?: Partial<ToolSpec> };
  const spec = kept.spec;
  const isWhole =
    kept.v === 1 &&
    typeof spec?.name === "string" &&
    typeof spec.description === "string" &&
    isObject(spec.inputSchema) &&
    isObject(spec.traits) &&
    Array.isArray(spec.cases) &&
    (spec.outputSchema === undefined || isObject(spec.outputSchema)) &&
    (spec.judge === undefined || typeof spec.judge === "string") &&
    isLimit(spec.timeoutMs) &&
    isLimit(spec.idleMs) &&
    (spec.resources === undefined || Array.isArray(spec.resources)) &&
    typeof spec.hasLifecycle === "boolean";
  if (!isWhole) throw new Error("It is no spec that this version understands.");
  return spec as ToolSpec;
}

function isLimit(value: unknown): boolean {
  return value === undefined || (typeof value === "number" && value > 0);
}

function isObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Readers see all of it or nothing, also after a crash. `within`: a folder of ours; what lies in it where a file or a folder of
 * this path must be is damage, and is removed. Throws the system's error.
 */
function writeWhole(path: string, content: Buffer, within: string): void {
  try {
    write(path, content);
  } catch (thrown) {
    if (!inTheWay.has(codeOf(thrown) ?? "")) throw thrown;
    clearWay(path, within);
    write(path, content);
  }
}

const inTheWay: ReadonlySet<string> = new Set(["EISDIR", "ENOTDIR", "EEXIST", "ENOTEMPTY"]);

function write(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
}

function clearWay(path: string, within: string): void {
  if (isFolder(path)) rmSync(path, { recursive: true, force: true });
  for (let folder = dirname(path); folder.startsWith(`${within}/`); folder = dirname(folder)) {
    if (isFolder(folder) === false) rmSync(folder, { force: true });
  }
  // All that was kept may once have been there: nobody but the person throws that away.
  if (isFolder(within) === false) renameSync(within, `${within}.damaged`);
}

/** Undefined when there is nothing. */
function isFolder(path: string): boolean | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory();
  } catch {
    return undefined; // Something further up is in the way.
  }
}

/**
 * The name under which a content was kept whole, this one if it can be: the file may have got another name since. Undefined
 * when it is not what is really there: somebody may have changed it, or removed a part.
 */
function nameOfKept(place: string, { name, hash }: { name: string; hash: string }): string | undefined {
  try {
    const parts = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
      .map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => !path.startsWith("node_modules/"))
      .map((path) => ({ path, content: readFileSync(join(place, path)) }));
    const names = parts.map(({ path }) => path).filter((path) => path !== name && !path.includes("/"));
    return [name, ...names].find((each) => isWhole(parts, { name: each, hash }));
  } catch {
    return undefined;
  }
}

type Part = Parameters<typeof hashParts>[0][number];

function isWhole(parts: readonly Part[], { name, hash }: { name: string; hash: string }): boolean {
  const own = parts.find(({ path }) => path === name);
  if (!own) return false;
  const others = parts.filter((part) => part !== own);
  if (hashParts([own, ...others]) === hash) return true;
  // It was kept under two names: the other one is no part of it.
  const isTwin = ({ content }: Part): boolean => content.equals(own.content);
  return others.some(isTwin) && hashParts([own, ...others.filter((part) => !isTwin(part))]) === hash;
}

/** The contents of this file that were once asked what they are, the latest first: for when nobody knows which one worked last. */
function listKept(folder: string, name: string): string[] {
  const found: { readonly hash: string; readonly at: number }[] = [];
  for (const hash of listHashes(folder)) {
    try {
      if (!statSync(join(folder, hash, "files", name)).isFile()) continue;
      found.push({ hash, at: statSync(join(folder, hash, "spec.json")).mtimeMs });
    } catch {
      // Of another file, or damaged.
    }
  }
  return found.toSorted((a, b) => b.at - a.at).map(({ hash }) => hash);
}

/** Of all contents that were kept, in no order. */
function listHashes(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
  } catch {
    return [];
  }
}
