import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createId } from "../../core/ids.ts";
import type { Clock } from "../../core/clock.ts";
import type { Processes } from "../../process/processes.ts";
import type { CheckRow } from "./improvement.ts";
import type { ToolFile } from "../host/tool-host.ts";

export interface TypeCheckPlace {
  readonly workdir: string;
  /** Where files for the compiler may be put. */
  readonly folder: string;
  readonly processes: Processes;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Asks the compiler of the workdir, where there is one and the file has types. */
export async function checkTypes(place: TypeCheckPlace, proposed: ToolFile, stable: ToolFile): Promise<CheckRow> {
  if (proposed.language !== "typescript") return notChecked(`It is ${proposed.language}.`);
  const compiler = join(place.workdir, "node_modules", ".bin", "tsc");
  if (!existsSync(compiler)) return notChecked("There is no compiler here (node_modules/.bin/tsc).");
  const answer = await compile(place, compiler, proposed);
  if (answer.state === "fine") return { check: "types", state: "passed", detail: "The compiler has no complaint." };
  if (answer.state === "unknown") return notChecked(answer.why);
  const before = await compile(place, compiler, stable);
  if (before.state === "fine") return { check: "types", state: "failed", detail: answer.complaint };
  return notChecked("The compiler does not take the present version either.");
}

function notChecked(detail: string): CheckRow {
  return { check: "types", state: "not_checked", detail };
}

type Compiled =
  | { readonly state: "fine" }
  | { readonly state: "wrong"; readonly complaint: string }
  | { readonly state: "unknown"; readonly why: string };

const wallMs = 60_000;

async function compile(place: TypeCheckPlace, compiler: string, file: ToolFile): Promise<Compiled> {
  const { workdir, processes, clock, env, signal } = place;
  const end = await processes.runCommand({
    argv: [compiler, "-p", writeProject(place, file)],
    cwd: workdir,
    env,
    executionId: createId("call", clock.now()),
    signal,
    maxOutputBytes: 1024 * 1024,
    wallMs,
  });
  try {
    if (end.startError)
      return { state: "unknown", why: `The compiler could not be started: ${end.startError.message}` };
    if (end.stoppedBy !== null) return { state: "unknown", why: "The compiler took too long, or was stopped." };
    if (end.exitCode === 0) return { state: "fine" };
    const [first] = readFileSync(end.stdout.path, "utf8").split("\n");
    return { state: "wrong", complaint: (first ?? "").replace(/^.*?(?=[\w.-]+\(\d+,\d+\))/, "").slice(0, 500) };
  } finally {
    await end.discard();
  }
}

/** A project of one file: what the workdir's own project says is about other files. */
function writeProject({ folder, workdir }: TypeCheckPlace, file: ToolFile): string {
  const path = join(folder, `${file.hash}.tsconfig.json`);
  const hasNode = existsSync(join(workdir, "node_modules", "@types", "node"));
  const compilerOptions = {
    noEmit: true,
    skipLibCheck: true,
    target: "esnext",
    module: "nodenext",
    strict: true,
    noImplicitAny: false,
    allowImportingTsExtensions: true,
    types: hasNode ? ["node"] : [],
  };
  writeFileSync(path, JSON.stringify({ compilerOptions, files: [file.path] }), { mode: 0o600 });
  return path;
}
