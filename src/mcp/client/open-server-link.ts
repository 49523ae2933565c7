import { basename, isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Answer, Question } from "../../core/approval.ts";
import type { Clock } from "../../core/clock.ts";
import type { StopReport } from "../../core/process.ts";
import type { KeepText } from "../../core/tool.ts";
import { lastLine, quoteText } from "../../guard/terminal-text/quote-text.ts";
import type { Processes } from "../../process/processes.ts";
import type { Peer } from "../../process/run/open-peer.ts";
import type { CommandExit } from "../../process/run/run-request.ts";
import { settlesWithin } from "../../process/stop/wait.ts";
import { elicit } from "./elicit.ts";
import { asFields, asText, type Fields, McpProblem, parseMessages, readLines, type RpcId } from "./mcp-json-rpc.ts";
import { openConnection, type Connection } from "./server-connection.ts";
import type { McpServerSetting, StdioTransport } from "./server-setting.ts";
import type { Channel, OnMessage } from "./transport/channel.ts";
import type { HttpPlace } from "./transport/http-door.ts";

export interface LinkPlace extends StdioPlace, HttpPlace {
  /** Ours, which servers are told. */
  readonly version: string;
  /** Left out: results stay as they are, however large. */
  readonly keepText?: KeepText;
}

/** A call that is under way: whom to ask when the server has a question. */
export interface CallUnderWay {
  /** Its request that is under way. */
  requestId?: RpcId;
  readonly ask: (question: Question) => Promise<Answer>;
}

/** A server that was greeted, until it ends. */
export interface Link {
  readonly connection: Connection;
  readonly channel: Channel;
  readonly greeting: Greeting;
  /** In the order they began. */
  readonly calls: Set<CallUnderWay>;
}

/** Starts or reaches the server and greets it, all within its time. Rejects with an McpProblem, and leaves nothing running then. */
export async function openLink(
  place: LinkPlace,
  setting: McpServerSetting,
  { onToolsChanged, signal }: { readonly onToolsChanged: () => void; readonly signal: AbortSignal },
): Promise<Link> {
  const { startTimeoutMs: timeoutMs, name: server } = setting;
  const { clock, workdir, version } = place;
  const calls = new Set<CallUnderWay>();
  const tooLate = Promise.withResolvers<never>();
  const giveUp = new AbortController();
  function stop(why: string): void {
    tooLate.reject(new McpProblem("unavailable", why));
    giveUp.abort();
  }
  tooLate.promise.catch(() => undefined);
  const cancelTimer = clock.after(timeoutMs, () => stop(`could not be reached within ${timeoutMs / 1000} s.`));
  const onClose = (): void => stop("was closed with the runtime.");
  signal.addEventListener("abort", onClose, { once: true });
  const opening = openConnection(
    {
      clock,
      onNotification: (method) => (method === "notifications/tools/list_changed" ? onToolsChanged() : undefined),
      answerServer: (method, params, about) => answerServer(method, params, { server, workdir, calls, about }),
    },
    (onMessage) => openChannel(place, setting, { onMessage, signal: giveUp.signal }),
  );
  try {
    const opened = await Promise.race([opening, tooLate.promise]);
    cancelTimer();
    const greeting = await Promise.race([greetServer(opened, { version, timeoutMs }), tooLate.promise]);
    return { ...opened, calls, greeting };
  } catch (thrown) {
    const stopped = opening.then(
      ({ channel }) => channel.stop(),
      () => null,
    );
    // One that never opens has nothing to stop.
    if (!giveUp.signal.aborted) await stopped;
    throw thrown;
  } finally {
    cancelTimer();
    signal.removeEventListener("abort", onClose);
  }
}

async function openChannel(
  place: LinkPlace,
  { transport }: McpServerSetting,
  opening: { readonly onMessage: OnMessage; readonly signal: AbortSignal },
): Promise<Channel> {
  if (transport.kind === "stdio") return openStdioChannel(place, transport, opening.onMessage);
  // Node's HTTP costs more memory than all the rest of this, and most servers are programs.
  if (transport.kind === "http") {
    const { openHttpChannel } = await import("./transport/open-http-channel.ts");
    return openHttpChannel(place, transport, opening.onMessage);
  }
  const { openSseChannel } = await import("./transport/open-sse-channel.ts");
  return openSseChannel(place, transport, opening);
}

interface AskedBy {
  readonly server: string;
  readonly workdir: string;
  readonly calls: ReadonlySet<CallUnderWay>;
  readonly about: RpcId | undefined;
}

/** Sampling is not among it: what the model is asked, and what that costs, is the person's to say. */
function answerServer(
  method: string,
  params: Fields,
  { server, workdir, calls, about }: AskedBy,
): Promise<Fields> | undefined {
  if (method === "ping") return Promise.resolve({});
  if (method === "roots/list") {
    return Promise.resolve({ roots: [{ uri: pathToFileURL(workdir).href, name: basename(workdir) }] });
  }
  if (method !== "elicitation/create") return undefined;
  // Over one pipe nobody can tell which call it is about; the one that began last is the best guess.
  const call = [...calls].find(({ requestId }) => about !== undefined && requestId === about) ?? [...calls].at(-1);
  return call === undefined ? Promise.resolve({ action: "cancel" }) : elicit(params, { server, ask: call.ask });
}

interface Greeting {
  readonly protocolVersion: string;
  readonly hasTools: boolean;
}

/** Newest first; a server answers with the newest that it knows. */
const withHandshake = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];
const stateless = "2026-07-28";

const capabilities = { roots: {}, elicitation: { form: {} } };

/**
 * Agrees with the server on a version. Almost every server knows `initialize`, and some of the older ones end or fall silent when
 * anything else comes first; so it is asked first, and only who refuses it is asked in the words of 2026-07-28. Rejects with an McpProblem.
 */
