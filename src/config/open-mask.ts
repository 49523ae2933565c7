import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createMasker, type Masker } from "../guard/secrets/create-masker.ts";
import { findEnvironmentSecrets, isWorthHiding } from "../guard/secrets/environment-secrets.ts";
import type { Folders } from "./folders.ts";
import type { Environment } from "../core/process.ts";
import { passwordsInAddress } from "./passwords-in-address.ts";
import { readOrCreateSecret } from "../guard/secrets/private-key.ts";

/** The one choke point before everything that is written or told. */
export function openMask(
  folders: Pick<Folders, "maskKey" | "state">,
  env: Environment,
  { storeUrl }: { readonly storeUrl: string | null },
): Masker {
  // Of an address that came by a file or an option: what the environment has is found there.
  const passwords = passwordsInAddress(storeUrl ?? "").filter(isWorthHiding);
  const values = [...findEnvironmentSecrets(env), ...passwords, ...tokensIn(folders.state), ...takeHanded(env)];
  return createMasker({ values, key: installationKey(folders.maskKey) });
}

/** What lets somebody in to a daemon or MCP server of this workdir. Those that are made later are known to the next runtime. */
function tokensIn(stateFolder: string): string[] {
  return ["daemon-token", "mcp-token"].flatMap((name) => {
    try {
      return [readFileSync(join(stateFolder, name), "utf8").trim()].filter(isWorthHiding);
    } catch {
      return []; // There is none.
    }
  });
}

/** What the deckhand that ordered this one knows to be secret. It lies in a file no longer than it takes to read it. */
function takeHanded(env: Environment): string[] {
  const path = env["DECKHAND_SECRETS_FILE"] ?? "";
  if (path === "") return [];
  try {
    const values: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) return [];
    rmSync(path, { force: true });
    return values.filter(isWorthHiding);
  } catch {
    return []; // It was taken already.
  }
}

/** Without a place to keep one, equal secrets can be compared within this process only. */
function installationKey(path: string): string | Buffer {
  try {
    return readOrCreateSecret(path);
  } catch {
    return randomBytes(24);
  }
}
