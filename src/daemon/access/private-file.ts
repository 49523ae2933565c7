import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf, RuntimeError } from "../../core/errors.ts";

/** A small JSON file that only this person may read or write. */
export interface PrivateFile {
  /** Undefined when it is not there. Throws CONFIG_INVALID when others could have read or written it, or it is no JSON. */
  read(): unknown;
  write(value: unknown): void;
  /** Another text when it may have changed. */
  mark(): string;
}

export function openPrivateFile(path: string): PrivateFile {
  return {
    read() {
      let text: string;
      try {
        const file = lstatSync(path);
        const isOurs = process.getuid === undefined || file.uid === process.getuid();
        if (!file.isFile() || !isOurs || (file.mode & 0o077) !== 0) throw notPrivate(path);
        text = readFileSync(path, "utf8");
      } catch (thrown) {
        if (codeOf(thrown) === "ENOENT") return undefined;
        throw thrown;
      }
      try {
        return JSON.parse(text) as unknown;
      } catch (cause) {
        throw new RuntimeError("CONFIG_INVALID", `${path} is not JSON; mend it or delete it.`, { cause });
      }
    },
    write(value) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      const next = `${path}.${process.pid}`;
      writeFileSync(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
      renameSync(next, path);
    },
    mark() {
      const stats = lstatSync(path, { throwIfNoEntry: false });
      return stats ? `${stats.ino} ${stats.mtimeMs} ${stats.size} ${stats.mode}` : "";
    },
  };
}

function notPrivate(path: string): RuntimeError {
  return new RuntimeError(
    "CONFIG_INVALID",
    `${path} must be a file of yours that nobody else can read (mode 0600); look at who did that, then chmod 600 it or delete it.`,
  );
}
