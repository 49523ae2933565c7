import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/process.ts";

/** What commands get in place of the machine's own: a /tmp that they share with each other only, and nothing. */
export interface PrivateFolder {
  readonly path: string;
  readonly tmp: string;
  readonly varTmp: string;
  readonly cache: string;
  readonly emptyFolder: string;
  readonly emptyFile: string;
}

/** Also when it is there already. */
export function makePrivateFolder(path: string): PrivateFolder {
  const folder = {
    path,
    tmp: join(path, "tmp"),
    varTmp: join(path, "var-tmp"),
    cache: join(path, "cache"),
    emptyFolder: join(path, "empty"),
    emptyFile: join(path, "empty-file"),
  };
  mkdirSync(path, { recursive: true, mode: 0o700 });
  for (const each of [folder.tmp, folder.varTmp]) {
    mkdirSync(each, { recursive: true });
    // Programs look for the usual mode of /tmp; the folder around it lets nobody else in.
    chmodSync(each, 0o1777);
  }
  mkdirSync(folder.cache, { recursive: true, mode: 0o700 });
  mkdirSync(folder.emptyFolder, { recursive: true, mode: 0o555 });
  writeFileSync(folder.emptyFile, "", { mode: 0o444, flag: "a" });
  return folder;
}

/** In the run folder, where no execution id has a comma. */
export function privateName({ pid, startTime }: ProcessIdentity): string {
  return ["private", pid, startTime.replaceAll(/\W/g, "_")].join(",");
}

export function isPrivateName(name: string): boolean {
  return name.startsWith("private,");
}
