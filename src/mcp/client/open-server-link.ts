import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Answer, Question } from "../../core/question.ts";
import type { Channel, OnMessage } from "./transport/channel.ts";
import { openConnection, type Connection } from "./server-connection.ts";
import { elicit } from "./elicit.ts";
import { greetServer, type Greeting } from "./handshake.ts";
import type { HttpPlace } from "./transport/http-door.ts";
import type { Fields, RpcId } from "./mcp-json-rpc.ts";
import { openStdioChannel, type StdioPlace } from "./transport/open-stdio-channel.ts";
import { McpProblem } from "./mcp-problem.ts";
import type { McpServerSetting } from "./server-setting.ts";
import type { KeepText } from "../../core/tool.ts";

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
