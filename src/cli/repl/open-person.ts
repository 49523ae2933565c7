import { userName } from "../../config/user-name.ts";
import type { ApprovalAnswer, ApprovalRequest, Approve, Ask, GrantScope } from "../../core/approval.ts";
import { systemClock } from "../../core/clock.ts";
import { describeApproval } from "../commands/agent/approve-on-terminal.ts";
import { fitWidth, neutralizeLine } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { wrapRows } from "./editor/graphemes.ts";
import { createTextLine } from "./editor/text-line.ts";
import type { Dialog, LiveScreen } from "./input/dialog-host.ts";
import { usableColumns, type Frame, type Size } from "./input/draw-frame.ts";
import { earlyFrame, type EarlyKeys, type Key } from "./input/keys.ts";
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

export interface ApprovalAsker {
  readonly who: string;
  readonly signal: AbortSignal;
}

/** Asks whether a call may run. A cancel is never a yes, and neither is anything that was typed before it was asked. */
export async function askApproval(
  input: Pick<Input, "ask" | "terminal" | "earlyKeys">,
  request: ApprovalRequest,
  { who, signal }: ApprovalAsker,
): Promise<ApprovalAnswer> {
  const { terminal, earlyKeys } = input;
  const dialog = createApprovalDialog(request, { who, terminal, earlyKeys });
  return (await input.ask(dialog, signal)) ?? unanswered;
}

const unanswered: ApprovalAnswer = { decision: "unanswered", reason: "cancelled" };

interface ApprovalParts {
  readonly who: string;
  readonly terminal: Pick<Terminal, "show" | "styleError">;
  readonly earlyKeys: EarlyKeys;
}

/**
 * `choose`: one key answers. `reason`: a no is being explained. `word`: danger, the whole word is typed; no single key
 * and no paste says yes.
 */
export function createApprovalDialog(
  request: ApprovalRequest,
  { who, terminal, earlyKeys }: ApprovalParts,
): Dialog<ApprovalAnswer> {
  const style = terminal.styleError;
  const word = createTextLine('Type "yes" to run it: ', style);
  const reason = createTextLine("No, because: ", style);
  let phase: "choose" | "reason" | "word" = request.isDanger ? "word" : "choose";
  let offered: readonly GrantScope[] = [];

  function pressWord(key: Key): ApprovalAnswer | undefined {
    if (key.kind === "paste") return undefined;
    const typed = word.press(key);
    if (typed === undefined || typed === "") return undefined;
    if (typed.toLowerCase() === "yes") return { decision: "allow", scope: "once", who };
    return deny(typed.includes(" ") ? typed : "");
  }

  function pressReason(key: Key): ApprovalAnswer | undefined {
    const typed = reason.press(key);
    return typed === undefined ? undefined : deny(typed);
  }

  function pressChoice(key: Key): ApprovalAnswer | undefined {
    // Several characters at once were not pressed as an answer.
    if (key.kind !== "text" || key.text.length !== 1) return undefined;
    const letter = key.text.toLowerCase();
    if (letter === "n") return deny("");
    if (letter === "e") phase = "reason";
    const scope = letters[letter];
    return scope !== undefined && offered.includes(scope) ? { decision: "allow", scope, who } : undefined;
  }

  function deny(because: string): ApprovalAnswer {
    return { decision: "deny", who, ...(because === "" ? {} : { reason: because }) };
  }

  return {
    begin: () => terminal.show(describeApproval(request, terminal)),
    frame(size, isListening) {
      if (!isListening) return earlyFrame(earlyKeys, size, style);
      if (phase === "word")
        return word.frame(size, "Anything else refuses; a sentence is told to the model. Esc cancels");
      if (phase === "reason") return reason.frame(size, "Enter refuses and tells the model why. Esc goes back");
      const choices = layoutChoices(request, size, style);
      offered = choices.offered;
      return choices.frame;
    },
    press(key) {
      const name = key.kind === "key" ? key.name : "";
      if (name === "escape" && phase === "reason") phase = "choose";
      else if (name === "escape" || name === "ctrl-c" || name === "ctrl-d") return unanswered;
      else if (phase === "word") return pressWord(key);
      else if (phase === "reason") return pressReason(key);
      else return pressChoice(key);
      return undefined;
    },
    end: (answer, size) => fitWidth(describeAnswer(answer, request), usableColumns(size)),
  };
}

const letters: Readonly<Record<string, GrantScope>> = { y: "once", c: "conversation", a: "always" };

/** A rule is only offered where it is read in full: without the room for that, once is all there is. */
function layoutChoices(
  { scopes, rules }: ApprovalRequest,
  size: Size,
  style: Terminal["styleError"],
): { readonly frame: Frame; readonly offered: readonly GrantScope[] } {
  const columns = usableColumns(size);
  const kept = rules.map(neutralizeLine).join("  ");
  const rows = [style("bold", fitWidth("[y] yes, once", columns))];
  if (scopes.includes("conversation")) rows.push(...wrapRows(`yes, in this conversation: ${kept}`, "[c] ", columns));
  if (scopes.includes("always")) rows.push(...wrapRows(`always: ${kept}`, "[a] ", columns));
  rows.push(...wrapRows("no   [e] no, and say why   Esc cancels", "[n] ", columns));
  if (rows.length < size.rows) return { frame: { rows, cursor: null }, offered: scopes };
  const line = fitWidth("y once · n no · e no, because", columns);
  return { frame: { rows: [line], cursor: null }, offered: scopes.filter((scope) => scope === "once") };
}

function describeAnswer(answer: ApprovalAnswer, { rules }: ApprovalRequest): string {
  if (answer.decision === "unanswered") return "– not answered";
  if (answer.decision === "deny")
    return answer.reason === undefined ? "✗ refused" : `✗ refused: ${neutralizeLine(answer.reason)}`;
  if (answer.scope === "once") return "✓ allowed once";
  const where = answer.scope === "always" ? "always" : "in this conversation";
  return `✓ allowed ${where}: ${rules.map(neutralizeLine).join("  ")}`;
}
