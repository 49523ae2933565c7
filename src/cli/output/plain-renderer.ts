import type { AgentEvent } from "../../core/agent-events.ts";
import { systemClock } from "../../core/clock.ts";
import { programName } from "../parser/program-name.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createMarkdownStream } from "./markdown/markdown-stream.ts";
import { createRunRenderer, type RunRenderer } from "./run-renderer.ts";
import { openScreen } from "./screen.ts";

export interface PlainRendererOptions {
  readonly terminal: Terminal;
  /** No commentary, only why there is no answer. */
  readonly quiet: boolean;
  /** Ring when the person is waited for, and at the end of a long run; left out: yes. */
  readonly bell?: boolean;
}

/**
 * For one task: stdout gets the answer and nothing else, stderr what happens meanwhile. Where both are the person's
 * terminal the answer appears there as it comes; otherwise it is printed when it is whole, and to a program unchanged.
 */
export function createPlainRenderer({ terminal, quiet, bell = true }: PlainRendererOptions): RunRenderer {
  const clock = systemClock;
  const screen = openScreen({ stream: terminal.errorStream, clock, termName: terminal.env["TERM"] });
  const isStreamed = terminal.width !== undefined && screen.isLive && !quiet;
  const commentary = createRunRenderer({
    screen,
    terminal,
    clock,
    bell,
    mode: () => null,
    text: isStreamed ? "all" : "before_calls",
    howToGoOn: `${programName(terminal.env)} run -c "go on" continues.`,
    ...(terminal.isInteractive ? {} : { howToAllow }),
  });

  function printAnswer({ state, text, reason }: AgentEvent<"run:ended">): void {
    if (!isStreamed && text !== "") terminal.print(renderAnswer(text, terminal));
    if (quiet && state !== "answered" && reason !== null) terminal.tell(`deckhand: ${reason}`);
  }

  return {
    ...commentary,
    agent(event) {
      if (!quiet) commentary.agent(event);
      if (event.type === "run:ended") printAnswer(event);
    },
    runtime(event) {
      if (!quiet) commentary.runtime(event);
    },
    end() {
      commentary.end();
      screen.close();
    },
  };
}

const howToAllow =
  'To allow refused calls without a terminal: add a rule to permissions.allow, such as "bash(npm test)", choose --mode accept-edits or --mode auto (which needs bubblewrap for commands), name a danger with --yes-danger, or let calls wait for an answer with --inbox.';

function renderAnswer(text: string, { width, style }: Terminal): string {
  if (width === undefined) return text.endsWith("\n") ? text : `${text}\n`;
  const markdown = createMarkdownStream({ width: width - 1, style });
  return markdown.push(text) + markdown.end();
}
