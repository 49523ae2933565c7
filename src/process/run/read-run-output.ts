import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OutputStream } from "./run-request.ts";
import { readFileEnd, type FileEnd } from "./read-file-end.ts";

export type RunOutput = Readonly<Record<OutputStream, FileEnd>>;

/** What the newest command of an execution has written so far, whichever process started it. Undefined: none runs. */
export function readRunOutput(runFolder: string, executionId: string, mostBytes: number): RunOutput | undefined {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(executionId)) return undefined;
  let folder: string | undefined;
  for (let number = 1; ; number++) {
    const next = join(runFolder, number === 1 ? executionId : `${executionId}.${number}`);
    if (!existsSync(next)) break;
    folder = next;
  }
  if (folder === undefined) return undefined;
  const [stdout, stderr] = [
    readFileEnd(join(folder, "stdout"), mostBytes),
    readFileEnd(join(folder, "stderr"), mostBytes),
  ];
  return stdout && stderr && { stdout, stderr };
}
