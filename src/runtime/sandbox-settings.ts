import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { RuntimeError } from "../core/errors.ts";
import type { PermissionMode } from "../gate/mode.ts";
import type { SandboxView } from "../process/sandbox-view.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";
import { findGitSettings, gitNames } from "./git-names.ts";
import type { Environment } from "./load-configuration.ts";

/** What commands may see and change, by the settings and the mode of the moment. */
export function createSandboxView(options: {
  readonly folders: Folders;
  readonly configuration: Configuration;
  readonly mode: () => PermissionMode;
  readonly env: Environment;
  /** Further files that commands may not change, such as the programs of hooks. */
  readonly protectedFiles: readonly string[];
}): () => SandboxView {
  const { folders, configuration, env } = options;
  const { sandbox, permissions } = configuration;
  const home = env["HOME"] || homedir();
  const inWorkdir = (name: string): string => join(folders.workdir, name);
  const isStrict = permissions.strictWorkdirOnly;
  const writable = sandbox.writable.map((path) => placeOf(path, folders.workdir, home));
  refuseTooWide(writable, [folders.workdir, home]);
  const fixed = {
    workdir: folders.workdir,
    profile: isStrict ? "strict" : "normal",
    hidden: [
      ...secretPlaces.map((path) => join(home, path)),
      folders.stateHome,
      ...sandbox.hidden.map((path) => placeOf(path, folders.workdir, home)),
    ],
    writable,
    // Modules of hooks are run by the Node that runs this, which may lie anywhere.
    readable: [dirname(process.execPath)],
    cache: join(folders.state, "cache"),
  } as const;
  const always = [folders.data, ...gitNames.map(inWorkdir)];
  const whenThere = [...protectedNames, ...options.protectedFiles].map(inWorkdir);
  return () => ({
    ...fixed,
    // What the person made writable stays so.
    readOnly: [...always, ...whenThere.filter((path) => existsSync(path)), ...findGitSettings(folders.workdir)].filter(
      (path) => !writable.includes(path),
    ),
    network: hasNetwork(sandbox.network, { isStrict, mode: options.mode() }),
  });
}

function placeOf(path: string, workdir: string, home: string): string {
  if (path === "~" || path.startsWith("~/")) return join(home, path.slice(1));
  return isAbsolute(path) ? resolve(path) : resolve(workdir, path);
}

/** A person who wants no rails has `"sandbox": "off"`, which says so in every record. */
function refuseTooWide(writable: readonly string[], inside: readonly string[]): void {
  const wide = writable.find((path) =>
    inside.some((place) => `${place}/`.startsWith(path === "/" ? "/" : `${path}/`) && path !== inside[0]),
  );
  if (wide === undefined) return;
  throw new RuntimeError(
    "CONFIG_INVALID",
    `sandbox.writable names ${wide}, which holds the workdir or your home folder; name the folders that commands need, or set "sandbox" to "off".`,
  );
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

/**
 * Names that make other programs execute something. Only those that are there: keeping a missing one from being made needs an
 * empty folder in its place, which `git clean`, `git stash -u` and `cp -r` stumble over, and editors ask before they trust a new one.
 */
const protectedNames = [
  "deckhand.json",
  ".mcp.json",
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
