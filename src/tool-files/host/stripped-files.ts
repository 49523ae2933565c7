import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolFile } from "./tool-host.ts";

/** TypeScript files without their types, by content: removing them takes longer than all the rest of a host's start. */
export interface StrippedFiles {
  /** Null: nobody has done it yet. */
  find(file: ToolFile): string | null;
  /** Never rejects: without it the next start is slower, and that is all. */
  keep(file: ToolFile, text: string): Promise<void>;
}

/** `folder`: ours alone, and read-only for tools and commands, because what lies in it is run. */
export function createStrippedFiles(folder: string | undefined): StrippedFiles {
  const pathOf = ({ hash }: ToolFile): string => join(folder!, `${hash.replaceAll(/[^A-Za-z0-9]/g, "")}.js`);
  return {
    find: (file) =>
      folder !== undefined && file.language === "typescript" && isWhole(pathOf(file)) ? pathOf(file) : null,
    async keep(file, text) {
      if (folder === undefined || file.language !== "typescript") return;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const unfinished = `${pathOf(file)}.${process.pid}`;
        await writeFile(unfinished, text + sealOf(text), { mode: 0o600 });
        await rename(unfinished, pathOf(file)).catch(async () => {
          // Only something that is no file can be in the way; a host may be reading the file at this moment.
          await rm(pathOf(file), { recursive: true, force: true });
          await rename(unfinished, pathOf(file));
        });
      } catch {
        // A full disk; the types are removed again next time.
      }
    },
  };
}

/** What is cut, or was changed since, would run under the name of a version that never was so. */
function isWhole(path: string): boolean {
  try {
    const kept = readFileSync(path, "utf8");
    const text = kept.slice(0, -sealLength);
    return kept.endsWith(sealOf(text));
  } catch {
    return false;
  }
}

function sealOf(text: string): string {
  return `//# ${createHash("sha256").update(text).digest("hex")}`;
}

const sealLength = sealOf("").length;
