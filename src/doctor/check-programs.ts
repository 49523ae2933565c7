import { readFile } from "node:fs/promises";
import { delimiter, isAbsolute, relative } from "node:path";
import { childEnvironment } from "../process/run/child-environment.ts";
import type { CommandEnd } from "../process/run/run-request.ts";
import type { Processes } from "../process/processes.ts";
import { findRipgrep } from "../tools/search/ripgrep.ts";
import { ok, problem, warning, type Check } from "./doctor-check.ts";
import type { Subject } from "./doctor-subject.ts";

interface Program {
  readonly name: string;
  readonly argvs: readonly (readonly [string, ...string[]])[];
  readonly missing: Check;
  /** The runtime runs it itself, outside of any sandbox. */
  readonly isOurs?: boolean;
}

const programs: readonly Program[] = [
  {
    name: "bash",
    argvs: [["bash", "--noprofile", "--norc", "--version"]],
    missing: problem("bash", "bash is not there: the tool bash can't run anything.", "Install bash."),
  },
  {
    name: "python",
    argvs: [
      ["python3", "--version"],
      ["python", "--version"],
    ],
    missing: warning("python", "Python is not there: the tool run_python fails.", "Install Python 3."),
  },
  {
    name: "git",
    argvs: [["git", "--version"]],
    missing: warning("git", "git is not there.", "Install git, if your work needs it."),
  },
];

const ripgrepMissing = problem(
  "ripgrep",
  "ripgrep can't be run: the tool grep fails.",
  "Install the package @vscode/ripgrep for this platform, or put rg on the PATH.",
);

const patienceMs = 3000;

/** The programs that tools run, asked for their versions the way a command would be run. */
export async function checkPrograms(processes: Pick<Processes, "runCommand">, subject: Subject): Promise<Check[]> {
  const { env, folders, configuration } = subject;
  const inside = foldersInside(env["PATH"], folders.workdir);
  const environment = childEnvironment(env, { add: configuration.tools.environment });
  // Whatever the folder brought along is not run for a version number.
  const outside = (environment["PATH"] ?? "").split(delimiter).filter((folder) => !inside.includes(folder));
  // In a workdir such as / that would be all of them.
  const path = outside.length === 0 ? {} : { PATH: outside.join(delimiter) };
  const place = { workdir: folders.workdir, env: { ...environment, ...path } };
  const found = await Promise.all([
    ...programs.map((program) => checkProgram(processes, program, place)),
    findRipgrep().then((path) =>
      checkProgram(
        processes,
        { name: "ripgrep", argvs: [[path, "--version"]], missing: ripgrepMissing, isOurs: true },
        place,
      ),
    ),
  ]);
  return inside.length === 0 ? found : [...found, tellInside(inside)];
}

interface Place {
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
}

async function checkProgram(
  processes: Pick<Processes, "runCommand">,
  { name, argvs, missing, isOurs = false }: Program,
  place: Place,
): Promise<Check> {
  for (const argv of argvs) {
    const said = await run(processes, { argv, isOurs }, place);
    if (said.version !== null) return ok(name, `${said.version}.`);
    if (said.problem !== null) return { ...missing, what: `${missing.what} ${said.problem}` };
  }
  return missing;
}

interface Said {
  readonly version: string | null;
  /** Why it did not answer, although it is there. */
  readonly problem: string | null;
}

async function run(
  processes: Pick<Processes, "runCommand">,
  { argv, isOurs }: { readonly argv: readonly [string, ...string[]]; readonly isOurs: boolean },
  place: Place,
): Promise<Said> {
  const request = {
    argv,
    cwd: place.workdir,
    env: place.env,
    executionId: "doctor",
    signal: AbortSignal.timeout(patienceMs),
    maxOutputBytes: 100_000,
    childless: isOurs,
  };
  const held = await processes.runCommand(request);
  // Required, and not there: that is told elsewhere, and says nothing about the program.
  const isRefused = held.startError?.code === "SANDBOX_UNAVAILABLE";
  const end = isRefused ? await processes.runCommand({ ...request, childless: true }) : held;
  try {
    return await judge(end);
  } finally {
    await end.discard();
    if (isRefused) await held.discard();
  }
}

async function judge(end: CommandEnd): Promise<Said> {
  const { startError, stoppedBy, exitCode } = end;
  if (startError?.code === "ENOENT") return { version: null, problem: null };
  if (startError) return { version: null, problem: startError.message };
  if (stoppedBy !== null) return { version: null, problem: `It did not answer within ${patienceMs / 1000} s.` };
  const output = await readFile(end.stdout.path, "utf8");
  const version = /\S.*/.exec(output)?.[0].trim().slice(0, 80);
  if (exitCode === 0 && version !== undefined) return { version: version.replace(/\.$/, ""), problem: null };
  if (exitCode === 127 && end.sandbox?.kind !== "none")
    return { version: null, problem: "The sandbox does not show it." };
  return {
    version: null,
    problem: `It ended with ${exitCode === null ? `signal ${end.killedBy}` : `code ${exitCode}`}.`,
  };
}

function foldersInside(path: string | undefined, workdir: string): string[] {
  return (path ?? "").split(delimiter).filter((folder) => {
    if (!isAbsolute(folder)) return false;
    const way = relative(workdir, folder);
    return way === "" || (!way.startsWith("..") && !isAbsolute(way));
  });
}

function tellInside(inside: readonly string[]): Check {
  return warning(
    "PATH",
    `PATH names ${inside.slice(0, 3).join(", ")}${inside.length > 3 ? ", …" : ""} inside the workdir: what a tool writes there can be run in place of another program.`,
    "Take it out of PATH before you start Deckhand.",
  );
}
