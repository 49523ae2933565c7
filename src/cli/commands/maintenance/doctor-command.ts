import { resolve } from "node:path";
import { version } from "../../../config/version.ts";
import { codeOf, messageOf } from "../../../core/errors.ts";
import { diagnose, type Check } from "../../../doctor/diagnose.ts";
import { viewWatchdog, type WatchdogView } from "../../../watchdog/view-watchdog.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Invocation } from "../../parser/command.ts";
import { exitCode } from "../../parser/exit-code.ts";
import { displayWidth, neutralizeLine, wrapText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { describeWatchdog } from "../watchdog/describe-watchdog.ts";
import { locateWatchdog } from "../watchdog/watchdog-place.ts";

/** `deckhand doctor` */
export async function runDoctor(invocation: Invocation, terminal: Terminal): Promise<number> {
  const workdir = resolve(chooseWorkdir(invocation, terminal.env));
  const checks = [...(await diagnose({ workdir, env: terminal.env })), ...checkWatchdog(invocation, terminal.env)];
  const isWell = checks.every(({ state }) => state !== "problem");
  if (invocation.has("json")) terminal.printJson({ ok: isWell, version, workdir, checks });
  else terminal.print(`${renderChecks(checks, terminal)}\n${summarize(checks)}\n`);
  return isWell ? exitCode.done : exitCode.failed;
}

const marks = { ok: "✓", warning: "!", problem: "✗" } as const;
const colours = { ok: "green", warning: "yellow", problem: "red" } as const;

function renderChecks(checks: readonly Check[], terminal: Terminal): string {
  const nameWidth = Math.max(...checks.map(({ name }) => displayWidth(name)));
  const indent = " ".repeat(nameWidth + 4);
  const room = terminal.width === undefined ? undefined : terminal.width - indent.length;
  return checks
    .map(({ name, state, what, fix }) => {
      const head = `${terminal.style(colours[state], marks[state])} ${name}${" ".repeat(nameWidth - displayWidth(name))}  `;
      const lines = [...wrapText(neutralizeLine(what), room), ...(fix === null ? [] : wrapFix(fix, room))];
      return `${head}${lines.join(`\n${indent}`)}\n`;
    })
    .join("");
}

function wrapFix(fix: string, room: number | undefined): string[] {
  const [first = "", ...rest] = wrapText(neutralizeLine(fix), room === undefined ? undefined : room - 2);
  return [`→ ${first}`, ...rest.map((line) => `  ${line}`)];
}

function summarize(checks: readonly Check[]): string {
  const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
  const [problems, warnings] = [count("problem"), count("warning")];
  if (problems === 0 && warnings === 0) return "All is well.";
  const parts = [
    ...(problems === 0 ? [] : [`${problems} ${problems === 1 ? "problem" : "problems"}`]),
    ...(warnings === 0 ? [] : [`${warnings} ${warnings === 1 ? "warning" : "warnings"}`]),
  ];
  return `${parts.join(", ")}. What each layer promises is in docs/security.md.`;
}

/** What the doctor says of the watchdog: a row only where one runs, or should. */
function checkWatchdog(invocation: Invocation, env: Terminal["env"]): Check[] {
  try {
    return describe(viewWatchdog(locateWatchdog(invocation, env).settings));
  } catch (thrown) {
    // That has a row of its own.
    if (codeOf(thrown) === "WORKDIR_INVALID") return [];
    return [{ name: "watchdog", state: "problem", what: messageOf(thrown), fix: "Correct that and ask again." }];
  }
}

function describe(view: WatchdogView): Check[] {
  const what = describeWatchdog(view, Date.now()).replaceAll("\n", " ");
  const row = (state: Check["state"], fix: string | null): Check[] => [{ name: "watchdog", state, what, fix }];
  switch (view.state) {
    case "none":
    case "stopped":
      return [];
    case "failed":
      return row("problem", "See .deckhand/logs/watchdog.log for what crashed, then start it again.");
    case "dead":
      return row("warning", "Start it again: deckhand serve --watchdog.");
    // It may go on like this for ever.
    case "waiting":
      return row("warning", "See .deckhand/logs/watchdog.log for what crashed.");
    case "running":
      if (!view.safeMode) return row("ok", null);
      return row("warning", "Mend what crashed (see .deckhand/logs/watchdog.log), then stop it and start it again.");
  }
}
