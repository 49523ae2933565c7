import { openGrants, type Grants } from "./grants.ts";
import { locateFolders } from "../config/folders.ts";
import type { Environment } from "../core/process.ts";

/** What a person granted for longer than one call in this workdir. */
export function openWorkdirGrants(workdir: string, env: Environment): Grants {
  return openGrants(locateFolders(workdir, env).grants);
}
