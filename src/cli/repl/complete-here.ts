import { listWorkdirFiles } from "../../tools/search/list-workdir-files.ts";
import { createCompleter, type Complete, type Completion } from "./editor/completion.ts";
import type { ReplContext } from "./repl-context.ts";
import { slashCommands } from "./slash-commands.ts";

/** Commands, their arguments, and the files of the workdir. */
export function createReplCompleter(context: ReplContext): Complete {
  return createCompleter({
    commands: slashCommands,
    listFiles: () => listWorkdirFiles(context.runtime.workdir, new AbortController().signal),
    async completeArgument(words) {
      const command = slashCommands.find(({ name }) => name === words[0]);
      const typed = words.at(-1) ?? "";
      const all = (await command?.complete?.(context, words)) ?? [];
      return all.filter((value) => value.startsWith(typed)).map((value): Completion => ({ value, end: " " }));
    },
  });
}
