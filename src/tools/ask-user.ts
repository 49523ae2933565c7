import { z } from "zod";
import type { Answer, Question } from "../core/approval.ts";
import { defineTool } from "../core/define-tool.ts";
import type { ToolResult } from "../core/tool.ts";
import { failure, type Failure } from "./failure.ts";

const fewestOptions = 2;
const mostOptions = 10;

const askUserInput = z.object({
  question: z.string().describe("One question, with what the user must know to answer it"),
  options: z
    .array(z.string())
    .meta({ minItems: fewestOptions, maxItems: mostOptions })
    .optional()
    .describe("2 to 10 different choices, the one you would take first; left out: the user answers with text"),
  multiple: z.boolean().optional().describe("More than one option may be chosen"),
  other: z.boolean().optional().describe("The user may also type something else; true unless the list is complete"),
});

/** Asks the person and waits for as long as it takes. Whatever happens, it never answers for them. */
export const askUserTool = defineTool({
  name: "ask_user",
  description:
    "Ask the user one question and wait for the answer. Use it when the task can be meant in ways that lead to different results, or when only the user knows something. Don't use it for what you can find out yourself, nor for permission to call a tool: that is asked for you.",
  // It changes nothing. After a crash it is not repeated on its own: whether to ask again is the model's decision.
  traits: {
    readOnly: true,
    risk: "low",
    idempotent: false,
    category: "person",
    replay: "never",
    offeredIn: ["agent", "chat", "schedule"],
  },
  input: askUserInput,
  // Two questions on one screen would be answered as one.
  resources: () => [{ kind: "name", name: "person", access: "write" }],
  async run(input, { ask }) {
    const question = toQuestion(input);
    if ("ok" in question) return question;
    return tell(await ask(question), question);
  },
});

function toQuestion({ question, options, multiple, other }: z.output<typeof askUserInput>): Question | Failure {
  const text = question.trim();
  if (text === "") return failure("invalid_input", "The question is empty; expected a text that a person can answer.");
  if (options === undefined) {
    if (!multiple) return { text };
    return failure("invalid_input", "multiple needs a list to choose from; give 2 to 10 options or leave it out.");
  }
  const offered = options.map((option) => option.trim());
  const problem = optionsProblem(offered);
  if (problem !== undefined) return failure("invalid_input", problem, "Leave options out to get a text as the answer.");
  return { text, options: offered, multiple: multiple === true, other: other === true };
}

function optionsProblem(options: readonly string[]): string | undefined {
  if (options.length < fewestOptions || options.length > mostOptions) {
    return `A list has 2 to 10 options; got ${options.length}.`;
  }
  const empty = options.indexOf("");
  if (empty >= 0) return `Option ${empty + 1} is empty; each option needs a text.`;
  const double = options.findIndex((option, index) => options.indexOf(option) < index);
  if (double < 0) return undefined;
  return `Option ${double + 1} is the same as option ${options.indexOf(options[double]!) + 1}; each must be different.`;
}

function tell(answer: Answer, question: Question): ToolResult {
  if (!answer.answered) return unanswered[answer.reason];
  const { options = [] } = question;
  const selected = answer.selected ?? [];
  const stranger = selected.find((each) => !options.includes(each));
  if (stranger !== undefined) {
    return failure("no_answer", `The answer ${JSON.stringify(stranger)} is not one of the options.`, askAgain);
  }
  if (selected.length > 0) {
    return { ok: true, output: `User selected: ${selected.join(", ")}`, data: { selected: [...selected] } };
  }
  const text = answer.text.trim();
  if (text === "") return unanswered.empty;
  return { ok: true, output: `User answered: ${text}`, data: { text } };
}

const askAgain = "Ask again only if you can't go on without it; don't answer for them.";

const unanswered: Readonly<Record<Extract<Answer, { answered: false }>["reason"], Failure>> = {
  empty: failure("no_answer", "The user's answer was empty.", askAgain),
  cancelled: failure(
    "no_answer",
    "The user closed the question without an answer.",
    "Don't answer for them: go on with what does not depend on it, or end your turn and say what you need to know.",
  ),
  nobody: failure(
    "nobody",
    "Nobody is there to answer, and the question waits in no inbox.",
    'Don\'t answer for them: do what does not depend on it and end with the open question. To let questions wait in the inbox, the user sets permissions.unattended to "inbox".',
  ),
};
