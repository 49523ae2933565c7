import type { Clock } from "../../../core/clock.ts";
import { openPerson } from "../../repl/open-person.ts";
import type { Screen } from "../../output/screen.ts";
import { fitWidth } from "../../terminal/terminal-text.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { meaningOf } from "./demo-keys.ts";
import type { Guest } from "./guest.ts";

export interface PersonParts {
  readonly terminal: Terminal;
  readonly screen: Screen;
  readonly clock: Clock;
  readonly leave: AbortController;
}

/** Whoever does not press Ctrl-C sees it all the same. */
const patienceMs = 15_000;

/** The person at the terminal: takes it until `close`. Esc, Ctrl-D and q leave the demo at any time. */
export function openPersonGuest({ terminal, screen, clock, leave }: PersonParts): Guest {
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
