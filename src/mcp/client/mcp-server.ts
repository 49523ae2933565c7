import { cutMiddle, cutText } from "../../core/text.ts";
import { messageOf } from "../../core/errors.ts";
import type { KeepText, ToolContext, ToolResult } from "../../core/tool.ts";
import { callTool } from "./call-tool.ts";
import { describeTransport, expandSetting, type McpServerSetting } from "./server-setting.ts";
import { listTools, type ToolList } from "./list-tools.ts";
import { McpProblem } from "./mcp-json-rpc.ts";
import { openLink, type Link, type LinkPlace } from "./open-server-link.ts";

/**
 * - `idle`: not started yet, or ended since; the next use starts it
 * - `starting`: it was not greeted yet
 * - `ready`: it can be called
 * - `failed`: the last start failed, or it ended by itself; it is tried again, each time after a longer pause
 */
export type McpServerState = "idle" | "starting" | "ready" | "failed";

export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  /** The program or the URL. */
  readonly where: string;
  readonly protocolVersion: string | null;
  /** Why it failed, as a whole sentence. */
  readonly problem: string | null;
}

/** One configured server: started at its first use, and again when it has ended. */
export interface McpServer {
  readonly setting: McpServerSetting;
  status(): McpServerStatus;
  /** Starts it if need be. Rejects with an McpProblem. */
  list(): Promise<ToolList>;
  /** What commands may reach has changed: a program that runs is ended after its last call, and the next use starts it anew. */
  renew(): void;
  /** Never rejects. */
  call(tool: string, input: unknown, context: ToolContext): Promise<ToolResult>;
  close(): Promise<void>;
}

export interface McpServerOptions {
  readonly setting: McpServerSetting;
  /** It was started, or says that its tools are others now: whoever lists them asks again. */
  readonly onToolsChanged: () => void;
  readonly cancelMs?: number;
  /** The pause after the second failure in a row; it doubles with each further one. */
  readonly backoffMs?: number;
}

const longestPauseMs = 60_000;

export function createMcpServer(place: LinkPlace, options: McpServerOptions): McpServer {
  const { setting, onToolsChanged, cancelMs = 1000, backoffMs = 1000 } = options;
  const { clock } = place;
  const retired = new Set<Link>();
  let current: Promise<Link> | undefined;
  let ready: Link | undefined;
  let failures = 0;
  let retryAt = 0;
  let problem: string | null = null;
  let generation = 0;
  const closing = new AbortController();

  function connect(): Promise<Link> {
    if (closing.signal.aborted) return Promise.reject(new McpProblem("unavailable", "was closed with the runtime."));
    if (current) return current;
    const pauseMs = retryAt - clock.monotonic();
    if (pauseMs > 0) {
      const message = `failed ${failures} times in a row and is tried again in ${Math.ceil(pauseMs / 1000)} s; the last time it ${problem}`;
      return Promise.reject(new McpProblem("unavailable", message));
    }
    const opening = start();
    current = opening;
    opening.catch((thrown: unknown) => {
      if (current === opening) current = undefined;
      fail(messageOf(thrown));
    });
    return opening;
  }

  async function start(): Promise<Link> {
    const expanded = expandSetting(setting, place.env);
    if (!expanded.ok) throw new McpProblem("unavailable", expanded.problem);
    const begun = generation;
    const link = await openLink(place, expanded.setting, { onToolsChanged, signal: closing.signal });
    if (begun !== generation) {
      await link.channel.stop();
      return start();
    }
    ready = link;
    problem = null;
    void link.channel.ended.then((why) => {
      if (ready !== link) return;
      ready = undefined;
      current = undefined;
      if (!closing.signal.aborted) fail(why);
    });
    onToolsChanged();
    return link;
  }

  /** The first time it is tried again at once: one crash is no pattern. */
  function fail(why: string): void {
    failures += 1;
    problem = why;
    const pauseMs = failures === 1 ? 0 : Math.min(longestPauseMs, backoffMs * 2 ** (failures - 2));
    retryAt = clock.monotonic() + pauseMs;
  }

  function retire(link: Link): void {
    if (ready !== link) return;
    ready = undefined;
    current = undefined;
    retired.add(link);
  }

  /** A server that forgot us did not look at the request, so sending it again over a new link does nothing twice. */
  async function withLink<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof McpProblem) || thrown.kind !== "expired") throw thrown;
      const forgotten = ready;
      ready = undefined;
      current = undefined;
      await forgotten?.channel.stop();
      return work();
    }
  }

  async function endRetired(link: Link): Promise<void> {
    if (!retired.has(link) || link.calls.size > 0) return;
    retired.delete(link);
    await link.channel.stop();
  }

  async function listOnce(): Promise<ToolList> {
    const { connection, greeting } = await connect();
    return greeting.hasTools ? listTools(connection, setting.startTimeoutMs) : { tools: [], leftOut: [] };
  }

  async function callOnce(tool: string, input: unknown, context: ToolContext): Promise<ToolResult> {
    const link = await untilAborted(connect().catch(neverAsked), context.signal);
    if (link === "cancelled") {
      context.notEntered?.();
      return { ok: false, error: "The call was cancelled.", errorType: "cancelled" };
    }
    const retireLink = (): void => retire(link);
    try {
      const call = { server: setting.name, tool, input, context, clock, cancelMs, retire: retireLink };
      const result = await callTool(link, call);
      failures = 0;
      problem = null;
      return place.keepText ? await spillResult(result, context.executionId, place.keepText) : result;
    } finally {
      await endRetired(link);
    }
  }

  return {
    setting,
    status: () => ({
      name: setting.name,
      where: describeTransport(setting.transport),
      state: ready ? "ready" : current ? "starting" : problem === null ? "idle" : "failed",
      protocolVersion: ready?.greeting.protocolVersion ?? null,
      problem: problem === null ? null : sentence(problem),
    }),
    list: () => withLink(listOnce),
    renew() {
      // Servers elsewhere are not held by any sandbox of ours.
      if (setting.transport.kind !== "stdio") return;
      generation += 1;
      const link = ready;
      if (!link) return;
      retire(link);
      void endRetired(link);
    },
    call: (tool, input, context) =>
      withLink(() => callOnce(tool, input, context)).catch((thrown: unknown) => {
        if (thrown instanceof McpProblem && thrown.kind === "unavailable") context.notEntered?.();
        return failure(thrown);
      }),
    async close() {
      closing.abort();
      await current?.catch(() => undefined);
      await Promise.all([...(ready ? [ready] : []), ...retired].map(({ channel }) => channel.close()));
    },
  };

  function sentence(what: string): string {
    return `The MCP server "${setting.name}" ${what}`;
  }

  function failure(thrown: unknown): ToolResult {
    const error = sentence(messageOf(thrown));
    if (!(thrown instanceof McpProblem)) return { ok: false, error, errorType: "mcp" };
    if (thrown.kind !== "lost") return { ok: false, error, errorType: thrown.kind === "unavailable" ? "spawn" : "mcp" };
    const hint = "Whether the call did its work is not known: look before it is made again.";
    return { ok: false, error, hint, errorType: "server_lost" };
  }
}

