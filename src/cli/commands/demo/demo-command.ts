import { systemClock } from "../../../core/clock.ts";
import type { Invocation, RunCommand } from "../../parser/command.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openScreen, type Screen, type ScreenStream } from "../../output/screen.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";
import type { Guest } from "./guest.ts";
import { createJsonNarrator } from "./json-narrator.ts";
import type { Narrator } from "./narrator.ts";
import { forReaders, withoutPauses, type Pace } from "./pace.ts";
import { openPersonGuest } from "./person-guest.ts";
import { playDemo } from "./play-demo.ts";
import { createScreenNarrator } from "./screen-narrator.ts";
import { openScratch } from "./scratch.ts";
import { createVisitor } from "./visitor.ts";

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
