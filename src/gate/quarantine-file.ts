import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { QuarantineStore } from "./quarantine.ts";

const entries = z.array(
  z.object({
    file: z.string(),
    hash: z.string(),
    execution_id: z.string(),
    at: z.number(),
    before: z.string().nullable(),
    after: z.string(),
  }),
);

/** One small JSON file, replaced as a whole. Throws when it is damaged: nothing it held may pass as approved. */
export function openQuarantineFile(path: string): QuarantineStore {
  function read(): ReturnType<QuarantineStore["list"]> {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      return [];
    }
    return entries
      .parse(JSON.parse(text))
      .map(({ execution_id: executionId, ...entry }) => ({ ...entry, executionId }));
  }

  function write(list: ReturnType<QuarantineStore["list"]>): void {
    const wire = list.map(({ executionId, ...entry }) => ({ ...entry, execution_id: executionId }));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(wire, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  }

  return {
    list: read,
    put: (entry) => write([...read().filter(({ file }) => file !== entry.file), entry]),
    remove: (file) => write(read().filter((entry) => entry.file !== file)),
  };
}
