import { once } from "node:events";
import type { ChildProcess } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import type { ProcessIdentity } from "../../core/process-identity.ts";
import type { StartError } from "../run/run-request.ts";
import { shimArguments, taskMarkerName } from "./detached-shim.ts";
import { identify } from "../stop/process-identity-check.ts";
import { toStartError } from "../run/launch.ts";
import type { ProcessParts } from "../process-parts.ts";
import { findStartProblem } from "../run/resolve-program.ts";
import type { StartRequest } from "../run/resolve-program.ts";
import { spawnClean } from "../run/spawn-clean.ts";

export interface DetachedRequest extends StartRequest {
  /** A private folder of its own, real path: `stdout`, `stderr` and the shim's files come into it. */
  readonly folder: string;
  /** A file to read from; null: stdin is closed. */
  readonly stdinPath: string | null;
  /** From the start, kept by the shim also when no runtime lives; in whole seconds, rounded up. */
  readonly limitMs: number;
  /** After the limit, between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export type DetachedStart =
  | {
      readonly ok: true;
      /** The shim that leads the session. */
      readonly process: ProcessIdentity;
      /** The shim has ended. Nothing is kept alive by waiting for it. */
      readonly gone: Promise<void>;
    }
  | { readonly ok: false; readonly startError: StartError };

/** Starts a program that outlives this process. Never rejects. */
export async function startDetached(parts: ProcessParts, request: DetachedRequest): Promise<DetachedStart> {
  const problem = findStartProblem(request);
  if (problem) return { ok: false, startError: problem };
  const opened: number[] = [];
  let child: ChildProcess;
  try {
    const open = (path: string, flags: string): number => {
      const fd = openSync(path, flags, 0o600);
      opened.push(fd);
      return fd;
    };
    const [stdout, messages, stderr] = outputPaths(request.folder).map((path) => open(path, "ax"));
    const stdin = request.stdinPath === null ? "ignore" : open(request.stdinPath, "r");
    child = spawnClean("/bin/sh", argumentsOf(parts, request), {
      cwd: request.cwd,
      env: { ...request.env, DECKHAND_EXECUTION: request.executionId, [taskMarkerName]: request.folder },
      stdio: [stdin, stdout!, messages!, stderr!],
      detached: true,
    });
  } catch (thrown) {
    return { ok: false, startError: toStartError(thrown, request) };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
  if (child.pid === undefined) {
    const [thrown] = (await once(child, "error")) as [unknown];
    return { ok: false, startError: toStartError(thrown, request) };
  }
  child.on("error", () => {}); // nobody signals it through this object
  child.unref();
  const { pid } = child;
  return {
    ok: true,
    // It is at least a zombie until the event loop turns, so it can be looked at.
    process: identify(parts.table, pid) ?? { pid, startTime: "0", bootId: parts.table.bootId },
    gone: new Promise((resolve) => void child.once("exit", () => resolve())),
  };
}

/** What the program and the shim write to, in the order of the descriptors. */
export function outputPaths(folder: string): string[] {
  return ["stdout", "messages", "stderr"].map((name) => join(folder, name));
}

function argumentsOf({ table }: ProcessParts, { folder, argv, limitMs, graceMs }: DetachedRequest): string[] {
  const [limitSeconds, graceSeconds] = [limitMs, graceMs].map((ms) => Math.max(1, Math.ceil(ms / 1000)));
  return shimArguments({
    folder,
    limitSeconds: limitSeconds!,
    graceSeconds: graceSeconds!,
    bootId: table.bootId,
    argv,
  });
}
