import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf } from "../core/errors.ts";
import type { ToolFile, ToolSpec } from "./host/tool-host.ts";
import { parseKeptSpec } from "./kept-spec.ts";
import { hashParts, languageOf, type Snapshot } from "./read-tool-file.ts";

/**
 * Every content of every tool file, by its hash: `<hash>/files/` has it, `<hash>/spec.json` what it said of itself. Nothing in
 * it is ever changed; what is damaged is written again from the file, or not used.
 */
export interface VersionStore {
  /** Keeps a content, whole or not at all, and says where it can be run. Throws the system's error. */
  keep(snapshot: Snapshot): ToolFile;
  /** What this content said of itself before; undefined when nobody asked it, or when that can't be understood. */
  readSpec(hash: string): ToolSpec | undefined;
  writeSpec(hash: string, spec: ToolSpec): void;
  /** The content of a file that worked last, whole and unchanged; undefined when there is none. */
  findLastGood(name: string): ToolFile | undefined;
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
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    isClaimed = true;
  }

  function fileOf(name: string, hash: string): ToolFile {
    const shown = join(options.shown, name);
    return { path: join(placeOf(hash), name), shown, language: languageOf(name), hash };
  }

  function readIndex(): Readonly<Record<string, string>> {
    try {
      const value: unknown = JSON.parse(readFileSync(join(folder, "good.json"), "utf8"));
      return typeof value === "object" && value !== null ? (value as Record<string, string>) : {};
    } catch {
      return {}; // Missing or damaged: then there is no earlier version to fall back on.
    }
  }

  return {
    keep(snapshot) {
      const place = placeOf(snapshot.hash);
      for (const { path, content } of snapshot.parts) {
        if (hasContent(join(place, path), content)) continue;
        claim();
        writeWhole(join(place, path), content);
      }
      linkPackages(place, options.tools);
      return fileOf(snapshot.name, snapshot.hash);
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
      writeWhole(join(folder, hash, "spec.json"), Buffer.from(`${JSON.stringify({ v: 1, spec })}\n`));
    },
    findLastGood(name) {
      const hash = readIndex()[name];
      if (typeof hash !== "string" || !/^[0-9a-f]{64}$/.test(hash)) return undefined;
      return hashOfKept(placeOf(hash), name) === hash ? fileOf(name, hash) : undefined;
    },
    noteGood(name, hash) {
      const index = readIndex();
      if (index[name] === hash) return;
      claim();
      writeWhole(join(folder, "good.json"), Buffer.from(`${JSON.stringify({ ...index, [name]: hash })}\n`));
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

/** Readers see all of it or nothing, also after a crash. */
function writeWhole(path: string, content: Buffer): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, content, { mode: 0o600 });
  chmodSync(temporary, 0o600);
  renameSync(temporary, path);
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

/** Of what is really there: somebody may have changed it, or removed a part. */
function hashOfKept(place: string, name: string): string | undefined {
  try {
    const others = readdirSync(place, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".tmp"))
      .map((entry) => relative(place, join(entry.parentPath, entry.name)).split(sep).join("/"))
      .filter((path) => path !== name && !path.startsWith("node_modules/"));
    return hashParts([name, ...others].map((path) => ({ path, content: readFileSync(join(place, path)) })));
  } catch {
    return undefined;
  }
}