/** It was not started, so whatever became of that, it knows nothing of the call. */
function neverAsked(thrown: unknown): never {
  if (!(thrown instanceof McpProblem) || thrown.kind === "expired") throw thrown;
  throw new McpProblem("unavailable", thrown.message, { cause: thrown });
}

/** The start goes on for whoever comes next. */
async function untilAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | "cancelled"> {
  const aborted = Promise.withResolvers<"cancelled">();
  const onAbort = (): void => aborted.resolve("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** A person reads no more of it either; models are shown less still. */
const largest = 256 * 1024;
const shown = 32 * 1024;

/** What is too large to be read goes into a file, as the output of a command does, and the result says which. */
async function spillResult(result: ToolResult, executionId: string, keep: KeepText): Promise<ToolResult> {
  const { data, ...rest } = result;
  const dataText = data === undefined ? "" : JSON.stringify(data);
  const whole = result.ok ? result.output : result.error;
  const files: string[] = [];

  async function spill(text: string, name: string): Promise<string> {
    const size = `${Math.round(Buffer.byteLength(text) / 1024)} kB`;
    try {
      const file = await keep(text, `${executionId}.${name}`);
      files.push(file);
      return `[The whole ${name === "data.json" ? "data" : "result"}, ${size}: ${file}]`;
    } catch {
      // A full disk must not turn a call that worked into one that failed.
      return `[The whole of it, ${size}, could not be kept]`;
    }
  }

  const notes = [
    ...(whole.length > largest ? [await spill(whole, "result.txt")] : []),
    ...(dataText.length > largest ? [await spill(dataText, "data.json")] : []),
  ];
  if (notes.length === 0) return result;
  const output = [cutMiddle(whole, shown), ...notes].join("\n");
  const more = {
    outputBytes: Buffer.byteLength(whole),
    ...(files.length > 0 ? { files } : {}),
    ...(dataText.length > largest ? {} : { data }),
  };
  return rest.ok ? { ...rest, output, ...more } : { ...rest, error: cutText(rest.error, 2000), output, ...more };
}
