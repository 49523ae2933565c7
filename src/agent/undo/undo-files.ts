import { createHash } from "node:crypto";
import { lstatSync, rmdirSync, unlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { hashOf } from "./pre-images.ts";
import type { FileToPutBack, PutBack, PutFileBack } from "./undo-turn.ts";
import { codeOf, messageOf } from "../../core/errors.ts";
import { assertInside } from "../../guard/path/change-names.ts";
import type { Place } from "../../guard/path/find-place.ts";
import { openPathGuard, type PathGuard } from "../../guard/path/open-path-guard.ts";
import { openRegular } from "../../guard/path/open-folder.ts";
import { isOwn } from "../../guard/path/judge-path.ts";
import { replaceContent } from "../../guard/path/replace-content.ts";

/** Puts files of a workdir back, with the same care as the tools that changed them. */
export function createPutFileBack({ workdir }: { readonly workdir: string }): PutFileBack {
  return async (file) => {
    let guard: PathGuard | undefined;
    try {
      guard = openPathGuard({ root: workdir });
      return await putBack(guard, file);
    } catch (thrown) {
      if (codeOf(thrown) === undefined) throw thrown;
      return refuse(`It could not be put back (${messageOf(thrown)}).`);
    } finally {
      guard?.close();
    }
  };
}

async function putBack(guard: PathGuard, file: FileToPutBack): Promise<PutBack> {
  const place = guard.find(file.path, { last: "keep" });
  if (!place.ok) return refuse(place.problem);
  // Kept without links: one on the way was put there since.
  if (place.path !== join(guard.root, file.path)) return refuse("A link is on the way to it now.");
  if (isOwn(guard, place.path)) return refuse("It belongs to Deckhand's own records.");
  const now = await look(place);
  if (now.kind === "other") return refuse("It is no regular file any more.");
  if (isAsBefore(now, file)) {
    if (file.content === null) removeNewFolders(guard, file);
    return { state: "already" };
  }
  if (!isExpected(now, file)) return changedSince;
  if (file.content === null) return remove(guard, place, file);
  const replaced = await replaceContent(place, file.content, {
    signal: neverStopped,
    mayReplace: async () => (isExpected(await look(place), file) ? undefined : changedSince),
  });
  if (replaced.kind === "refused") return replaced.refusal;
  if (replaced.kind === "not_regular") return refuse("It is no regular file any more.");
  if (file.mode !== null) guard.changeMode(file.path, file.mode & keptBits);
  return { state: "done" };
}

function refuse(reason: string): PutBack {
  return { state: "refused", reason, forceHelps: false };
}

const changedSince: PutBack = {
  state: "refused",
  reason: "It was changed since by somebody else.",
  forceHelps: true,
};
/** As when it was written: without set-id bits. */
const keptBits = 0o1777;
const neverStopped = new AbortController().signal;

type Now =
  | { readonly kind: "missing" | "other" }
  | { readonly kind: "file"; readonly hash: string; readonly mode: number };

/** What is there at this moment, by the folder that is held. */
async function look(place: Place): Promise<Now> {
  if (place.missing.length > 0) return { kind: "missing" };
  const stats = lstatSync(place.folder.at(place.name), { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return { kind: "missing" };
  const opened = await openRegular({ ...place, stats });
  if (!opened.ok) return { kind: opened.kind === "missing" ? "missing" : "other" };
  try {
    const hash = createHash("sha256");
    for await (const chunk of opened.handle.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
    return { kind: "file", hash: hash.digest("hex"), mode: Number(opened.stats.mode) & keptBits };
  } finally {
    await opened.handle.close();
  }
}

function isAsBefore(now: Now, { content, mode }: FileToPutBack): boolean {
  if (content === null) return now.kind === "missing";
  if (now.kind !== "file" || now.hash !== hashOf(content)) return false;
  return mode === null || now.mode === (mode & keptBits);
}

function isExpected(now: Now, { expectedHash }: FileToPutBack): boolean {
  return expectedHash === null || (now.kind === "file" && now.hash === expectedHash);
}

async function remove(guard: PathGuard, place: Place, file: FileToPutBack): Promise<PutBack> {
  if (!isExpected(await look(place), file)) return changedSince;
  assertInside(place.folder);
  // Not a recursive removal: whatever takes its place in this moment, a folder is not taken with it.
  unlinkSync(place.folder.at(place.name));
  removeNewFolders(guard, file);
  return { state: "done" };
}

/** From the inside out, until one is not empty: what others put there stays, and its folder with it. */
function removeNewFolders(guard: PathGuard, { path, newFolders }: FileToPutBack): void {
  let folder = path;
  for (let left = newFolders; left > 0; left--) {
    folder = dirname(folder);
    const place = guard.find(folder, { last: "keep" });
    if (!place.ok || place.path !== join(guard.root, folder)) return;
    if (place.stats === undefined) continue;
    if (!place.stats.isDirectory()) return;
    try {
      assertInside(place.folder);
      rmdirSync(place.folder.at(place.name));
    } catch {
      // The file itself is back as it was; a folder that can't go is not worth a word.
      return;
    }
  }
}
