import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codeOf, RuntimeError } from "../../core/errors.ts";
import { isId } from "../../core/ids.ts";
import { nearest } from "../../core/text.ts";

export interface FoundSession {
  readonly id: string;
  readonly path: string;
  readonly modifiedAt: number;
}

/** The sessions of a folder, the last used first. */
export function findSessions(folder: string): FoundSession[] {
  return namesIn(folder)
    .flatMap((name) => {
      const id = name.replace(/\.jsonl$/, "");
      if (id === name || !isId("ses", id)) return [];
      const stats = lstatSync(join(folder, name), { throwIfNoEntry: false });
      // Whoever made an empty one was killed before its first entry: there is nothing to find in it.
      return stats && stats.size > 0 ? [{ id, path: join(folder, name), modifiedAt: stats.mtimeMs }] : [];
    })
    .sort((a, b) => b.modifiedAt - a.modifiedAt || (a.id < b.id ? 1 : -1));
}

/** The one that is meant by an id, or a part of its beginning or end. Throws SESSION_UNKNOWN. */
export function findSession(folder: string, wanted: string): FoundSession {
  const sessions = findSessions(folder);
  if (sessions.length === 0) throw unknown(`There is no session in ${folder} yet: start one first.`);
  const found = matches(sessions, wanted.trim().toLowerCase());
  if (found.length === 1) return found[0]!;
  const ids = (some: readonly FoundSession[]): string =>
    some
      .slice(0, mostNamed)
      .map(({ id }) => id)
      .join(", ");
  if (found.length > 1) {
    throw unknown(
      `"${wanted}" can mean ${found.length} sessions: name more of the one you mean. They are: ${ids(found)}.`,
    );
  }
  const alike = nearest(
    wanted,
    sessions.map(({ id }) => id),
  );
  const advice = alike.length > 0 ? `Did you mean ${alike.join(" or ")}?` : `The last used are: ${ids(sessions)}.`;
  throw unknown(`There is no session "${wanted}". ${advice}`);
}

const mostNamed = 3;

function matches(sessions: readonly FoundSession[], wanted: string): readonly FoundSession[] {
  if (wanted === "") return [];
  const exact = sessions.filter(({ id }) => id === wanted);
  if (exact.length > 0) return exact;
  return sessions.filter(({ id }) => id.startsWith(wanted) || id.startsWith(`ses_${wanted}`) || id.endsWith(wanted));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return [];
    throw thrown;
  }
}

function unknown(message: string): RuntimeError {
  return new RuntimeError("SESSION_UNKNOWN", message);
}
