import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { relative, resolve } from "node:path";
import type { Clock } from "../../core/clock.ts";
import { isDiskFull } from "../run/disk-full.ts";
import { launch } from "../run/launch.ts";
import { createRun, removeRun } from "../run/run-folder.ts";
import type { StartError } from "../run/run-request.ts";
import { endMarked } from "../stop/stop-tree.ts";
import { settlesWithin } from "../stop/wait.ts";
import { enclose, type EnclosureParts, type Sandbox } from "./enclosure.ts";
import { removeTraces, type Traces } from "./masks.ts";
import { findNamespaceProgram, type Namespace } from "./namespace.ts";
import type { SandboxView } from "./sandbox-view.ts";
import { seatbeltProgram } from "./seatbelt-profile.ts";

export type SandboxChoice = "auto" | "require" | "off";

export interface ProbeOptions extends EnclosureParts {
  readonly choice: SandboxChoice;
  /** Null: nobody said what commands may see, so there is only a PID namespace. */
  readonly view: SandboxView | null;
  readonly clock: Clock;
}

/**
 * Which sandbox commands get. Rejects when the run folder can't be used, which says nothing about the sandbox.
 * Found out by running one with the very profile, because a program that is installed may still be forbidden to make
 * namespaces. A sandbox that was required and does not work is never replaced by none, and half of one is called none.
 */
export async function chooseSandbox(options: ProbeOptions): Promise<Sandbox | StartError> {
  if (options.choice === "off") return none("it is switched off");
  const found = process.platform === "darwin" ? await trySeatbelt(options) : await tryBubblewrap(options);
  if (options.choice === "auto" || (found.kind !== "none" && found.problem === null)) return found;
  if (options.view === null && found.namespace) return found;
  const message = `A sandbox is required, but ${found.problem}. Install bubblewrap, or set the sandbox to "auto".`;
  return { code: "SANDBOX_UNAVAILABLE", message };
}

async function tryBubblewrap(options: ProbeOptions): Promise<Sandbox> {
  const namespace = process.platform === "linux" ? findNamespaceProgram() : null;
  if (!namespace) return none("bubblewrap is not installed");
  let problem = "commands are not told what they may see";
  for (const sandbox of options.view ? variantsOf(namespace, options.view) : []) {
    const failed = await run(sandbox, options);
    if (failed === null) return sandbox;
    problem = failed;
  }
  const alone: Sandbox = { ...none(problem), namespace };
  const failed = await run(alone, { ...options, view: null });
  return failed === null ? alone : none(failed);
}

/** The best first. */
function variantsOf(namespace: Namespace, view: SandboxView): Sandbox[] {
  const whole: Sandbox = { kind: "bwrap", namespace, nesting: "closed", cutsNetwork: true, problem: null };
  // Versions before 0.8 do not know how to close it, and one that is setuid may not.
  const nestable: Sandbox = { ...whole, nesting: "open" };
  const problem = "the network can't be cut off on this machine; files are still held";
  return [whole, nestable, ...(view.network ? [] : [{ ...nestable, cutsNetwork: false, problem }])];
}

async function trySeatbelt(options: ProbeOptions): Promise<Sandbox> {
  if (!options.view) return none("commands are not told what they may see");
  if (!existsSync(seatbeltProgram)) return none(`${seatbeltProgram} is not there`);
  const seatbelt: Sandbox = { ...none(""), kind: "seatbelt", problem: null };
  const failed = await run(seatbelt, options);
  return failed === null ? seatbelt : none(failed);
}

function none(problem: string): Sandbox {
  return { kind: "none", namespace: null, nesting: "open", cutsNetwork: true, problem };
}

