import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Where the system would look for an absolute path: `link/..` is the folder above the place that the link leads to, not above the
 * link. A name that is not there leads nowhere, so for it the text decides.
 */
export function physicalPath(path: string): string {
  let at = "/";
  for (const name of path.split("/")) {
    if (name === "..") at = dirname(realPath(at));
    else at = join(at, name);
  }
  return at;
}

function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
