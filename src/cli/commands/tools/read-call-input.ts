import { createReadStream, fstatSync } from "node:fs";
import type { Readable } from "node:stream";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import type { Terminal } from "../../terminal/terminal.ts";

/** More than any call takes; a device without an end must not fill the memory. */
const maxBytes = 64 * 1024 * 1024;

/**
 * A pipe that nobody writes to (programs often start others with one) must not hold a call that needs no input.
 * "-" waits as long as it takes.
 */
const patienceMs = 1000;

/** The JSON text of `tool NAME [JSON]`, unparsed: the argument, a file, or stdin; empty when there is none. */
export async function readCallInput(invocation: Invocation, terminal: Terminal): Promise<string> {
  const argument = invocation.positionals[1];
  const file = invocation.value("input");
  if (argument !== undefined && file !== undefined) {
    throw new UsageError("The input was given twice, as an argument and by --input: leave one of them out.");
  }
  if (file !== undefined && file !== "-") return readAll(createReadStream(file), file);
  if (argument === "-" || file === "-") return readAll(terminal.stdin, "stdin");
  if (argument !== undefined) return argument;
  return isPiped() ? readPiped(terminal, invocation.has("quiet")) : "";
}

/** Something else than a person is at stdin. */
export function isPiped(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false; // stdin is closed
  }
}

async function readPiped(terminal: Terminal, quiet: boolean): Promise<string> {
  const { stdin } = terminal;
  if (await hasSomething(stdin)) return readAll(stdin, "stdin");
  stdin.destroy();
  if (!quiet) terminal.tell('Nothing came on stdin, so the input is {}. Use "-" to wait for it longer.');
  return "";
}

/** False when neither data nor the end came in time. */
export function hasSomething(stream: Readable): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (answer: boolean): void => {
      clearTimeout(timer);
      stream.off("readable", onEvent).off("end", onEvent).off("error", onEvent);
      resolve(answer);
    };
    const onEvent = (): void => finish(true);
    const timer = setTimeout(() => finish(false), patienceMs);
    stream.on("readable", onEvent).on("end", onEvent).on("error", onEvent);
  });
}

export async function readAll(stream: Readable, name: string): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UsageError(`The input from ${name} is larger than 64 MB; send less.`);
      chunks.push(chunk);
    }
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch (thrown) {
    if (thrown instanceof UsageError) throw thrown;
    if (codeOf(thrown) === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      throw new UsageError(`The input from ${name} is not UTF-8 text; convert it first.`);
    }
    throw new UsageError(`The input can't be read from ${name}: ${messageOf(thrown)}.`);
  }
}