async function greetServer(
  { connection, channel }: { readonly connection: Connection; readonly channel: Channel },
  { version, timeoutMs }: { readonly version: string; readonly timeoutMs: number },
): Promise<Greeting> {
  const clientInfo = { name: "deckhand", version };
  const ask = { protocolVersion: withHandshake[0], capabilities, clientInfo };
  try {
    const result = await connection.ask("initialize", ask, { timeoutMs }).answer;
    const protocolVersion = asText(result["protocolVersion"]) ?? "";
    if (!withHandshake.includes(protocolVersion)) throw unknownVersion(protocolVersion);
    channel.useVersion(protocolVersion);
    connection.notify("notifications/initialized");
    channel.listen();
    return { protocolVersion, hasTools: offersTools(result) };
  } catch (thrown) {
    if (!(thrown instanceof McpProblem) || thrown.kind !== "refused") throw thrown;
    return discover({ connection, channel }, { clientInfo, timeoutMs, refusal: thrown });
  }
}

async function discover(
  { connection, channel }: { readonly connection: Connection; readonly channel: Channel },
  how: { readonly clientInfo: Fields; readonly timeoutMs: number; readonly refusal: McpProblem },
): Promise<Greeting> {
  connection.useMeta({
    "io.modelcontextprotocol/protocolVersion": stateless,
    "io.modelcontextprotocol/clientInfo": how.clientInfo,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } },
  });
  channel.useVersion(stateless);
  let result: Fields;
  try {
    result = await connection.ask("server/discover", {}, { timeoutMs: how.timeoutMs }).answer;
  } catch (thrown) {
    // Who knows neither is an older server that refused for a reason of its own: that one is told.
    throw thrown instanceof McpProblem && thrown.kind === "refused" ? how.refusal : thrown;
  }
  const known = result["supportedVersions"];
  if (Array.isArray(known) && !known.includes(stateless)) throw unknownVersion(known.join(", "));
  // An answer that never comes: as long as it is open, the server tells when its tools change.
  connection.ask("subscriptions/listen", { notifications: { toolsListChanged: true } }).answer.catch(() => undefined);
  return { protocolVersion: stateless, hasTools: offersTools(result) };
}

function offersTools(result: Fields): boolean {
  return asFields(asFields(result["capabilities"])?.["tools"]) !== undefined;
}

function unknownVersion(version: string): McpProblem {
  const known = [stateless, ...withHandshake].join(", ");
  return new McpProblem("protocol", `speaks version "${quoteText(version, 60)}" of MCP; known here are ${known}.`);
}

interface StdioPlace {
  readonly processes: Pick<Processes, "openPeer" | "sandbox">;
  readonly clock: Clock;
  readonly workdir: string;
  /** Already reduced to what every child may have; what the setting names comes on top. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** No program may run without an OS sandbox. */
  readonly isStrict: boolean;
}

let number = 0;

/** Starts the program. Rejects with an McpProblem when that can't be done. */
async function openStdioChannel(
  place: StdioPlace,
  { command, args, env, cwd }: StdioTransport,
  onMessage: OnMessage,
): Promise<Channel> {
  if (place.isStrict && (await place.processes.sandbox()).kind === "none") {
    throw new McpProblem(
      "unavailable",
      "is not started: in strict mode a program needs an OS sandbox, and this machine has none. Install bubblewrap, or switch strict mode off.",
    );
  }
  const start = await place.processes.openPeer({
    argv: [command, ...args],
    cwd: cwd === null ? place.workdir : isAbsolute(cwd) ? cwd : resolve(place.workdir, cwd),
    env: { ...place.childEnv, ...env },
    executionId: `mcp_${process.pid}_${++number}`,
  });
  if (!start.ok) throw new McpProblem("unavailable", `could not be started: ${start.startError.message}`);
  return attach(place, { peer: start.peer, command, onMessage });
}

/** How long a server may take to end once its input has ended. */
const closeMs = 2000;

function attach(
  { clock }: StdioPlace,
  { peer, command, onMessage }: { readonly peer: Peer; readonly command: string; readonly onMessage: OnMessage },
): Channel {
  let noise: string | null = null;
  let broken: string | null = null;
  let stopping: Promise<StopReport> | undefined;
  const stop = (): Promise<StopReport> => (stopping ??= peer.stop());
  readLines(peer.stdout, {
    onLine(line) {
      if (line.trim() === "") return;
      const messages = parseMessages(line);
      // Servers print greetings and logs where they must not; peers go on, and so do we.
      if (messages === undefined) noise ??= quoteText(line, 80);
      else for (const message of messages) onMessage(message, undefined);
    },
    onTooLong() {
      broken = "sent a message of more than 64 MB and was stopped.";
      void stop();
    },
  });
  return {
    process: { pid: peer.pid, command, sandbox: peer.sandbox },
    send: (message) => {
      peer.stdin.write(`${JSON.stringify(message)}\n`);
      return Promise.resolve();
    },
    useVersion() {},
    listen() {},
    ended: peer.exited.then((exit) => broken ?? describeExit(exit, peer.stderrTail())),
    noise: () => noise,
    async close() {
      peer.stdin.end();
      await settlesWithin(clock, peer.exited, closeMs);
      return stop();
    },
    stop,
  };
}

function describeExit({ exitCode, killedBy }: CommandExit, stderr: string): string {
  const said = lastLine(stderr);
  const how = killedBy === null ? `ended with exit code ${exitCode}` : `was killed by ${killedBy}`;
  return said === "" ? `${how}.` : `${how}: ${said.replace(/[.!?]?$/, ".")}`;
}
