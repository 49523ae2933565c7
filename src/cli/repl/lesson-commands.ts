import { askQuestion } from "./input/question-panel.ts";
import type { ReplContext, SlashCommand } from "./repl-context.ts";

/** What agents remember of this workdir: shown, editable, removable, and never kept unasked. */
export const lessonCommands: readonly SlashCommand[] = [
  {
    name: "/lessons",
    takes: "[learn | remove N]",
    summary: "Show what is remembered of this folder; `learn` proposes what to keep of this conversation",
    run: runLessons,
    complete: (_context, words) => (words.length === 2 ? ["learn", "remove"] : []),
  },
];

async function runLessons(context: ReplContext, rest: string): Promise<void> {
  const { agent, say } = context;
  if (rest === "learn") return learn(context);
  const lessons = await agent.lessons.list();
  const [, which] = /^remove\s+(\d+)$/.exec(rest) ?? [];
  if (which !== undefined) {
    const lesson = lessons[Number(which) - 1];
    if (lesson === undefined) return say(`There is no lesson ${which}; there are ${lessons.length}.`);
    await agent.lessons.remove(lesson);
    return say(`Removed: ${lesson}`);
  }
  if (rest !== "") return say(`/lessons takes nothing, "learn", or "remove N"; got "${rest}".`);
  if (lessons.length === 0) return say("Nothing is remembered of this folder. /lessons learn proposes something.");
  say([...lessons.map((lesson, index) => `${index + 1}. ${lesson}`), `In ${agent.lessons.file}`].join("\n"));
}

/** The line that ends a conversation speaks of it; nothing is kept that the person did not pick. */
async function learn({ agent, input, say, signal }: ReplContext): Promise<void> {
  const { lessons, problem } = await agent.lessons.propose(signal);
  if (lessons.length === 0) return say(problem ?? "There is nothing to keep of this conversation.");
  const question = { text: "Which of these should be remembered for this folder?", options: lessons, multiple: true };
  const answer = await askQuestion(input, question, signal);
  if (!answer.answered) return say("Nothing was kept.");
  const kept = await agent.lessons.keep(answer.selected ?? []);
  say(kept.length === 0 ? "Nothing was kept." : `Kept ${kept.length}; /lessons shows them.`);
}
