import type { Agent } from "../agent.ts";
import { readLessons, removeLesson, saveLessons } from "./lessons-file.ts";
import { hasSomethingToLearn, proposeLessons, type ProposedLessons } from "./propose-lessons.ts";
import type { AgentWiring } from "../../runtime/agent-wiring.ts";

/** What the person wants agents to remember of a workdir. Nothing is kept that they did not see. */
export interface LessonKeeper {
  /** Readable Markdown, theirs to edit. */
  readonly file: string;
  list(): Promise<string[]>;
  /** Was there enough work to learn from? Asks nobody. */
  readonly hasSomethingToLearn: () => boolean;
  /** Asks the model what is worth remembering; keeps nothing. */
  propose(signal: AbortSignal): Promise<ProposedLessons>;
  /** Those that were new. */
  keep(lessons: readonly string[]): Promise<string[]>;
  remove(lesson: string): Promise<boolean>;
}

export function createLessonKeeper({ folders, masker }: AgentWiring, agent: Agent): LessonKeeper {
  const file = folders.lessons;
  return {
    file,
    list: () => readLessons(file),
    hasSomethingToLearn: () => hasSomethingToLearn(agent.history),
    propose: async (signal) =>
      proposeLessons({
        model: agent.model,
        branch: agent.history,
        known: await readLessons(file),
        conversationId: agent.sessionId,
        maskText: (text) => masker.text(text),
        signal,
      }),
    keep: (lessons) => saveLessons(file, lessons),
    remove: (lesson) => removeLesson(file, lesson),
  };
}
