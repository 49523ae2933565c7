import { systemClock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { ServerParts } from "../../../mcp/server/create-mcp-server.ts";
import { exposeCatalog } from "../../../mcp/server/expose-catalog.ts";
import { offerInbox } from "../../../mcp/server/inbox-toolbox.ts";
import type { ListenPlace } from "../../../http/listen.ts";
import { serveStdio } from "../../../mcp/server/serve-stdio.ts";
import type { TaskDesk } from "../../../mcp/server/mcp-task-tool.ts";
import { createTaskToolbox } from "../../../mcp/server/task-toolbox.ts";
import type { Runtime } from "../../../runtime/runtime.ts";
import { version } from "../../../config/version.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openRuntime, tellWarnings } from "../../open-runtime.ts";
import { refuseInsideCall } from "../agent/agent-flags.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";

/** `deckhand mcp` */
export async function runMcp(invocation: Invocation, terminal: Terminal): Promise<number> {
  const place = readPlace(invocation);
  if (invocation.has("inbox")) refuseInsideCall(terminal);
  const host = createHost(invocation, terminal);
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  const watch = watchSignals(terminal, () => stop());
  try {
    if (place) await serveOverHttp(host, { place, stopped, invocation, terminal });
    else await serveOverStdio(host, { stopped, terminal });
    return watch.signal ? codeOfSignal[watch.signal] : exitCode.done;
  } finally {
    await host.close();
    watch.end();
  }
}

interface Host {
  readonly parts: ServerParts;
  runtime(): Promise<Runtime>;
  desk(): Promise<TaskDesk>;
  close(): Promise<void>;
}

/** The runtime is opened when something needs it: a client that only wants to know what there is does not wait for it. */
function createHost(invocation: Invocation, terminal: Terminal): Host {
  let opening: Promise<Runtime> | undefined;

  function runtime(): Promise<Runtime> {
    opening ??= openRuntime(invocation, terminal).then(
      (opened) => {
        tellWarnings(opened, terminal);
        opened.on("ledger:failed", ({ error }) => terminal.tell(`deckhand: warning: ${error}`));
        return opened;
      },
      (thrown: unknown) => {
        // What is wrong may be mended meanwhile: the next one who needs it tries again.
        opening = undefined;
        throw thrown;
      },
    );
    return opening;
  }

  const desk = async (): Promise<TaskDesk> => {
    const opened = await runtime();
    const tasks = await opened.tasks();
    tellWarnings(opened, terminal);
    return tasks;
  };
  const tasks = createTaskToolbox({ desk, clock: systemClock });
  const own = invocation.has("inbox") ? offerInbox(tasks, { inbox: async () => (await runtime()).inbox }) : tasks;
  const toolbox = invocation.has("expose") ? exposeCatalog(own, runtime, systemClock) : own;
  return {
    parts: { toolbox, desk, clock: systemClock, version, instructions },
    runtime,
    desk,
    close: async () => (await opening)?.close(),
  };
}

async function serveOverStdio(
  host: Host,
  { stopped, terminal }: { readonly stopped: Promise<void>; readonly terminal: Terminal },
): Promise<void> {
  const tell = (thrown: unknown): void => terminal.tell(`deckhand: ${messageOf(thrown)}`);
  if (terminal.stdin.isTTY) terminal.tell(onTerminal);
  const door = serveStdio(host.parts, {
    input: terminal.stdin,
    output: process.stdout,
    // Tasks that an earlier server left are looked after from now on, whether or not this client asks about any.
    onFirstAnswer: () => void host.desk().catch(tell),
    onError: tell,
  });
  await Promise.race([door.closed, stopped]);
  await door.close();
}

async function serveOverHttp(
  host: Host,
  options: {
    readonly place: ListenPlace;
    readonly stopped: Promise<void>;
    readonly invocation: Invocation;
    readonly terminal: Terminal;
  },
): Promise<void> {
  const { place, stopped, invocation, terminal } = options;
  const [{ serveHttp }, { readToken, tokenFileIn }] = await Promise.all([
    import("../../../mcp/server/http/serve-http.ts"),
    import("../../../mcp/server/http/token-file.ts"),
  ]);
  const tokenFile = tokenFileIn((await host.runtime()).stateFolder);
  const token = readToken(tokenFile);
  await host.desk();
  const onError = (error: Error): void => terminal.tell(`deckhand: ${error.message}`);
  const door = await serveHttp(host.parts, { listen: place, token, onError });
  if (invocation.has("json")) terminal.printJsonLine({ url: door.url, token_file: tokenFile });
  else
    terminal.tell(`MCP is served at ${door.url}; clients send "Authorization: Bearer" and the token in ${tokenFile}.`);
  await stopped;
  await door.close();
}

function readPlace(invocation: Invocation): ListenPlace | undefined {
  const port = invocation.value("http");
  const socketPath = invocation.value("socket");
  if (port !== undefined && socketPath !== undefined) throw new UsageError("Give --http or --socket, not both.");
  if (socketPath !== undefined) return { socketPath };
  if (port === undefined) return undefined;
  const number = /^\d{1,5}$/.test(port) ? Number(port) : Number.NaN;
  if (number <= 65_535) return { port: number };
  throw new UsageError(`--http takes a port from 0 (any that is free) to 65535; got "${port}".`);
}

const instructions =
  "Hands jobs to other AI agents that work in the background. use_agent gives a task_id at once; wait_for_task and get_task_status say what became of it, get_task_output what it printed. Tasks go on when this connection ends.";

const onTerminal = `This speaks MCP on stdin and stdout: a client starts it. For Claude Code, for example:
  claude mcp add deckhand -- deckhand mcp
Ctrl-C ends it.`;
