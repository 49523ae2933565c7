import { closeSync, openSync, readSync } from "node:fs";
import { messageOf } from "../../../core/errors.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";

/** More than any model takes; a device without an end must not fill the memory. */
const maxBytes = 1024 * 1024;

/** What the person adds to the system prompt: a text, or a file with it. Undefined: nothing. */
export function readAddedPrompt(invocation: Invocation): string | undefined {
  const text = invocation.value("append-system-prompt");
  const file = invocation.value("append-system-prompt-file");
  if (text !== undefined && file !== undefined) {
    throw new UsageError("--append-system-prompt and --append-system-prompt-file say the same: leave one of them out.");
  }
  const added = file === undefined ? text : readText(file);
  return added?.trim() === "" ? undefined : added;
}

function readText(path: string): string {
  const buffer = Buffer.alloc(maxBytes + 1);
  let bytes = 0;
  try {
    const file = openSync(path, "r");
    try {
      for (let read = -1; read !== 0 && bytes < buffer.length; bytes += read)
        read = readSync(file, buffer, { offset: bytes });
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    throw new UsageError(`--append-system-prompt-file ${path} can't be read: ${messageOf(thrown)}.`, { cause: thrown });
  }
  if (bytes > maxBytes) throw new UsageError(`--append-system-prompt-file ${path} has more than 1 MB; shorten it.`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer.subarray(0, bytes));
  } catch (thrown) {
    throw new UsageError(`--append-system-prompt-file ${path} is not UTF-8 text.`, { cause: thrown });
  }
}
