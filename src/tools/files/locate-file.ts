import { relative, resolve } from "node:path";
import type { ToolContext } from "../../core/tool.ts";
import type { Place, Refused } from "../../guard/path/find-place.ts";
import { isOwn } from "../../guard/path/judge-path.ts";
import { openPathGuard, type PathGuard } from "../../guard/path/open-path-guard.ts";
import { isWithin } from "../../guard/path/path-name.ts";
import { type Failure, failure, systemFailure } from "../failure.ts";

export interface Located {
  readonly ok: true;
  /** Absolute, without symbolic links, inside the workdir. The file itself need not exist. */
  readonly path: string;
  /** The way to say it: relative to the workdir, "." for the workdir itself. */
  readonly shown: string;
  /** The workdir without symbolic links. */
  readonly root: string;
}

/** The same, held: whatever happens to the path meanwhile, this is what is read and changed. */
export interface Held extends Located {
  readonly place: Place;
  readonly guard: PathGuard;
}

/** Of a tool's context: the workdir, and what the permission was given for. */
export type Where = Pick<ToolContext, "workdir" | "recheck">;

/** Where a path leads that a model gave. Only to name it: what is to be opened is taken from `withPlace`. */
export async function locate(given: string, where: Where): Promise<Located | Failure> {
  return withPlace(given, where, ({ path, shown, root }) => Promise.resolve({ ok: true, path, shown, root }));
}

/**
 * The one way from a path that a model gave to a file that may be opened. It is taken as it is: nothing is trimmed,
 * decoded or expanded. Symbolic links are followed, also those that lead nowhere yet, and what ends outside the
 * workdir is refused with the same sentence whether it exists or not. The place is held until `use` is done.
 */
export async function withPlace<Result>(
  given: string,
  { workdir, recheck }: Where,
  use: (held: Held) => Promise<Result>,
): Promise<Result | Failure> {
  let guard: PathGuard;
  try {
    guard = openPathGuard({ root: workdir });
  } catch (thrown) {
    return systemFailure(thrown, `The workdir ${workdir}`);
  }
  try {
    const place = findIn(guard, given);
    if (!place.ok) return place;
    const objection = recheck?.(given, place.path);
    if (objection !== undefined) return failure("denied", objection, "Send the call again.");
    const shown = show({ given, workdir, path: place.path, root: guard.root });
    return await use({ ok: true, path: place.path, shown, root: guard.root, place, guard });
  } finally {
    guard.close();
  }
}

function findIn(guard: PathGuard, given: string): Place | Failure {
  let found: Place | Refused;
  try {
    found = guard.find(given);
  } catch (thrown) {
    return systemFailure(thrown, given);
  }
  if (found.ok) return found;
  return found.kind === "outside"
    ? failure("access", found.problem, "Use a path inside the workdir, relative to it.")
    : failure("invalid_input", found.problem, "Send a path relative to the workdir.");
}

function show(place: { given: string; workdir: string; path: string; root: string }): string {
  const asked = resolve(place.workdir, place.given);
  const isByName = isWithin(place.workdir, asked);
  return (isByName ? relative(place.workdir, asked) : relative(place.root, place.path)) || ".";
}

/** As `withPlace`, for a file that is to be changed: Deckhand's own records in the workdir are refused. */
export async function withTarget<Result>(
  given: string,
  where: Where,
  use: (held: Held) => Promise<Result>,
): Promise<Result | Failure> {
  return withPlace<Result | Failure>(given, where, (held) => {
    if (!isOwn(held.guard, held.path)) return use(held);
    const error = `${given} belongs to Deckhand's own records, which no tool may change.`;
    return Promise.resolve(failure("access", error, "Use another path."));
  });
}
