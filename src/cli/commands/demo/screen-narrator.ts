import type { Clock } from "../../../core/clock.ts";
import { programName } from "../../parser/program-name.ts";
import { createRunRenderer } from "../../output/run-renderer.ts";
import type { Screen } from "../../output/screen.ts";
import { neutralizeLine } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { wrapText } from "../../terminal/wrap-text.ts";
import type { Narrator } from "./narrator.ts";
import { pauseFor, type Pace } from "./pace.ts";

export interface ScreenNarratorParts {
  readonly screen: Screen;
  readonly style: Terminal["style"];
  readonly env: Terminal["env"];
  readonly clock: Clock;
  readonly pace: Pace;
  readonly leaving: AbortSignal;
}

export function createScreenNarrator(parts: ScreenNarratorParts): Narrator {
  const { screen, style, env, clock, pace, leaving } = parts;
  const renderer = createRunRenderer({
    screen,
    terminal: { styleError: style },
    clock,
    bell: false,
    mode: () => null,
  });

  /** Paragraphs of ours; `mark` stands before the first line, spaces before the others. */
  function write(text: string, mark = "", look?: Parameters<Terminal["style"]>[0]): void {
    screen.freshLine();
    const lines = wrapText(text, screen.columns - mark.length);
    const rows = lines.map((line, at) => {
      const shown = look === undefined ? line : style(look, line);
      return `${at === 0 ? markOf(mark) : " ".repeat(mark.length)}${shown}\n`;
    });
    screen.write(rows.join(""));
  }

  function markOf(mark: string): string {
    return mark === shownMark ? style("green", mark) : mark === promptMark ? style(["bold", "cyan"], mark) : mark;
  }

  /** As if somebody typed it. */
  async function type(text: string): Promise<void> {
    const lines = wrapText(text, screen.columns - promptMark.length);
    for (const [at, line] of lines.entries()) {
      screen.write(at === 0 ? markOf(promptMark) : " ".repeat(promptMark.length));
      if (pace.typeMs === 0) screen.write(style("bold", line));
      else {
        for (const character of line) {
          await pauseFor(clock, pace.typeMs, leaving);
          screen.write(style("bold", character));
        }
      }
      screen.write("\n");
    }
    screen.write("\n");
  }

  function section(title: string): void {
    screen.freshLine();
    screen.write(`\n${style("dim", "─".repeat(screen.columns))}\n`);
    write(title, "", ["bold", "cyan"]);
  }

  return {
    open({ sandbox }) {
      write("deckhand demo", "", ["bold", "cyan"]);
      write(
        `${pace.pauseMs > 0 ? "About three minutes." : "Some seconds, without pauses."} The model plays a script, and the folder is a scratch one that is gone at the end. All else is real: the tools, the permissions, the sandbox, the log.`,
      );
      write(sandbox, "", "dim");
    },
    async begin({ title, caption, invitation, prompt }, { number, count, isInvited }) {
      section(`${number}/${count} ${title}`);
      write(caption, "", "dim");
      if (isInvited && invitation !== undefined) write(invitation, "", "yellow");
      screen.write("\n");
      await pauseFor(clock, pace.pauseMs / 2, leaving);
      await type(prompt);
    },
    agent: (event) => renderer.agent(event),
    runtime: (event) => renderer.runtime(event),
    observed(name, { sentences }) {
      renderer.end();
      if (name === "log") {
        section("And the log can prove all of it");
        write("Every line is chained to the one before. This is what `log verify` says:", "", "dim");
      }
      screen.write("\n");
      for (const sentence of sentences) write(neutralizeLine(sentence), shownMark);
    },
    end({ left, calls }) {
      renderer.end();
      screen.write("\n");
      const program = programName(env);
      if (left)
        return write(`You left, and the scratch folder goes with you. To begin anew: ${program} demo`, "", "dim");
      write(`That was it: ${calls} calls, each of them recorded before it ran. The scratch folder goes now.`);
      write("Next:", "", "bold");
      const width = Math.max(...nextSteps.map(([command]) => command.length)) + program.length + 2;
      for (const [command, what] of nextSteps) {
        const words = `${program} ${command}`.trimEnd();
        if (screen.columns < width + 30) write(words, "  ");
        else write(`${words.padEnd(width)}${what}`, "  ");
      }
    },
  };
}

const promptMark = "› ";
const shownMark = "▸ ";

const nextSteps: readonly (readonly [string, string])[] = [
  ["", "talk to a model, in your own folder; needs a key or Ollama, and says how to get there"],
  ['run "…"', "one task, then exit"],
  ["doctor", "what works on this machine"],
  ["--help", "all commands"],
];
