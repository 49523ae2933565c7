import { existsSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../core/errors.ts";
import type { ToolFile, ToolSpec } from "../host/tool-host.ts";
import { listHashes, listKept, nameOfKept } from "./kept-contents.ts";
import { parseKeptSpec } from "./kept-spec.ts";
import { languageOf, type Snapshot } from "../scan/read-tool-file.ts";
import { writeWhole } from "./write-whole-file.ts";

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
