import type { Approve } from "../../core/approval.ts";
import { systemClock } from "../../core/clock.ts";
import type { Ask } from "../../core/question.ts";
import { userName } from "../../config/user-name.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { askApproval } from "./input/approval-panel.ts";
import type { LiveScreen } from "./input/dialog.ts";
import { openInput, type Input, type InputOptions } from "./input/open-input.ts";
import { askQuestion } from "./input/question-panel.ts";

/** The person at this terminal. */
export interface Person {
  readonly input: Input;
  readonly approve: Approve;
  readonly ask: Ask;
}

/** Takes the terminal until `input.close()`. */
export function openPerson(
  terminal: Terminal,
  screen: LiveScreen,
  use: Pick<InputOptions, "holds" | "earlyKeys"> = {},
): Person {
  const input = openInput(terminal, { ...use, program: process, clock: systemClock, screen });
  const who = userName();
  return {
    input,
    approve: (request, signal) => askApproval(input, request, { who, signal }),
    ask: (question, { signal }) => askQuestion(input, question, signal),
  };
}
