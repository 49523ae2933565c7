import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { codeOf, RuntimeError } from "../../core/errors.ts";

/**
 * The name by which this machine adopts what it has started. It lies in the folder of the tasks, because whoever has the one has the
 * other: a container that comes back under another host name, with its volume, is the same machine.
 */
export async function readMachineId(folder: string): Promise<string> {
  const path = join(folder, "machine-id");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, newMachineId(), { flag: "wx", mode: 0o600 });
  try {
    // Whole or not at all: another process may read it in this moment.
    await link(draft, path);
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
  return checkMachineId((await readFile(path, "utf8")).trim(), path);
}

/** Also for a name that a person gives: it throws CONFIG_INVALID when it can't be one. */
export function checkMachineId(name: string, from: string): string {
  if (/^[\w.-]{1,100}$/.test(name)) return name;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `The name of a machine has 1 to 100 letters, digits, dots, dashes and underscores; ${from} has ${JSON.stringify(name.slice(0, 80))}.`,
  );
}

function newMachineId(): string {
  const host = hostname()
    .replaceAll(/[^\w.-]/g, "-")
    .slice(0, 80);
  return `${host}-${randomBytes(4).toString("hex")}\n`;
}
