import { dirname, join } from "node:path";
import type { Resource } from "../../core/tool.ts";
import { ownFolder } from "../../guard/path/judge-path.ts";
import type { OpenFolder } from "../../guard/path/open-folder.ts";
import { namesBetween } from "../../guard/path/path-name.ts";
import { type Failure, failure } from "../failure.ts";
import { type Held, type Located, type Where, withPlace } from "../files/locate-file.ts";
import { notFound } from "../files/open-file.ts";

export interface HeldFolder extends Held {
  readonly folder: OpenFolder;
}

/** As `withPlace`, for a folder that is there. */
export async function withFolder<Result>(
  given: string,
  where: Where,
  use: (held: HeldFolder) => Promise<Result>,
): Promise<Result | Failure> {
  return withPlace<Result | Failure>(given, where, async (held) => {
    const { stats, name } = held.place;
    if (stats === undefined) return notFound(held);
    if (!stats.isDirectory()) {
      return failure("not_directory", `${held.shown} is a file, not a folder.`, "Give the folder it is in.");
    }
    const folder = held.place.folder.enter(name);
    try {
      return await use({ ...held, folder });
    } finally {
      folder.close();
    }
  });
}

/** Where such a folder is, to start a program in it. */
export async function locateFolder(given: string, where: Where): Promise<Located | Failure> {
  return withFolder(given, where, ({ path, shown, root }) => Promise.resolve({ ok: true, path, shown, root }));
}

/** A path on a line of its own: names with control characters are quoted, so that they can't pass for other lines. */
export function showPath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f]/.test(path) ? JSON.stringify(path) : path;
}

/** Whether a place is Deckhand's own folder or lies in one. Who names it wants to see it, whatever git ignores. */
export function isInOwnFolder({ root, path }: { readonly root: string; readonly path: string }): boolean {
  return namesBetween(root, path).includes(ownFolder);
}

/** What a search in a folder reads: the folder, and the rules in the folders above it that say what git ignores. */
export function resourcesOfSearch({
  path = ".",
  include_ignored = false,
}: {
  readonly path?: string | undefined;
  readonly include_ignored?: boolean | undefined;
}): Resource[] {
  const paths = [path];
  if (!include_ignored) {
    for (let folder = path; dirname(folder) !== folder; folder = dirname(folder)) {
      paths.push(join(dirname(folder), ".gitignore"), join(dirname(folder), ".git/info/exclude"));
    }
  }
  return paths.map((each) => ({ kind: "path", path: each, access: "read" }));
}
