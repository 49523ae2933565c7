import type { InputProblem, ToolResult } from "../../core/tool.ts";
import { type HostParts, type HostRefusal, openHost } from "./host-process.ts";
import { defaultHostLimits, type HostLimits } from "./host-protocol.ts";
import { type LiveHost, startLiveHost } from "./live-host.ts";
import { readSpec } from "./read-spec.ts";
import { createStrippedFiles } from "./stripped-files.ts";
import type { Described, FileProblem, HostCall, HostOutcome, HostStatus, ToolFile, ToolHosts } from "./tool-host.ts";

export interface ToolHostsOptions extends Omit<HostParts, "limits" | "isStrict" | "stripped"> {
  readonly limits?: Partial<HostLimits>;
  /** Nothing runs without an OS sandbox. */
  readonly isStrict?: boolean;
  /** Where TypeScript files without their types are kept; see `StrippedFiles`. Left out: nowhere. */
  readonly strippedFolder?: string;
}

type Opened = { readonly ok: true; readonly host: LiveHost } | HostRefusal;

export function createToolHosts(options: ToolHostsOptions): ToolHosts {
  const limits = { ...defaultHostLimits, ...options.limits };
  const parts: HostParts = {
    ...options,
    limits,
    isStrict: options.isStrict ?? false,
    stripped: createStrippedFiles(options.strippedFolder),
  };
  const hosts = new Set<LiveHost>();
  const opening = new Map<string, Promise<Opened>>();
  const describing = createRoom(limits.describing);
  /** A place for each host; told when one could be made free. */
  const places = createRoom(limits.hosts);
  let closing: Promise<void> | undefined;
  let renewals = 0;

  return {
    async describe(file): Promise<Described> {
      if (closing) return { ok: false, problem: closed };
      await describing.enter();
      try {
        return await describeFile(parts, file);
      } finally {
        describing.leave();
      }
    },
    async check(file, input): Promise<readonly InputProblem[] | null> {
      const opened = await hostFor(file);
      if (opened.ok) return opened.host.check(input);
      return [{ path: "", kind: "wrong", message: `the input can't be checked: ${opened.problem.message}` }];
    },
    call,
    async retire(file) {
      const key = keyOf(file);
      await opening.get(key);
      await Promise.all([...hosts].filter((host) => keyOf(host.file) === key).map((host) => host.retire()));
    },
    renew() {
      renewals += 1;
      for (const host of hosts) void host.retire();
    },
    list: () => [...hosts].map(statusOf),
    close: () => (closing ??= closeAll()),
  };

  async function call(file: ToolFile, input: unknown, call: HostCall): Promise<HostOutcome> {
    // A process that another call ended before this one began is no reason to fail; twice is one.
    for (let attempt = 1; attempt <= 2; attempt++) {
      const ready = findLiving(file);
      const opened: Opened | "stopped" = ready?.isLoaded
        ? { ok: true, host: ready }
        : await unlessStopped(hostFor(file), call.signal);
      if (opened === "stopped") return { result: notBegun, entered: false };
      if (!opened.ok) return { result: toFailure(file, opened), entered: false };
      call.began?.();
      const outcome = await opened.host.call(input, call);
      if (outcome) return outcome;
    }
    const error = "The process of the tool ended before the call could begin, twice in a row.";
    return { result: { ok: false, error, errorType: "crashed" }, entered: false };
  }

  /** The living one, or a new one; several callers share its start. */
  async function hostFor(file: ToolFile): Promise<Opened> {
    const key = keyOf(file);
    const living = findLiving(file);
    if (living) return loadedHost(living);
    const known = opening.get(key);
    if (known) return known;
    const start = open(file).finally(() => opening.delete(key));
    opening.set(key, start);
    return start;
  }

  function findLiving({ hash, shown, isApart }: ToolFile): LiveHost | undefined {
    for (const host of hosts) {
      const { file } = host;
      if (!host.isRetired && file.hash === hash && file.shown === shown && file.isApart === isApart) return host;
    }
    return undefined;
  }

  async function open(file: ToolFile): Promise<Opened> {
    if (closing) return { ok: false, problem: closed, errorType: "spawn" };
    const place = places.enter();
    makePlace();
    await place;
    const renewed = renewals;
    const start = await startLiveHost(parts, file, makePlace);
    if (!start.ok) {
      places.leave();
      return start;
    }
    const { host } = start;
    hosts.add(host);
    void host.ended.then(() => {
      hosts.delete(host);
      places.leave();
    });
    if (closing || renewed !== renewals) void host.retire();
    return renewed === renewals ? loadedHost(host) : open(file);
  }

  async function loadedHost(host: LiveHost): Promise<Opened> {
    const loaded = await host.loaded;
    if (loaded.ok) return { ok: true, host };
    void host.retire();
    return { ...loaded, errorType: "broken_tool" };
  }

  /** Those that were used the longest ago make room for those that wait; never one with calls. */
  function makePlace(): void {
    const all = [...hosts];
    const missing = places.waiting - all.filter((host) => host.isRetired).length;
    if (missing <= 0) return;
    const idle = all.filter((host) => host.callCount === 0 && !host.isRetired);
    const oldest = idle.toSorted((a, b) => a.lastUsedAt - b.lastUsedAt).slice(0, missing);
    for (const host of oldest) void host.retire();
  }

  async function closeAll(): Promise<void> {
    await Promise.all(opening.values());
    await Promise.all([...hosts].map((host) => host.shutDown()));
  }
}

