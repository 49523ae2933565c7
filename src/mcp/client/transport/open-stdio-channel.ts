import { isAbsolute, resolve } from "node:path";
import type { Clock } from "../../../core/clock.ts";
import type { StopReport } from "../../../core/stop-report.ts";
import type { CommandExit } from "../../../process/run/run-request.ts";
import type { Peer } from "../../../process/run/open-peer.ts";
import type { Processes } from "../../../process/processes.ts";
import { settlesWithin } from "../../../process/stop/wait.ts";
import type { Channel, OnMessage } from "./channel.ts";
import { parseMessages } from "../mcp-json-rpc.ts";
import { McpProblem } from "../mcp-problem.ts";
import { lastLine, quoteText } from "../../../guard/terminal-text/quote-text.ts";
import { readLines } from "../read-json-lines.ts";
import type { StdioTransport } from "../server-setting.ts";

export interface StdioPlace {
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
export async function openStdioChannel(
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
