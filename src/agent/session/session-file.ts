import {
  appendFileSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";
import { readSession, type SessionContent } from "./read-session.ts";

/** The file of a session that this process may write. */
export interface SessionFile {
  /** One write; in the hands of the system when it returns. Throws a RuntimeError, and then the file is as it was. */
  append(line: string): void;
  close(): void;
}

const flags = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Private from its first moment. Throws when there is a file already. */
export function createSessionFile(path: string): SessionFile {
  return attempt(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    return holdFile(path, openSync(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600));
  });
}

/**
 * Opens a file to go on with it. A piece of a line at its end is moved into a file beside it, so that the next entry starts
 * a line of its own.
 */
export function openSessionFile(path: string): { file: SessionFile; content: SessionContent; problems: string[] } {
  return attempt(path, () => {
    const descriptor = openSync(path, flags);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) throw new Error("it is not a regular file");
      if ((stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
      const bytes = readFileSync(descriptor);
      const content = readSession(bytes);
      const problems = [...content.problems];
      if (content.tail.kind === "unended") writeSync(descriptor, "\n");
      if (content.tail.kind === "torn") {
        const aside = path.replace(/\.jsonl$/, ".torn");
        appendFileSync(aside, Buffer.concat([bytes.subarray(content.tail.at), Buffer.from("\n")]), { mode: 0o600 });
        ftruncateSync(descriptor, content.tail.at);
        problems.push(`The last line was cut short: it was moved to ${aside}, and the session goes on before it.`);
      }
      return { file: holdFile(path, descriptor), content, problems };
    } catch (thrown) {
      closeSync(descriptor);
      throw thrown;
    }
  });
}

/** For those who only look: changes nothing. */
export function readSessionFile(path: string): SessionContent {
  return attempt(path, () => {
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!fstatSync(descriptor).isFile()) throw new Error("it is not a regular file");
      return readSession(readFileSync(descriptor));
    } finally {
      closeSync(descriptor);
    }
  });
}

function holdFile(path: string, descriptor: number): SessionFile {
  return {
    append(line) {
      const bytes = Buffer.from(line);
      attempt(path, () => {
        const { size } = fstatSync(descriptor);
        const written = writeSync(descriptor, bytes);
        if (written === bytes.length) return;
        ftruncateSync(descriptor, size);
        throw Object.assign(new Error("only a part of it could be written"), { code: "ENOSPC" });
      });
    },
    close: () => closeSync(descriptor),
  };
}

function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    const isFull = ["ENOSPC", "EDQUOT"].includes(codeOf(thrown) ?? "");
    throw new RuntimeError(
      isFull ? "STORE_FULL" : "STORE_UNAVAILABLE",
      isFull
        ? `The disk that holds the session ${path} is full, so nothing was written: free some space and try again.`
        : `The session file ${path} can't be used: ${problemOf(thrown)}. Correct that, or move it away.`,
      { cause: thrown },
    );
  }
}

function problemOf(thrown: unknown): string {
  return codeOf(thrown) === "ELOOP" ? "it is a symbolic link, which is never followed" : messageOf(thrown);
}