const closed: FileProblem = { message: "The runtime is closed; no tool can be run any more.", line: null, hint: null };
const notBegun: ToolResult = { ok: false, error: "It was stopped before it began.", errorType: "cancelled" };

function keyOf({ hash, shown, isApart }: ToolFile): string {
  return `${hash} ${isApart ? "apart" : "shared"} ${shown}`;
}

function statusOf({ file, process, callCount, startedAt, isRetired }: LiveHost): HostStatus {
  return { file: file.shown, hash: file.hash, pid: process.pid, calls: callCount, startedAt, isRetired };
}

function toFailure({ shown }: ToolFile, { problem, errorType }: HostRefusal): ToolResult {
  const { message, line, hint } = problem;
  const error = line === null ? message : `${shown}, line ${line}: ${message}`;
  return { ok: false, error, errorType, ...(hint === null ? {} : { hint }) };
}

async function unlessStopped(opening: Promise<Opened>, signal: AbortSignal): Promise<Opened | "stopped"> {
  if (signal.aborted) return "stopped";
  const stopped = Promise.withResolvers<"stopped">();
  const onAbort = (): void => stopped.resolve("stopped");
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([opening, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Imports the file in a process of its own, which ends, and reads what it says of itself. Never throws. */
async function describeFile(parts: HostParts, file: ToolFile): Promise<Described> {
  let printedBytes = 0;
  const start = await openHost(parts, file, {
    onMessage: () => undefined,
    onPrinted(piece) {
      printedBytes += piece.length;
      if (printedBytes > parts.limits.printedBytes && start.ok) void start.host.stop("output");
    },
  });
  if (!start.ok) return { ok: false, problem: start.problem };
  const loaded = await start.host.loaded;
  await start.host.close();
  return loaded.ok ? readSpec(loaded.file, file.language) : loaded;
}

export interface Room {
  /** How many stand in the queue. */
  readonly waiting: number;
  /** Resolves when there is a place, in the order of asking. */
  enter(): Promise<void>;
  leave(): void;
}

/** A number of places, and a queue for them. */
function createRoom(places: number): Room {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    get waiting() {
      return waiting.length;
    },
    enter() {
      if (taken < places) {
        taken += 1;
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else taken -= 1;
    },
  };
}
