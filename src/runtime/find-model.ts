import { openTrust } from "../permissions/trust/trust.ts";
import { chooseModel, type ModelChoice } from "../models/choose-model.ts";
import { openFetch } from "../models/http/open-fetch.ts";
import { locateFolders } from "../config/folders.ts";
import { loadConfiguration } from "../config/load-configuration.ts";
import { type Environment } from "../core/process.ts";

/** Which model a conversation in this workdir would talk to, or what to do about there being none. Writes nothing. */
export function findModel(named: string, env: Environment): Promise<ModelChoice> {
  const { workdir, trust: path } = locateFolders(named, env);
  const trust = openTrust({ workdir, path, toolFolders: [], now: Date.now });
  const isTrusted = (file: string): boolean => trust.isTrusted(file);
  const { configuration } = loadConfiguration({ workdir, env, overrides: {}, isTrusted });
  return chooseModel({ env, configured: configuration.model.name ?? null, fetch: openFetch(env) });
}
