import { timeToWire, toWire } from "../../../core/wire.ts";
import { findStartingDaemon } from "../../../daemon/daemon-place.ts";
import { viewWatchdog } from "../../../watchdog/view-watchdog.ts";
import type { Invocation } from "../../parser/command.ts";
import { describeWatchdog } from "../watchdog/describe-watchdog.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { formatDuration } from "../../../core/time.ts";
import { askDaemon, expectDone, lookForDaemon, tellNone } from "./serve-client.ts";
import { neutralizeText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { locateWatchdog } from "../watchdog/watchdog-place.ts";

interface StatusDocument {
  readonly ready: boolean;
  readonly safe_mode: boolean;
  readonly watchdog: boolean;
  readonly warnings: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** `deckhand serve status`: exit code 0 when one runs, is ready and can record calls. */
export async function runServeStatus(invocation: Invocation, terminal: Terminal): Promise<number> {
  const view = lookForDaemon(invocation, terminal);
  const { daemon, folders } = view;
  const watchdog = viewWatchdog(locateWatchdog(invocation, terminal.env).settings);
  const aboutWatchdog = watchdog.state === "none" ? "" : `${describeWatchdog(watchdog, Date.now())}\n`;
  if (!daemon) {
    const starting = findStartingDaemon(folders.state);
    const facts = starting ? { running: true, ready: false, pid: starting.pid } : { running: false };
    if (invocation.has("json"))
      terminal.printJson({ ...facts, workdir: folders.workdir, watchdog_status: toWire(watchdog) });
    else tellNone(view, terminal);
    if (!invocation.has("json")) terminal.print(neutralizeText(aboutWatchdog));
    return exitCode.failed;
  }
  const { url, startedAt, version, process: identity } = daemon;
  const facts = {
    running: true,
    workdir: folders.workdir,
    url,
    pid: identity.pid,
    started_at: timeToWire(startedAt),
    version,
  };
  const answer = await askDaemon(view, daemon, { method: "GET", path: "/api/status" });
  // One that is starting or stopping says so; anything else is a refusal, such as of a token that it does not know.
  if (answer.status !== 503) expectDone(answer, daemon);
  const isAnswered = answer.status === 200;
  const status = (isAnswered ? answer.body : { ready: false }) as StatusDocument;
  if (invocation.has("json")) terminal.printJson({ ...facts, ...status, watchdog_status: toWire(watchdog) });
  else {
    terminal.print(
      `Runs at ${url}, process ${identity.pid}, for ${formatDuration(Date.now() - startedAt)}; version ${version}.\n`,
    );
    terminal.print(isAnswered ? describe(status) : "It is not ready yet, or just stopping.\n");
    if (watchdog.pid !== null) terminal.print(neutralizeText(aboutWatchdog));
  }
  return status.ready ? exitCode.done : exitCode.failed;
}

function describe({ counts, safe_mode: isSafe, warnings }: StatusDocument): string {
  const said = Object.entries(counts).map(([name, count]) => `${name.replaceAll("_", " ")} ${count}`);
  const lines = [
    `${said.join(", ")}.`,
    isSafe ? "Safe mode: tool files, MCP servers and canaries are off." : "",
    ...warnings.map((warning) => `Warning: ${warning}`),
  ];
  return lines
    .filter((line) => line !== "")
    .map((line) => `${line}\n`)
    .join("");
}
