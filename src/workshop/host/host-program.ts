import { accessSync, constants } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostLimits } from "./host-limits.ts";
import type { StrippedFiles } from "./stripped-files.ts";
import type { ToolFile } from "./tool-host.ts";

export interface HostProgram {
  readonly argv: readonly [string, ...string[]];
  /** What it must be able to read, wherever that lies. */
  readonly readable: readonly string[];
}

export interface HostPlace {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly limits: HostLimits;
  readonly stripped: StrippedFiles;
  /** The built program for JavaScript, where it is not the one beside this file: a figure of the sources says nothing of it. */
  readonly javascriptHost?: string;
}

/** How the host of a file is started; a sentence when this machine can't. */
export function hostProgramOf(file: ToolFile, place: HostPlace): HostProgram | string {
  const original = join(place.workdir, file.shown);
  const stripped = place.stripped.find(file);
  const words = [file.path, original, ...(stripped === null ? [] : [stripped])];
  if (file.language !== "python") {
    const { memoryMb } = place.limits;
    const host = place.javascriptHost ?? ownFile(isBuilt ? "./javascript-host.js" : "./child/javascript-host.ts");
    const node = [
      process.execPath,
      `--max-old-space-size=${Math.round(memoryMb * 0.75)}`,
      ...nodeFlags,
      host,
      ...words,
    ];
    // V8 reserves this much that it never uses.
    return {
      argv: startedBy(node, memoryMb + 768),
      readable: [
        process.execPath,
        file.path,
        ...(stripped === null ? [] : [stripped]),
        ...(place.javascriptHost ? programAround(host) : ownProgram),
      ],
    };
  }
  const python = findPython(place.env["PATH"] ?? "");
  if (python === null) {
    return `"${file.shown}" is a Python file, but there is no python3 or python in PATH: install Python 3.8 or newer, or write the tool in TypeScript.`;
  }
  const host = ownFile(isBuilt ? "./assets/deckhand_host.py" : "../assets/deckhand_host.py");
  return {
    argv: startedBy([python, "-u", "-B", host, ...words], place.limits.memoryMb),
    readable: [host],
  };
}

const nodeFlags = ["--disable-warning=ExperimentalWarning", "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"];

/**
 * The host speaks through 3 and 4, which Node and Python hand on to nobody. What the tool and its children print goes to
 * stderr, and they read nothing. The limit is the kernel's: it holds for memory that the language knows nothing of.
 */
function startedBy(command: readonly string[], dataMb: number): readonly [string, ...string[]] {
  const script = `ulimit -d ${dataMb * 1024} 2>/dev/null; exec "$@" 3<&0 4>&1 0</dev/null 1>&2`;
  return ["/bin/sh", "-c", script, "tool-host", ...command];
}

/** All that is built lies in one folder. */
const isBuilt = !import.meta.url.endsWith(".ts");

/** Its `package.json` says that the built files are modules. */
const ownProgram = isBuilt ? programAround(ownFile("./javascript-host.js")) : [ownFile("../../..")];

function programAround(host: string): string[] {
  return [dirname(host), join(dirname(host), "../package.json")];
}

function ownFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

function findPython(path: string): string | null {
  const folders = path.split(delimiter).filter(isAbsolute);
  for (const name of ["python3", "python"]) {
    for (const folder of folders) if (isExecutable(join(folder, name))) return join(folder, name);
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
