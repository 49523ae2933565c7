import { openGrants, type Grants } from "../gate/grants.ts";
import { locateFolders } from "./folders.ts";
import type { Environment } from "./load-configuration.ts";

/** What a person granted for longer than one call in this workdir. */
export function openWorkdirGrants(workdir: string, env: Environment): Grants {
  return openGrants(locateFolders(workdir, env).grants);
}
