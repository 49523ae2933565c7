import { closeSync, constants, openSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";

/** Node does not name it. It opens a folder only to stand in it, which needs no right to list it. */
const standIn = 0o10000000;

/**
 * Calls `act` with another way to the same name: through its folder itself, which was reached without following any
 * link. Whatever somebody renames meanwhile, that folder stays the one it was. Throws when there is a link on the way. Linux only.
 */
export function atName<Result>(path: string, act: (steady: string) => Result): Result {
  const names = dirname(path).split(sep).filter(Boolean);
  const flags = standIn | constants.O_DIRECTORY | constants.O_NOFOLLOW;
  let folder = openSync(sep, flags);
  try {
    for (const name of names) {
      const next = openSync(`/proc/self/fd/${folder}/${name}`, flags);
      closeSync(folder);
      folder = next;
    }
    return act(join(`/proc/self/fd/${folder}`, basename(path)));
  } finally {
    closeSync(folder);
  }
}
