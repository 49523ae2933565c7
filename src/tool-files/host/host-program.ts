import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { HostLimits } from "./host-protocol.ts";
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
  /** Only the system's programs and the workdir can be seen, and what `readable` names. */
  readonly isStrict?: boolean;
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
    const builtHost = place.javascriptHost ?? builtBesideSources;
    const host = builtHost ?? ownFile(isBuilt ? "./javascript-host.js" : "./child/javascript-host.ts");
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
        ...(builtHost ? programAround(host) : ownProgram),
      ],
    };
  }
  const python = findPython(place.env["PATH"] ?? "");
  if (python === null) {
    return `"${file.shown}" is a Python file, but there is no python3 or python in PATH: install Python 3.8 or newer, or write the tool in TypeScript.`;
  }
  const host = ownFile(isBuilt ? "./assets/deckhand_host.py" : "../assets/deckhand_host.py");
  const { program, readable } = place.isStrict
    ? locateInterpreter(python, place)
    : { program: python, readable: [] as readonly string[] };
  return {
    argv: startedBy([program, "-u", "-B", host, ...words], place.limits.memoryMb),
    readable: [host, ...readable],
  };
}

interface Interpreter {
  readonly program: string;
  readonly readable: readonly string[];
}

/** The interpreter itself, with the folders it needs: a launcher of pyenv, and whatever lies in a home folder, is not seen in strict mode. */
function locateInterpreter(python: string, place: HostPlace): Interpreter {
  const program = behindPyenv(python, place) ?? python;
  const prefix = dirname(dirname(program));
  const real = realpathSync(program);
  const isEnvironment = existsSync(join(prefix, "pyvenv.cfg"));
  const folders = [...(isEnvironment ? [prefix] : []), dirname(dirname(real))];
  return {
    // An environment is found by the name that it is started by.
    program: isEnvironment ? program : real,
    readable: folders.filter((folder) => folder !== "/" && folder !== "/usr" && folder !== place.workdir),
  };
}

/** `~/.pyenv/shims/python3` asks pyenv which version is meant: that of the variable, of the workdir, or of the user. */
function behindPyenv(python: string, { workdir, env }: HostPlace): string | undefined {
  const root = dirname(dirname(python));
  if (basename(dirname(python)) !== "shims" || !existsSync(join(root, "versions"))) return undefined;
  const named = [
    env["PYENV_VERSION"]?.split(":"),
    linesOf(join(workdir, ".python-version")),
    linesOf(join(root, "version")),
    readdirSync(join(root, "versions")).sort().toReversed(),
  ].flatMap((names) => names ?? []);
  const programs = named.map((name) => join(root, "versions", basename(name), "bin", basename(python)));
  return programs.find((path) => isExecutable(path));
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, "utf8").split(/\s+/).filter(Boolean);
  } catch {
    return []; // There is no such file.
  }
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

let builtBesideSources: string | undefined;

/** For sources whose build is known to be fresh, as under `npm test`: it starts in a third of the time. */
export function useBuiltHost(path: string): void {
  builtBesideSources = path;
}

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
