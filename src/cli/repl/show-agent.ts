import { readAnswers } from "../../agent/evidence/read-answers.ts";
import { neutralizeLine } from "../terminal/terminal-text.ts";
import type { ReplContext } from "./repl-context.ts";
import { countPrompts } from "./show-conversation.ts";

/** `/skills` */
export function showSkills({ agent, terminal, say, show }: ReplContext): void {
  const { all, inUse } = agent.skills;
  if (all.length === 0)
    return say("There are no skills here: a skill is a folder with a SKILL.md in skills/ or .agents/skills/.");
  const used = inUse();
  const lines = all.map(({ name, description, allowedTools }) => {
    const tools = allowedTools === null ? "" : ` [${allowedTools.map(({ tool, rule }) => rule ?? tool).join(", ")}]`;
    const mark = name === used?.name ? "● " : "  ";
    return `${mark}${terminal.styleError("bold", neutralizeLine(name))}  ${neutralizeLine(`${description}${tools}`)}`;
  });
  show([...lines, used ? `In use: ${neutralizeLine(used.name)}.` : "None is in use."].join("\n"));
}

/** `/evidence`: the whole of the quiet line that followed the last answer. */
export function showEvidence({ agent, runtime, terminal, say }: ReplContext): void {
  const answers = countPrompts(agent.history) === 0 ? [] : readAnswers(runtime.workdir, terminal.env, agent.sessionId);
  const last = answers.at(-1);
  if (!last) return say("There is no answer yet.");
  say(last.rendered);
}
