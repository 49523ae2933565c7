import { dirname, join } from "node:path";
import type { Resource } from "../../core/tool.ts";

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
