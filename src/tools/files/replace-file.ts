import type { BigIntStats } from "node:fs";
import { codeOf } from "../../core/errors.ts";
import { replaceContent } from "../../guard/path/replace-content.ts";
import type { ReplaceOptions } from "../../guard/path/replace-content.ts";
import type { Place } from "../../guard/path/find-place.ts";
import type { Failure } from "../failure.ts";
import type { Held } from "./locate-file.ts";
import { kindProblem } from "./open-file.ts";

export interface Replaced {
  readonly ok: true;
  /** What was there before; undefined when the file is new. */
  readonly before: BigIntStats | undefined;
}

/** See `replaceContent`. Throws the system's error. */
export async function replaceFile(
  held: Held,
  content: Buffer,
  options: ReplaceOptions<Failure>,
): Promise<Replaced | Failure> {
  const replace = async (place: Place): Promise<Replaced | Failure> => {
    const replaced = await replaceContent(place, content, options);
    if (replaced.kind === "refused") return replaced.refusal;
    if (replaced.kind === "not_regular") return kindProblem(replaced.stats, held.shown);
    return { ok: true, before: replaced.before };
  };
  try {
    return await replace(held.place);
  } catch (thrown) {
    // Somebody removed the folder or our temporary file under our hands: once more from the start.
    const again = codeOf(thrown) === "ENOENT" ? held.guard.find(held.path) : undefined;
    if (!again?.ok) throw thrown;
    return replace(again);
  }
}
