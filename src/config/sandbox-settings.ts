import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { RuntimeError } from "../core/errors.ts";
import type { PermissionMode } from "../core/permission.ts";
import type { Environment } from "../core/process.ts";
import type { FoundBelow } from "../guard/path/find-protected.ts";
import { isWithin } from "../guard/path/path-name.ts";
import { gitNames } from "../guard/path/protected-names.ts";
import { holdsToken, mixedPlaces, secretPlaces } from "../guard/path/secret-places.ts";
import type { SandboxView } from "../process/sandbox/sandbox-view.ts";
import type { Configuration } from "./configuration.ts";
import type { Folders } from "./folders.ts";

/** What commands may see and change, by the settings and the mode of the moment. */
export function createSandboxView(options: {
  readonly folders: Folders;
  readonly configuration: Configuration;
  readonly mode: () => PermissionMode;
  readonly env: Environment;
  /** Further files and folders that commands may not change, relative to the workdir: tool files, programs of hooks. */
  readonly protectedFiles: () => readonly string[];
  readonly findProtected: () => FoundBelow;
}): () => SandboxView {
  const { folders, configuration, env } = options;
  const { sandbox, permissions } = configuration;
  const home = env["HOME"] || homedir();
  const isStrict = permissions.strictWorkdirOnly;
  const toPlace = (path: string): string => placeOf(path, folders.workdir, home);
  const writable = sandbox.writable.map(toPlace);
  refuseTooWide(writable, [folders.workdir, home]);
  const visible = sandbox.visible.map(toPlace);
  const hidden = sandbox.hidden.map(toPlace);
  let secrets: readonly string[] | undefined;
  // There are hundreds, and most runs of the program end without a command.
  const secretsNow = (): readonly string[] =>
    (secrets ??= [
      folders.stateHome,
      ...[...listSecretPlaces(home, env), ...hidden].filter((path) => !visible.includes(path)),
    ]);
  const mixed = mixedPlaces.map((path) => join(home, path)).filter((path) => !visible.includes(path));
  const fixed = {
    workdir: folders.workdir,
    profile: isStrict ? "strict" : "normal",
    writable,
    // Modules of hooks are run by the Node that runs this, which may lie anywhere.
    readable: [dirname(process.execPath)],
    cache: join(folders.state, "cache"),
  } as const;
  const always = [folders.data, ...gitNames.map((name) => join(folders.workdir, name))];
  // To keep a missing name from being made, an empty folder stands in its place: not in the person's home.
  const holdsHome = isWithin(folders.workdir, home);
  const alwaysNow = (): string[] => (holdsHome ? always.filter((path) => existsSync(path)) : always);

  function look(network: boolean): Required<Pick<SandboxView, "hidden" | "readOnly" | "denied">> {
    const below = options.findProtected();
    const roots = [folders.workdir, ...writable];
    const sockets = network ? [] : findSockets({ env, roots, inWorkdir: below.sockets });
    const existing = options.protectedFiles().map((path) => resolve(folders.workdir, path));
    return {
      // Only what is there: a mount needs something to lie on, and would leave it behind in the person's home folder.
      hidden: [...secretsNow().filter((path) => existsSync(path)), ...mixed.filter(hasToken), ...sockets],
      // What the person made writable stays so.
      readOnly: [
        ...new Set([...alwaysNow(), ...existing.filter((path) => existsSync(path)), ...below.protected]),
      ].filter((path) => !writable.includes(path)),
      denied: below.denied,
    };
  }

  return () => {
    const network = hasNetwork(sandbox.network, { isStrict, mode: options.mode() });
    let found: ReturnType<typeof look> | undefined;
    return {
      ...fixed,
      network,
      // Only for a command that is about to start: whoever asks what holds the next one needs no look at the folder.
      get hidden() {
        return (found ??= look(network)).hidden;
      },
      get readOnly() {
        return (found ??= look(network)).readOnly;
      },
      get denied() {
        return (found ??= look(network)).denied;
      },
    };
  };
}

/** Below the home folder, and where the variables that move parts of it lead. */
function listSecretPlaces(home: string, env: Environment): string[] {
  const moved = [
    [".config/", env["XDG_CONFIG_HOME"]],
    [".local/share/", env["XDG_DATA_HOME"]],
    [".cargo/", env["CARGO_HOME"]],
  ] as const;
  return secretPlaces.flatMap((path) => [
    join(home, path),
    ...moved.flatMap(([start, folder]) =>
      folder && path.startsWith(start) ? [join(folder, path.slice(start.length))] : [],
    ),
  ]);
}

function hasToken(path: string): boolean {
  try {
    return statSync(path).size < 1_000_000 && holdsToken(readFileSync(path, "utf8"));
  } catch {
    return false; // it is not there, or commands can't read it either
  }
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

/** More than any desktop has. */
const maxSockets = 500;

/** Variables that name a service which takes orders. */
const variables = ["DOCKER_HOST", "CONTAINER_HOST", "SSH_AUTH_SOCK", "GPG_AGENT_INFO"];

/**
 * The Unix sockets that programs outside listen on, as far as a command could see them: a network namespace of its own does
 * not keep it from connecting to a socket that has a name. What is below a private /tmp counts only inside `roots`.
 */
function findSockets(options: {
  readonly env: Environment;
  /** Folders that commands see as they are, although they may lie below /tmp. */
  readonly roots: readonly string[];
  /** Sockets that lie in the workdir, whoever made them. */
  readonly inWorkdir: readonly string[];
}): string[] {
  const listed = listNames();
  const isRelative = new Set(listed.filter((name) => !isAbsolute(name)));
  // A server that was told `./x.sock` is known by that name only.
  const ofWorkdir = options.inWorkdir.filter((path) => [...isRelative].some((name) => path.endsWith(join("/", name))));
  const named = variables.flatMap((name) => options.env[name]?.replace(/^unix:\/\//, "") ?? []);
  const paths = [...listed, ...named].filter((path) => isAbsolute(path) && isVisible(path, options.roots));
  return [...new Set([...paths, ...ofWorkdir])].filter(isSocket).slice(0, maxSockets);
}

/** None where the system keeps no such list. */
function listNames(): string[] {
  let text: string;
  try {
    text = readFileSync("/proc/net/unix", "utf8");
  } catch {
    return [];
  }
  // Num RefCount Protocol Flags Type State Inode Path; an abstract one begins with @.
  return text.split("\n").flatMap((line) => /^\S+: (?:\S+\s+){6}([^@].*)$/.exec(line)?.[1] ?? []);
}

function isVisible(path: string, roots: readonly string[]): boolean {
  const isPrivate = ["/tmp", "/var/tmp", "/run", "/var/run", "/proc", "/dev"].some((folder) => isWithin(folder, path));
  return !isPrivate || roots.some((root) => isWithin(root, path));
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}
