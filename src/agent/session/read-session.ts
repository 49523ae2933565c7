import type { SessionEntry } from "../../core/session.ts";
import { lineToEntry } from "./entry-line.ts";

export interface SessionContent {
  /** All that is whole, in the order of the file. */
  readonly entries: readonly SessionEntry[];
  /** From the first to the last, by what each one follows. */
  readonly branch: readonly SessionEntry[];
  /** What is wrong in the middle of the file, in sentences for a person. */
  readonly problems: readonly string[];
  readonly tail: Tail;
  /** A line of it was written by a newer version. */
  readonly isNewer: boolean;
}

/**
 * How a file ends.
 * - `whole`: with the end of a line
 * - `unended`: with an entry that lacks only the end of its line
 * - `torn`: with a piece of a line, from the byte `at`
 */
export type Tail =
  | { readonly kind: "whole" }
  | { readonly kind: "unended" }
  | { readonly kind: "torn"; readonly at: number };

/** Reads what can be read. A line that can't be is told and left out; what follows it stays in the conversation. */
export function readSession(bytes: Uint8Array): SessionContent {
  const tree = createTree();
  const problems: string[] = [];
  let tail: Tail = { kind: "whole" };
  let number = 0;
  let isNewer = false;
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(10, start);
    const end = newline === -1 ? bytes.length : newline;
    number += 1;
    if (end > start) {
      const line = lineToEntry(bytes.subarray(start, end));
      if (newline === -1) tail = line.ok ? { kind: "unended" } : { kind: "torn", at: start };
      const problem = line.ok ? tree.add(line.entry) : line.problem;
      if (problem !== undefined && tail.kind !== "torn") problems.push(`Line ${number} ${problem}: it was left out.`);
      if (!line.ok && line.isNewer) isNewer = true;
      if (!line.ok && line.link) tree.addLink(line.link);
    }
    start = end + 1;
  }
  const branch = tree.branch();
  return { entries: tree.entries, branch, problems: [...problems, ...tree.problems], tail, isNewer };
}

interface Tree {
  readonly entries: readonly SessionEntry[];
  readonly problems: readonly string[];
  /** Says what is wrong with it when it can't be added. */
  add(entry: SessionEntry): string | undefined;
  /** Of a line that is left out: those that follow it follow what it followed. */
  addLink(link: { readonly id: string; readonly parentId: string | null }): void;
  branch(): SessionEntry[];
}

function createTree(): Tree {
  const entries: SessionEntry[] = [];
  const places = new Map<string, number>();
  /** The place of the entry that each one follows; -1 for none. Always a lower one, so there are no circles. */
  const parents: number[] = [];
  const skipped = new Map<string, number>();
  const problems: string[] = [];

  function findParent(parentId: string | null): number | undefined {
    return parentId === null ? -1 : (places.get(parentId) ?? skipped.get(parentId));
  }

  return {
    entries,
    problems,
    add(entry) {
      if (places.has(entry.id)) return `repeats the entry ${entry.id}`;
      const parent = findParent(entry.parentId);
      if (parent === undefined) {
        problems.push(`The entry ${entry.id} follows one that is not there: it was put after the one before it.`);
      }
      places.set(entry.id, entries.length);
      parents.push(parent ?? entries.length - 1);
      entries.push(entry);
      return undefined;
    },
    addLink({ id, parentId }) {
      // Where it names none that is known, it stood after the entry before it.
      const parent = parentId === null ? undefined : findParent(parentId);
      if (!places.has(id)) skipped.set(id, parent ?? entries.length - 1);
    },
    branch() {
      const branch: SessionEntry[] = [];
      for (let at = entries.length - 1; at >= 0; at = parents[at]!) branch.push(entries[at]!);
      return branch.reverse();
    },
  };
}
