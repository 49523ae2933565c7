import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, relative, sep } from "node:path";
import type { Mount } from "./mount-plan.ts";
import type { PrivateFolder } from "./private-folder.ts";
import type { SandboxView } from "./sandbox-view.ts";

/** What of the machine itself is there, besides /dev and /proc. */
export function systemMounts({ profile, network }: SandboxView, folder: PrivateFolder): Mount[] {
  const temporary: Mount[] = [
    { kind: "writable", path: "/tmp", source: folder.tmp },
    ...(profile === "strict" || realPath("/var/tmp")[0] === "/var/tmp"
      ? [{ kind: "writable", path: "/var/tmp", source: folder.varTmp } as const]
      : []),
  ];
  return profile === "normal" ? [...wholeMachine(), ...temporary] : [...programsOnly(network), ...temporary];
}

function wholeMachine(): Mount[] {
  const hidden = controlFolders.filter((path) => realPath(path)[0] === path);
  return [
    { kind: "readable", path: "/", source: "/" },
    ...hidden.map((path): Mount => ({ kind: "hidden", path })),
    ...[...realPath("/etc/resolv.conf"), ...neededOfRun]
      .filter((path) => hidden.some((folder) => isInside(path, folder)) && realPath(path).length > 0)
      .map((path): Mount => ({ kind: "readable", path, source: path })),
  ];
}

/**
 * Sockets in these give orders to services that run outside (Docker, containerd, systemd, D-Bus, agents of keys). A
 * read-only mount does not keep anybody from connecting to a socket, so they are not there at all.
 */
const controlFolders = ["/run", "/var/run", "/var/lib/docker", "/var/lib/lxd", "/var/snap/lxd"];
const neededOfRun = ["/run/current-system", "/run/opengl-driver"];

function programsOnly(network: boolean): Mount[] {
  const files = network ? [...systemFiles, ...networkFiles] : systemFiles;
  return [...programFolders.flatMap(asItIs), ...files.flatMap(asSeen)];
}

/** A link of the machine stays one, so that a path means the same inside. */
function asItIs(path: string): Mount[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  if (found.isSymbolicLink()) return [{ kind: "link", path, target: readlinkSync(path) }];
  return [{ kind: "readable", path, source: path }];
}

/** What a file of /etc leads to may not be there inside, so its content is put in the link's place. */
function asSeen(path: string): Mount[] {
  return realPath(dirname(path)).length === 0
    ? []
    : realPath(path).map((source): Mount => ({ kind: "readable", path, source }));
}

const programFolders = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

const systemFiles = [
  "alternatives",
  "ca-certificates",
  "ca-certificates.conf",
  "crypto-policies",
  "group",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "locale.alias",
  "locale.conf",
  "localtime",
  "magic",
  "mime.types",
  "nsswitch.conf",
  "passwd",
  "pki/ca-trust",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/certs",
  "ssl/openssl.cnf",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

const networkFiles = ["/etc/host.conf", "/etc/hosts", "/etc/gai.conf", "/etc/resolv.conf"];

/** None or one. */
export function realPath(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
