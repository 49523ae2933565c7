import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { codeOf } from "../../core/errors.ts";

/** The text of a small private file, made with random content when it is not there. Nobody ever sees half of it. */
export function readOrCreateSecret(path: string): string {
  if (!existsSync(path)) create(path);
  return readFileSync(path, "utf8").trim();
}

function create(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600 });
  try {
    linkSync(temporary, path);
  } catch (thrown) {
    // Another process was first: its content is as good.
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  } finally {
    unlinkSync(temporary);
  }
}
