import type { TaskOrder } from "../../core/task.ts";
import { refuse } from "./refuse.ts";
import { takeArguments, type ArgumentRules } from "./take-arguments.ts";

/**
 * Gives the order's arguments as the CLI is to get them. Throws TASK_INVALID with one sentence when the order holds what
 * could become something else on a command line.
 */
export function checkOrder(agent: string, order: TaskOrder, rules: ArgumentRules): readonly string[] {
  if (order.message.trim() === "") refuse(`The message for ${agent} is empty. Say what to do.`);
  checkWord("model", order.model);
  checkWord("session to resume", order.resume);
  for (const argument of order.args) checkArgumentLength(agent, `argument ${argument.slice(0, 20)}…`, argument);
  return takeArguments(agent, order, rules);
}

/** For a CLI that takes a text only as an argument. */
export function checkArgumentLength(agent: string, what: string, text: string): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxArgumentBytes) return;
  refuse(`The ${what} is too long to pass to ${agent} as an argument: ${bytes} bytes (maximum ${maxArgumentBytes}).`);
}

/** For a CLI that takes no longer message, or silently cuts it. */
export function checkMessageLength(agent: string, order: TaskOrder, most: MessageLimit): void {
  const { message } = order;
  const has = most.unit === "bytes" ? Buffer.byteLength(message) : message.length;
  // Pairs of surrogates are one character each; they are counted only where it matters.
  if (has <= most.count || (most.unit === "characters" && Array.from(message).length <= most.count)) return;
  refuse(
    `The message is too long for ${agent}: ${has} ${most.unit} (maximum ${most.count}). Put it in a file and refer to the file.`,
  );
}

interface MessageLimit {
  readonly count: number;
  readonly unit: "bytes" | "characters";
}

/** Linux takes no argument longer than 128 KiB. */
const maxArgumentBytes = 120_000;

/** A name that stands alone on a command line. */
function checkWord(what: string, word: string | null): void {
  if (word === null || (/^[^\s-]\S*$/.test(word) && !word.includes("\0"))) return;
  const shown = JSON.stringify(word.slice(0, 80));
  refuse(`Invalid ${what} ${shown}: expected a name without spaces that does not start with a dash.`);
}
