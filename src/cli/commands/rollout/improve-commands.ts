import { commonOptions, type Command } from "../../parser/command.ts";

/** As data; the code is in improve-command.ts. */
export const improveCommand: Command = {
  name: "improve",
  positionals: ["TOOL"],
  summary: "Let a model mend a tool file by its recorded failures; try the new version before anyone gets it",
  details: `The model sees the file and its failures, and has no tools: it replies with a new content of this one file, which is put
into .deckhand/staging. Then, in this order, it must be another content, reach nothing new, load, keep its name, take every
input that was taken, promise as much as before, please the compiler (where the workdir has one), and be rehearsed: with the cases
of the file and recorded inputs nothing may get worse, and something that failed must work. You see the difference and the table, and
have the last word; then it begins as a canary. The tool's file is not changed before the new version has proven itself.

Recorded calls are run again only for tools that say that they change nothing (traits.read_only).

Exit codes: 0 it is tried (with --dry-run: it passed), 1 nothing to do, or a check refused it, 2 wrong use or no model, 3 you said
no, or did not allow what it wants to reach.`,
  options: {
    "dry-run": { summary: "Stop before the canary" },
    model: { short: "m", value: "MODEL", summary: "provider/name, or script:FILE" },
    agent: {
      value: "NAME",
      summary: "Let a background agent propose it (`deckhand tasks agents`); --model is its model then",
    },
    yes: { summary: "Begin without asking when all checks pass" },
    "allow-capability": {
      value: "NAME",
      repeatable: true,
      summary: "Something that the new version may reach and the old could not, such as fs or network",
    },
    cases: { value: "N", summary: "At most so many recorded inputs; rollout.replay.calls when left out" },
    attempts: { value: "N", summary: "At most so many proposals of the model; 3 when left out" },
    ...commonOptions,
  },
  examples: [
    "deckhand improve word_count --dry-run",
    "deckhand improve word_count --model anthropic/claude-sonnet-5-5",
    "deckhand improve word_count --agent claude",
  ],
  load: async () => (await import("./improve-command.ts")).runImprove,
};
