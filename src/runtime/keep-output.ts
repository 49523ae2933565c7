import { chmod, copyFile, mkdir } from "node:fs/promises";
import { constants } from "node:fs";
import { join } from "node:path";
import type { KeepOutput } from "../tools/command-result.ts";

/** Keeps whole outputs in a private folder of the workdir, where the model and the person can read them. */
export function createKeepOutput(outputs: string): KeepOutput {
  return async (rawPath, fileName) => {
    await mkdir(outputs, { recursive: true, mode: 0o700 });
    const kept = join(outputs, fileName);
    await copyFile(rawPath, kept, constants.COPYFILE_FICLONE);
    await chmod(kept, 0o600);
    return kept;
  };
}
