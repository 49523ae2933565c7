import type { OpenedAgent } from "../../runtime/open-agent.ts";
import type { Input } from "./input/open-input.ts";

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Ctrl-C was pressed for the call and then for the turn: once more leaves, also at the prompt that follows. */
  readonly isLeavingNext: boolean;
  end(): void;
}

export interface InterruptParts {
  readonly input: Pick<Input, "onKey">;
  readonly agent: Pick<OpenedAgent, "cancelCalls">;
  readonly tell: (text: string) => void;
  /** Gives the terminal back and ends the program. */
  readonly leave: () => void;
  /** The program was asked to end: the turn stops. */
  readonly leaving: AbortSignal;
}

/**
 * Ctrl-C while the agent works: the first stops the call that runs, and the model goes on without it; the next stops the
 * turn (also the first, when no call runs); one more, while that is stopping, leaves. Esc stops the turn.
 */
export function watchInterrupts({ input, agent, tell, leave, leaving }: InterruptParts): Interrupts {
  const turn = new AbortController();
  let pressed = 0;

  function stopTurn(reason: unknown = new Error("Stopped by the user")): void {
    if (turn.signal.aborted) return;
    tell("Stopping the turn …");
    turn.abort(reason);
  }

  function leaveTurn(): void {
    stopTurn(leaving.reason);
  }

  async function press(): Promise<void> {
    pressed += 1;
    if (turn.signal.aborted) return leave();
    if (pressed > 1) return stopTurn();
    if (!(await agent.cancelCalls("Stopped by the user"))) return stopTurn();
    if (!turn.signal.aborted) tell("Stopped the call; Ctrl-C again stops the turn.");
  }

  const stopListening = input.onKey((key) => {
    if (key.kind !== "key") return false;
    if (key.name === "ctrl-c") {
      press().catch(() => stopTurn());
      return true;
    }
    if (key.name !== "escape") return false;
    stopTurn();
    return true;
  });
  leaving.addEventListener("abort", leaveTurn, { once: true });
  if (leaving.aborted) leaveTurn();
  return {
    signal: turn.signal,
    get isLeavingNext() {
      return pressed > 1;
    },
    end() {
      stopListening();
      leaving.removeEventListener("abort", leaveTurn);
    },
  };
}
