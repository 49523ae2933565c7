import { posix } from "node:path";
import { isProtectedHomePath, isProtectedName, systemFolders, harmlessDevices } from "./path-tables.ts";
import type { Place } from "./place.ts";
import type { Word } from "./simple-command.ts";

/**
 * Where a word that names a file points to.
 * - `inside`: the workdir or below, or a relative path when it is not known where that is
 * - `temporary`: a folder for temporary files
 * - `outside`: somewhere else, but nothing of the system's
 * - `home`: the home folder itself, or a folder above the workdir
 * - `system`: a folder of the operating system, or the root
 * - `protected`: a file that makes programs run or keeps keys: shell start files, `.ssh`, `.git/hooks`
 * - `device`: a device that is not harmless
 * - `socket`: bash opens a connection for it
 * - `unknown`: the beginning is not known
 */
export type Location =
  | "inside"
  | "temporary"
  | "outside"
  | "home"
  | "system"
  | "protected"
  | "device"
  | "socket"
  | "unknown";

export function locate(word: Word, place: Place): Location {
  const text = expandStart(word.text, place);
  if (text === null) return "unknown";
  if (text.startsWith("~temporary")) return "temporary";
  if (text.startsWith("~home")) return locateInHome(posix.normalize(text).slice("~home/".length));
  if (text.startsWith("/")) return locateAbsolute(posix.normalize(text), place);
  if (place.cwd !== undefined) return locateAbsolute(posix.resolve(place.cwd, text), place);
  return locateRelative(posix.normalize(text));
}

/** The path with `~`, `$HOME` and relative parts resolved as far as that is known; for comparing two words. */
export function normalisePath(word: Word, place: Place): string {
  const text = expandStart(word.text, place) ?? word.text;
  if (place.cwd !== undefined && !text.startsWith("/") && !text.startsWith("~")) return posix.resolve(place.cwd, text);
  const path = posix.normalize(text);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Null when the beginning is not known. `~home` and `~temporary` stand for folders whose path is not. */
function expandStart(text: string, place: Place): string | null {
  const home = place.home ?? "~home";
  const tilde = /^~([a-z_][a-z0-9_-]*)?(?=\/|$)/.exec(text);
  if (tilde !== null) {
    const user = tilde[1];
    const base = user === undefined ? home : user === "root" ? "/root" : `/home/${user}`;
    return base + text.slice(tilde[0].length);
  }
  if (!text.startsWith("$") && !text.startsWith("`")) return text;
  const variable = /^\$(?:\{([A-Za-z_]+)\}|([A-Za-z_]+))/.exec(text);
  const name = variable?.[1] ?? variable?.[2];
  const rest = variable === null ? "" : text.slice(variable[0].length);
  if (name === "HOME") return home + rest;
  if (name === "PWD") return `${place.cwd ?? "."}${rest}`;
  if (name === "TMPDIR" || name === "TMP" || name === "TEMP") return "~temporary";
  if (text.startsWith("$(pwd)")) return `${place.cwd ?? "."}${text.slice("$(pwd)".length)}`;
  if (text.startsWith("$(mktemp")) return "~temporary";
  // `$X/etc/passwd` with an empty X is a path of the system, but so is half of all scripts.
  return null;
}

function locateAbsolute(path: string, place: Place): Location {
  const lower = path.toLowerCase();
  if (lower === "/dev/tcp" || lower.startsWith("/dev/tcp/") || lower.startsWith("/dev/udp/")) return "socket";
  if (lower.startsWith("/dev/") || lower.startsWith("/proc/self/fd/")) {
    return harmlessDevices.test(lower) ? "temporary" : "device";
  }
  if (isProtectedName(lower)) return "protected";
  const { cwd, home } = place;
  if (cwd !== undefined && isWithin(path, cwd) && !isSystemWorkdir(cwd.toLowerCase())) {
    // The workdir may be the home folder itself, whose own files stay protected.
    return home !== undefined && isWithin(path, home) && isProtectedHomePath(lower.slice(home.length + 1))
      ? "protected"
      : "inside";
  }
  if (home !== undefined && isWithin(path, home)) return locateInHome(path.slice(home.length + 1));
  if (/^\/(?:private\/)?(?:tmp|var\/tmp|var\/folders|dev\/shm)(?:\/|$)/.test(lower)) return "temporary";
  if (cwd !== undefined && isWithin(cwd, path)) return path === "/" ? "system" : "home";
  const elsewhere = /^\/(?:home|users)\/[^/]+(?:\/|$)/.exec(lower);
  if (elsewhere !== null) {
    const inHome = locateInHome(path.slice(elsewhere[0].length));
    return inHome === "home" && cwd !== undefined ? "home" : inHome;
  }
  if (lower === "/home" || lower === "/users") return "system";
  return isSystem(lower, home) ? "system" : "outside";
}

function locateInHome(rest: string): Location {
  const path = rest.replace(/\/$/, "").toLowerCase();
  if (path === "" || path === ".") return "home";
  if (path.startsWith("..")) return path.includes("/") ? "outside" : "system";
  if (path === "*" || path === ".*") return "home";
  return isProtectedHomePath(path) || isProtectedName(path) ? "protected" : "outside";
}

function locateRelative(path: string): Location {
  const lower = path.toLowerCase();
  if (isProtectedName(lower)) return "protected";
  const parents = /^(?:\.\.\/)+/.exec(lower);
  if (lower === ".." || (parents !== null && /^(?:\.\.)?$/.test(lower.slice(parents[0].length)))) return "home";
  if (parents === null) return "inside";
  return isSystem(`/${lower.slice(parents[0].length)}`, undefined) ? "system" : "outside";
}

function isSystem(path: string, home: string | undefined): boolean {
  if (path === "/" || path === "/*" || path === "/.*") return true;
  const segments = path.split("/");
  const first = segments[1]!;
  if (first === "root") return home !== "/root";
  if (first === "private") return isSystem(`/${segments.slice(2).join("/")}`, home);
  if (first === "var") return segments[2] === undefined || !["tmp", "folders", "www"].includes(segments[2]);
  if (first === "run") return segments[2] !== "user";
  if (systemFolders.has(first)) return true;
  return /[*?[]/.test(first) && [...systemFolders].some((folder) => matchesWildcard(folder, first));
}

/** Images of containers keep applications in `/usr/src` and in root's home. */
function isSystemWorkdir(path: string): boolean {
  return isSystem(path, "/root") && !path.startsWith("/usr/src/");
}

/** `e*c` matches `etc`. A bracket counts as any one character: enough to say that a pattern could mean a folder. */
function matchesWildcard(name: string, pattern: string): boolean {
  const parts = pattern.replace(/\[[^\]]*\]/g, "?");
  let position = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (position < name.length) {
    if (index < parts.length && (parts[index] === "?" || parts[index] === name[position])) {
      index++;
      position++;
    } else if (parts[index] === "*") {
      star = index++;
      resume = position;
    } else if (star >= 0) {
      index = star + 1;
      position = ++resume;
    } else {
      return false;
    }
  }
  while (parts[index] === "*") index++;
  return index === parts.length;
}

function isWithin(path: string, folder: string): boolean {
  if (folder === "/") return false;
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
