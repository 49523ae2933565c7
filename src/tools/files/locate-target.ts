import { isOwn } from "../../guard/path/own-records.ts";
import { failure } from "../failure.ts";
import type { Failure } from "../failure.ts";
import { withPlace } from "./locate-file.ts";
import type { Held, Where } from "./locate-file.ts";

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
