import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import type { PermissionMode } from "../gate/mode.ts";
import type { SandboxView } from "../process/sandbox-view.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import type { Environment } from "./load-configuration.ts";

/** What commands may see and change, by the settings and the mode of the moment. */
export function createSandboxView(options: {
  readonly folders: Folders;
  readonly configuration: Configuration;
  readonly mode: () => PermissionMode;
  readonly env: Environment;
}): () => SandboxView {
  const { folders, configuration, env } = options;
  const { sandbox, permissions } = configuration;
  const home = env["HOME"] || homedir();
  const place = (path: string): string =>
    path.startsWith("~/") ? join(home, path.slice(2)) : isAbsolute(path) ? path : resolve(folders.workdir, path);
  const isStrict = permissions.strictWorkdirOnly;
  const fixed = {
    workdir: folders.workdir,
    profile: isStrict ? "strict" : "normal",
    hidden: [...secretPlaces.map((path) => join(home, path)), folders.stateHome, ...sandbox.hidden.map(place)],
    writable: sandbox.writable.map(place),
    cache: join(folders.state, "cache"),
  } as const;
  const always = [folders.data, ...protectedNames.map((name) => join(folders.workdir, name))];
  const ours = trustedNames.map((name) => join(folders.workdir, name));
  return () => ({
    ...fixed,
    readOnly: [...always, ...ours.filter((path) => existsSync(path))],
    network: hasNetwork(sandbox.network, { isStrict, mode: options.mode() }),
  });
}

/** Where nobody is asked, nothing leaves the machine unless the person said so. */
function hasNetwork(
  setting: Configuration["sandbox"]["network"],
  { isStrict, mode }: { readonly isStrict: boolean; readonly mode: PermissionMode },
): boolean {
  if (setting !== "auto") return setting === "on";
  return !isStrict && mode !== "auto" && mode !== "never";
}

/** Below the home folder: keys and tokens that no command of a tool needs to read. */
const secretPlaces = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".netrc",
  ".pgpass",
  ".pypirc",
  ".git-credentials",
  ".config/gcloud",
  ".config/gh",
  ".config/hub",
  ".config/op",
  ".password-store",
  ".local/share/keyrings",
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".gemini/oauth_creds.json",
];

/** Ours: a new one means nothing until a person trusts it, so only those that are there need protection. */
const trustedNames = ["deckhand.json", ".mcp.json"];

/** Names in the workdir that make other programs execute something. */
const protectedNames = [
  ".git/hooks",
  ".git/config",
  ".gitmodules",
  ".vscode",
  ".idea",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".envrc",
];
