import { createHash } from "node:crypto";
import type { ToolVersion } from "../custom-tool.ts";
import type { FileProblem } from "../host/tool-host.ts";
import type { Author } from "../versions/released-versions.ts";
import { readToolFile, type Snapshot } from "./read-tool-file.ts";
import { isSameStamp, isUnsettled, lookAt, type Stamp } from "./scan-folder.ts";
import type { FileState } from "../tool-file-status.ts";

/** What is known of one file of the folder. */
export interface ToolEntry {
  readonly name: string;
  /** Of the file and of all that it imports; null for one that could not even be looked at. */
  readonly stamps: readonly (readonly [path: string, stamp: Stamp | null])[];
  /** When it was read, on a clock that only goes forward. */
  readonly readAt: number;
  /** It was read so lately after it may have changed that a further change may not show. */
  readonly isUnsettled: boolean;
  /** What it is now; null when it can't be read. */
  readonly snapshot: Snapshot | null;
  state: FileState;
  problem: FileProblem | null;
  /** What the file is now, as a tool. */
  candidate: ToolVersion | null;
  /** What worked last. */
  good: ToolVersion | null;
  author: Author;
}

/** Which content of a file, by the hash of its bytes and of the text they are. */
export interface AdmittedPart {
  /** Relative to the folder of tools. */
  readonly path: string;
  readonly hash: string;
  readonly textHash: string;
  /** When its content or its name changed last, by the clock of the file system. */
  readonly changedAt: number;
}

/** Whether the file, or what it imports, is another one than when it was read. */
export function hasChanged(folder: string, entry: ToolEntry, now: number): boolean {
  for (const [path, stamp] of entry.stamps) {
    const stats = lookAt(folder, path);
    if (stamp === null ? stats !== undefined : !isSameStamp(stamp, stats)) return true;
  }
  // The first look may have come within one tick of the file system's clock; a later one tells.
  return entry.isUnsettled && rereads(folder, entry, now);
}

function rereads(folder: string, entry: ToolEntry, now: number): boolean {
  const read = readToolFile(folder, entry.name);
  // What can't be read and has the same stamp is the same as far as anybody can tell.
  if (read.ok ? read.snapshot.hash !== entry.snapshot?.hash : entry.snapshot !== null) return true;
  if (!isUnsettled(entry.readAt, now)) (entry as { isUnsettled: boolean }).isUnsettled = false;
  return false;
}

export function readEntry(
  folder: string,
  name: string,
  at: { readonly now: number; readonly good: ToolVersion | null },
): ToolEntry {
  const read = readToolFile(folder, name);
  const shared = { name, candidate: null, good: at.good, author: "person" as const };
  if (!read.ok) {
    const { stamp, problem } = read;
    return {
      ...shared,
      stamps: [[name, stamp]],
      readAt: at.now,
      isUnsettled: true,
      snapshot: null,
      state: "broken",
      problem,
    };
  }
  const { snapshot } = read;
  return {
    ...shared,
    stamps: snapshot.parts.map(({ path, stamp }) => [path, stamp] as const),
    readAt: at.now,
    isUnsettled: true,
    snapshot,
    state: "broken",
    problem: null,
  };
}

/** Nothing of this file is used. */
export function refuseEntry(entry: ToolEntry, { message, hint }: Pick<FileProblem, "message" | "hint">): void {
  entry.candidate = null;
  entry.good = null;
  entry.state = "refused";
  entry.problem = { message, line: null, hint };
}

export function partsToAdmit({ parts }: Snapshot): AdmittedPart[] {
  return parts.map(({ path, content, stamp }) => {
    const hash = sha256(content);
    const text = content.toString();
    const textHash = Buffer.byteLength(text) === content.length ? sha256(text) : hash;
    return { path, hash, textHash, changedAt: stamp.ctimeMs };
  });
}

function sha256(content: Buffer | string): string {
  return createHash("sha256").update(content).digest("hex");
}
