import { appendFileSync, mkdirSync, readFileSync, statSync, writeFileSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import type { GrantScope } from "../core/approval.ts";
import { codeOf } from "../core/errors.ts";

/** A yes of a person that reaches further than one call. */
export interface Grant {
  readonly rule: string;
  readonly scope: Exclude<GrantScope, "once">;
  readonly conversationId: string | null;
  readonly who: string;
  readonly at: number;
}

/** The person's own file, outside the workdir: what lies in a folder that tools can write to is nobody's yes. */
export interface Grants {
  /** Those that hold in this conversation. */
  of(conversationId: string | null): readonly Grant[];
  list(): readonly Grant[];
  add(grants: readonly Grant[]): void;
  /** Says how many were taken back. */
  revoke(which: (grant: Grant) => boolean): number;
}

const line = z.object({
  rule: z.string(),
  scope: z.enum(["conversation", "always"]),
  conversation_id: z.string().nullable(),
  who: z.string(),
  at: z.iso.datetime(),
});

/** Their whole order is in the input: a grant for the tool would reach further than what was shown. */
export const allowedOnceOnly: ReadonlySet<string> = new Set(["run_python", "use_agent"]);

/** One JSON line each. A line that can't be read grants nothing, nor does one of an earlier version for all code or every agent. Other processes' changes are seen at once. */
export function openGrants(path: string): Grants {
  let seen = "";
  let known: readonly Grant[] = [];

  function read(): readonly Grant[] {
    const now = fingerprint(path);
    if (now !== seen) {
      known = now === "" ? [] : readFileSync(path, "utf8").split("\n").flatMap(parseLine);
      seen = now;
    }
    return known;
  }

  return {
    list: read,
    of: (conversationId) =>
      read().filter(({ scope, conversationId: of }) => scope === "always" || (of !== null && of === conversationId)),
    add(grants) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      appendFileSync(path, grants.map(toLine).join(""), { mode: 0o600 });
    },
    revoke(which) {
      const all = read();
      const kept = all.filter((grant) => !which(grant));
      if (kept.length === all.length) return 0;
      const temporary = `${path}.${process.pid}.tmp`;
      writeFileSync(temporary, kept.map(toLine).join(""), { mode: 0o600 });
      renameSync(temporary, path);
      return all.length - kept.length;
    },
  };
}

function fingerprint(path: string): string {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return `${ino}:${size}:${mtimeNs}`;
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "";
    throw thrown;
  }
}

function parseLine(text: string): Grant[] {
  try {
    const { rule, scope, conversation_id, who, at } = line.parse(JSON.parse(text));
    if (allowedOnceOnly.has(rule)) return [];
    return [{ rule, scope, conversationId: conversation_id, who, at: Date.parse(at) }];
  } catch {
    return [];
  }
}

function toLine({ rule, scope, conversationId, who, at }: Grant): string {
  const wire = { rule, scope, conversation_id: conversationId, who, at: new Date(at).toISOString() };
  return `${JSON.stringify(wire)}\n`;
}
