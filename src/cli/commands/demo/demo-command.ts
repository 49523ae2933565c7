import { type Clock, systemClock } from "../../../core/clock.ts";
import { toWire } from "../../../core/wire.ts";
import { createRunRenderer } from "../../output/run-renderer.ts";
import { openScreen, type Screen, type ScreenStream } from "../../output/screen.ts";
import { type Invocation, programName, type RunCommand } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openPerson } from "../../repl/open-person.ts";
import { fitWidth, neutralizeLine, wrapText } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";
import { describeApproval } from "../agent/approve-on-terminal.ts";
import { type Guest, type Narrator, playDemo } from "./play-demo.ts";
import { forReaders, meaningOf, openScratch, type Pace, pauseFor, withoutPauses } from "./scratch.ts";

/** `deckhand demo` */
export const runDemo: RunCommand = async (invocation, terminal) => {
  const leave = new AbortController();
  const watch = watchSignals(terminal, () => leave.abort());
  const scratch = await openScratch(terminal.env);
  try {
    const stage = openStage(invocation, terminal, leave);
    try {
      await playDemo({ ...stage, scratch, clock, leaving: leave.signal });
    } finally {
      stage.close();
    }
    return watch.signal === undefined ? exitCode.done : codeOfSignal[watch.signal];
  } finally {
    await scratch.remove();
    watch.end();
  }
};

const clock = systemClock;
const widest = 100;

interface Stage {
  readonly narrator: Narrator;
  readonly guest: Guest;
  readonly pace: Pace;
  close(): void;
}

/** A person answers where there is one. Otherwise a visitor does, and who only looks on gets time to read. */
function openStage(invocation: Invocation, terminal: Terminal, leave: AbortController): Stage {
  const { env } = terminal;
  const leaving = leave.signal;
  const isJson = invocation.has("json");
  const isPerson = terminal.isInteractive && !isJson;
  const isWatched = isPerson || (terminal.width !== undefined && !isJson);
  const pace = isWatched && !invocation.has("fast") ? forReaders : withoutPauses;
  if (isJson) {
    const guest = createVisitor({ style: terminal.style, clock, pace, leaving, show: () => undefined });
    return { narrator: createJsonNarrator(terminal), guest, pace, close() {} };
  }
  const screen = openDemoScreen(isPerson ? terminal.errorStream : process.stdout, env["TERM"]);
  const style = isPerson ? terminal.styleError : terminal.style;
  const narrator = createScreenNarrator({ screen, style, env, clock, pace, leaving });
  const guest = isPerson
    ? openPersonGuest({ terminal, screen, clock, leave })
    : createVisitor({ style, clock, pace, leaving, show: (text) => showLine(screen, text) });
  const close = (): void => {
    screen.close();
    guest.close();
  };
  return { narrator, guest, pace, close };
}

/** Long lines are hard to read: wide terminals are not used up. */
function openDemoScreen(stream: ScreenStream, termName: string | undefined): Screen {
  const screen = openScreen({ stream, clock, termName });
  return {
    ...screen,
    get columns() {
      return Math.min(widest, screen.columns);
    },
  };
}

function showLine(screen: Screen, text: string): void {
  screen.freshLine();
  screen.write(`${text}\n`);
}

/** One JSON document per line, what came of it all last. */
function createJsonNarrator({ printJsonLine }: Pick<Terminal, "printJsonLine">): Narrator {
  const print = (document: unknown): void => printJsonLine(toWire(document));
  return {
    open: ({ sandbox }) => print({ type: "demo:started", sandbox }),
    async begin({ name, title, prompt }) {
      print({ type: "scene:started", name, title, prompt });
    },
    agent: print,
    runtime(event) {
      if (event.type === "approval:asked" || event.type === "approval:settled") print(event);
    },
    observed: (name, { facts }) => print({ type: "scene:ended", name, facts }),
    end: (report) => print({ type: "demo:ended", ...report }),
  };
}

export interface VisitorParts {
  readonly style: Terminal["style"];
  readonly clock: Clock;
  readonly pace: Pace;
  readonly leaving: AbortSignal;
  /** What the visitor is asked, and what they say. */
  readonly show: (text: string) => void;
}

const who = "the demo's visitor";

/** Says yes to a change, no to danger, takes the first of a list, and stops what runs for ever. */
export function createVisitor({ style, clock, pace, leaving, show }: VisitorParts): Guest {
  const think = (): Promise<void> => pauseFor(clock, pace.pauseMs, leaving);
  return {
    isPerson: false,
    async approve(request) {
      show(`\n${describeApproval(request, { styleError: style }).trimEnd()}`);
      await think();
      show(request.isDanger ? "✗ the visitor says no" : "✓ the visitor allows it once");
      return request.isDanger ? { decision: "deny", who } : { decision: "allow", scope: "once", who };
    },
    async ask({ text, options = [] }) {
      const [first] = options;
      show(["", style("bold", neutralizeLine(text)), ...options.map((each, at) => `  ${at + 1} ${each}`)].join("\n"));
      await think();
      if (first === undefined) return { answered: false, reason: "empty" };
      show(`→ the visitor picks 1: ${neutralizeLine(first)}`);
      return { answered: true, text: first, selected: [first] };
    },
    goOn: think,
    async untilStop(hasOutput) {
      await hasOutput;
      await think();
    },
    close() {},
  };
}

export interface PersonParts {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly leave: AbortController;
}

/** Whoever does not press Ctrl-C sees it all the same. */
const patienceMs = 15_000;

/** The person at the terminal: takes it until `close`. Esc, Ctrl-D and q leave the demo at any time. */
function openPersonGuest({ terminal, screen, clock, leave }: PersonParts): Guest {
  const { input, approve, ask } = openPerson(terminal, screen, { earlyKeys: "dropped" });
  let onEnter: (() => void) | null = null;
  let onStop: (() => void) | null = null;

  input.onKey((key) => {
    const meaning = meaningOf(key);
    if (meaning === "go on") onEnter?.();
    else if (meaning === "interrupt" && onStop) onStop();
    else if (meaning !== null) leave.abort();
    // Nothing is typed ahead: there is no prompt that would take it.
    return true;
  });
  leave.signal.addEventListener("abort", () => {
    onEnter?.();
    onStop?.();
  });
  const onEnd = (): void => leave.abort();
  terminal.stdin.once("end", onEnd);

  function makeRoom(): void {
    screen.freshLine();
    screen.write("\n");
  }

  return {
    isPerson: true,
    async approve(request, signal) {
      makeRoom();
      const answer = await approve(request, signal);
      if (answer.decision === "unanswered" && !signal.aborted) leave.abort();
      return answer;
    },
    async ask(question, asker) {
      makeRoom();
      const answer = await ask(question, asker);
      if (!answer.answered && answer.reason === "cancelled" && !asker.signal.aborted) leave.abort();
      return answer;
    },
    async goOn() {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (leave.signal.aborted) return;
      onEnter = resolve;
      screen.setLive(({ columns }) => [terminal.styleError("dim", fitWidth("  Enter goes on · q leaves", columns))]);
      await promise;
      onEnter = null;
      screen.setLive(null);
    },
    async untilStop(hasOutput) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let stopTimer = (): void => undefined;
      onStop = resolve;
      void hasOutput.then(() => {
        if (onStop === resolve) stopTimer = clock.after(patienceMs, resolve);
      });
      await promise;
      onStop = null;
      stopTimer();
    },
    close() {
      terminal.stdin.off("end", onEnd);
      input.close();
    },
  };
}

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
