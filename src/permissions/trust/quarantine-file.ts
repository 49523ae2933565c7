import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { ApprovedContent, QuarantineCause, QuarantinedFile, QuarantineStore } from "./quarantine.ts";

const entry = z.object({
  file: z.string(),
  hash: z.string(),
  execution_id: z.string().nullable().optional(),
  tool: z.string().nullable().optional(),
  traits: z.object({ changes: z.string(), promises: z.string() }).optional(),
  at: z.number(),
  before: z.string().nullable(),
  after: z.string(),
  is_approved: z.boolean().optional(),
  /** Entries of earlier versions were all held because of a call. */
  author: z.enum(["agent", "person"]).optional(),
});
type Entry = z.output<typeof entry>;

/** One small JSON file, replaced as a whole. Throws when it is damaged: nothing it held may pass as approved. */
export function openQuarantineFile(path: string): QuarantineStore {
  function read(): readonly Entry[] {
    let text: string;
    try {
      text = readFileSync(path, "utf8");
    } catch {
      return [];
    }
    return z.array(entry).parse(JSON.parse(text));
  }

  function replace(next: readonly Entry[]): void {
    const list = [...read().filter(({ file }) => next.every((each) => each.file !== file)), ...next];
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(list, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  }

  return {
    list: () => read().flatMap((each) => (each.is_approved ? [] : [toHeld(each)])),
    put: ({ cause, ...held }) => replace([{ ...held, ...fromCause(cause) }]),
    approve(contents) {
      const known = new Map(read().map(({ file, at }) => [file, at]));
      replace(contents.map((content) => fromApproved(content, known.get(content.file) ?? 0)));
    },
    approved: () => read().flatMap((each) => (each.is_approved ? [toApproved(each)] : [])),
  };
}

function toHeld({ file, hash, execution_id: id, tool, traits, at, before, after }: Entry): QuarantinedFile {
  const cause: QuarantineCause = traits
    ? { kind: "traits", ...traits }
    : { kind: "writer", id: id ?? "", tool: tool ?? null };
  return { file, hash, cause, at, before, after };
}

function fromCause(cause: QuarantineCause): Pick<Entry, "execution_id" | "tool" | "traits"> {
  if (cause.kind === "writer") return { execution_id: cause.id, tool: cause.tool };
  return { traits: { changes: cause.changes, promises: cause.promises } };
}

/** The hash is enough from now on. */
function fromApproved({ file, hash, author, promises }: ApprovedContent, at: number): Entry {
  const traits = promises === null ? {} : { traits: { changes: "", promises } };
  return { file, hash, at, before: null, after: "", is_approved: true, author, ...traits };
}

function toApproved({ file, hash, author = "agent", traits }: Entry): ApprovedContent {
  return { file, hash, author, promises: traits?.promises ?? null };
}