async function run(sandbox: Sandbox, options: ProbeOptions): Promise<string | null> {
  const { table, clock, runFolder, view } = options;
  const place = createRun(runFolder, `probe-${process.pid}`);
  let traces: Traces | undefined;
  let ended = false;
  try {
    const request = { run: place, keep: false, script: null, note: (made: Traces) => void (traces = made) };
    const enclosure = enclose(options, { sandbox, view }, request);
    const argv = ["/bin/sh", "-c", "exit 7"] as const;
    const pipes = { stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
    const cwd = view?.workdir ?? tmpdir();
    const launched = await launch(table, {
      argv: [...argv],
      cwd,
      env: {},
      run: place,
      ...pipes,
      enclosure,
      keep: false,
    });
    if (!launched.started) {
      if (isDiskFull(runFolder)) throw diskFull(runFolder);
      ended = true;
      return launched.startError.message;
    }
    const inTime = await settlesWithin(clock, launched.ended, 5000);
    launched.release();
    if (!inTime) return "the sandbox does not answer";
    await launched.gone;
    const end = await launched.ended;
    ended = end.exitCode === 7;
    if (ended) return null;
    if (isDiskFull(runFolder)) throw diskFull(runFolder);
    return `the sandbox does not work here (${end.sandboxError ?? "no answer"})`;
  } finally {
    // A bwrap that fails half way leaves its child behind, which waits for it for ever.
    if (!ended) await endMarked(place, { table, clock });
    removeTraces({ table, runFolder }, { name: place.name, traces });
    await removeRun(place.folder);
  }
}

function diskFull(runFolder: string): Error {
  return Object.assign(new Error(`the disk that holds "${runFolder}" is full`), { code: "ENOSPC" });
}

/**
 * One sentence on what the sandbox refused, when the output of a failed command looks like it; otherwise null. A guess, for
 * somebody who has to choose what to do next.
 */
export function explainRefusal(view: SandboxView, output: string): string | null {
  const hidden = view.hidden.find((path) => names(output, path));
  if (hidden !== undefined && unseen.test(output)) return `${hidden} is hidden from commands by the sandbox.`;
  if (!view.network && unreachable.test(output)) {
    return 'Commands have no network in this sandbox: the person can allow it with the setting "sandbox.network".';
  }
  const isNamed = (path: string): boolean => {
    const whole = resolve(view.workdir, path);
    return names(output, whole) || names(output, relative(view.workdir, whole));
  };
  const denied = view.denied?.find(isNamed);
  if (denied !== undefined && refused.test(output))
    return `${relative(view.workdir, denied)} is read-only for commands: a deny rule covers it.`;
  const kept = view.readOnly.find(isNamed);
  if (kept !== undefined && refused.test(output)) {
    return `${kept} is protected: commands can't change it. Ask the person, or use write or edit, which ask.`;
  }
  if (!unwritable.test(output)) return null;
  const places = [view.workdir, "/tmp", ...view.writable].join(", ");
  return `The sandbox lets commands write only to ${places}: the person can allow more with the setting "sandbox.writable".`;
}

const unwritable = /Read-only file system|\bEROFS\b/i;
const refused =
  /Read-only file system|\bEROFS\b|Device or resource busy|\bEBUSY\b|Is a directory|\bEISDIR\b|cross-device/i;
const unseen = /No such file|\bENOENT\b|Permission denied|\bEACCES\b|Read-only file system|not found/i;
const unreachable =
  /Network is unreachable|\bENETUNREACH\b|Could not resolve|Couldn't resolve|name resolution|Name or service not known|\bEAI_AGAIN\b|\bENOTFOUND\b|getaddrinfo|Connection refused|\bECONNREFUSED\b|Failed to connect|Couldn't connect|no such host/i;

/** As a whole name: `.git/config` is neither in `.git/config.bak` nor in `other/.git/config`. */
function names(output: string, path: string): boolean {
  for (let at = output.indexOf(path); at !== -1; at = output.indexOf(path, at + 1)) {
    const before = output.slice(Math.max(0, at - 2), at);
    const begins = before.endsWith("./") || !/[\w./-]$/.test(before);
    if (begins && !/[\w.-]/.test(output[at + path.length] ?? " ")) return true;
  }
  return false;
}
