import { lstatSync, readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isWithin } from "../guard/path/path-name.ts";
import type { Environment } from "../core/environment.ts";

/** More than any desktop has. */
const maxSockets = 500;

/** Variables that name a service which takes orders. */
const variables = ["DOCKER_HOST", "CONTAINER_HOST", "SSH_AUTH_SOCK", "GPG_AGENT_INFO"];

/**
 * The Unix sockets that programs outside listen on, as far as a command could see them: a network namespace of its own does
 * not keep it from connecting to a socket that has a name. What is below a private /tmp counts only inside `roots`.
 */
export function findSockets(options: {
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
