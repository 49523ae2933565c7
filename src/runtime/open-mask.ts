import { randomBytes } from "node:crypto";
import { createMasker, type Masker } from "../safety/secrets/create-masker.ts";
import { findEnvironmentSecrets } from "../safety/secrets/environment-secrets.ts";
import type { Folders } from "./folders.ts";
import type { Environment } from "./load-configuration.ts";
import { readOrCreateSecret } from "./private-key.ts";

/** The one choke point before everything that is written or told. */
export function openMask(folders: Pick<Folders, "maskKey">, env: Environment): Masker {
  return createMasker({ values: findEnvironmentSecrets(env), key: installationKey(folders.maskKey) });
}

/** Without a place to keep one, equal secrets can be compared within this process only. */
function installationKey(path: string): string | Buffer {
  try {
    return readOrCreateSecret(path);
  } catch {
    return randomBytes(24);
  }
}
