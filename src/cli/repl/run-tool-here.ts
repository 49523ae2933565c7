import type { Execution } from "../../core/execution.ts";
import { describeOutcome } from "../describe-outcome.ts";
import { cleanText } from "../../runtime/untrusted-text.ts";
import type { ReplContext } from "./repl-context.ts";

/** `/tool NAME JSON`: no model request, the same rails, a record, and the result as it is. */
export async function runToolHere(context: ReplContext, rest: string): Promise<void> {
  const [, name = "", inputText = ""] = /^(\S*)\s*([\s\S]*)$/.exec(rest) ?? [];
  if (name === "") return context.say(`Say which tool: /tool read {"file_path": "README.md"}. /tools lists them.`);
  tellExecution(context, await callHere(context, name, inputText));
}

/** `!command`: the person's own command. The model hears of it with the next prompt. */
export async function runShellHere(context: ReplContext, command: string): Promise<void> {
  const execution = await callHere(context, "bash", JSON.stringify({ command }));
  tellExecution(context, execution);
  const output = (execution.result?.output ?? execution.error ?? "").slice(-mostToldCharacters);
  context.agent.remark(`The person ran \`${command}\` themselves (${execution.state}). Its output:\n${output}`);
}

const mostToldCharacters = 4000;

async function callHere(context: ReplContext, tool: string, inputText: string): Promise<Execution> {
  const { runtime, agent, signal } = context;
  const call = runtime.call(tool, undefined, {
    inputText: inputText || "{}",
    door: "cli",
    conversationId: agent.sessionId,
    signal,
  });
  return call;
}

function tellExecution({ say, show }: ReplContext, execution: Execution): void {
  const output = execution.result?.output ?? "";
  if (output !== "") show(cleanText(output).trimEnd());
  const { error, remarks } = describeOutcome(execution);
  if (error !== undefined) say(error);
  for (const remark of error === undefined ? [] : remarks) say(remark);
}
