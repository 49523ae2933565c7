import { createCompleter, type Complete, type Completion } from "./input/completion.ts";
import type { ReplContext } from "./repl-context.ts";
import { slashCommands } from "./slash-commands.ts";

/** Commands, their arguments, and the files of the workdir. */
export function createReplCompleter(context: ReplContext): Complete {
  return createCompleter({
    commands: slashCommands,
    listFiles: () => listFiles(context),
    async completeArgument(words) {
      const command = slashCommands.find(({ name }) => name === words[0]);
      const typed = words.at(-1) ?? "";
      const all = (await command?.complete?.(context, words)) ?? [];
      return all.filter((value) => value.startsWith(typed)).map((value): Completion => ({ value, end: " " }));
    },
  });
}

/** By the glob tool: it knows what git ignores. Not recorded as the person's call would be a nuisance in the log. */
async function listFiles({ runtime, agent, signal }: ReplContext): Promise<readonly string[]> {
  const { state, result } = await runtime.call(
    "glob",
    { pattern: "**/*" },
    { door: "cli", conversationId: agent.sessionId, signal },
  );
  if (state !== "completed") return [];
  return (result?.output ?? "").split("\n").filter((line) => line !== "" && !line.startsWith("["));
}
