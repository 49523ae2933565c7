import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { QuarantinedFile, QuarantineStore } from "./quarantine.ts";

type KeptFile = QuarantinedFile & { readonly isApproved: boolean };

const entries = z.array(
  z.object({
    file: z.string(),
    hash: z.string(),
    execution_id: z.string(),
    at: z.number(),
    before: z.string().nullable(),
    after: z.string(),
    /** What a person approved waits for nothing, but is still an agent's. */
    is_approved: z.boolean().optional(),
  }),
);

/** One small JSON file, replaced as a whole. Throws when it is damaged: nothing it held may pass as approved. */
export function openQuarantineFile(path: string): QuarantineStore {
  function read(): readonly KeptFile[] {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      return [];
    }
    return entries
      .parse(JSON.parse(text))
      .map(({ execution_id: executionId, is_approved: isApproved = false, ...entry }) => ({
        ...entry,
        executionId,
        isApproved,
      }));
  }

  function write(list: readonly KeptFile[]): void {
    const wire = list.map(({ executionId, isApproved, ...entry }) => ({
      ...entry,
      execution_id: executionId,
      ...(isApproved ? { is_approved: true } : {}),
    }));
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(wire, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  }

  return {
    list: () => read().flatMap(({ isApproved, ...entry }) => (isApproved ? [] : [entry])),
    put: (entry) => write([...read().filter(({ file }) => file !== entry.file), { ...entry, isApproved: false }]),
    approve: (file) =>
      // Its hash is enough from now on.
      write(
        read().map((entry) => (entry.file === file ? { ...entry, isApproved: true, before: null, after: "" } : entry)),
      ),
    approved: () => new Set(read().flatMap(({ hash, isApproved }) => (isApproved ? [hash] : []))),
  };
}
