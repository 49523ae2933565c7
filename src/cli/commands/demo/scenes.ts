import {
  observeCancel,
  observeDanger,
  observeEdit,
  observeEvidence,
  observeQuestion,
  observeReads,
} from "./observe.ts";
import { roundings } from "./sample-project.ts";
import type { Scene, Told } from "./scene.ts";

/** The reply goes on for so long after its calls were named. */
const replyTailMs = 700;

export const scenes: readonly Scene[] = [
  {
    name: "reads",
    title: "Reads run side by side, before the reply has ended",
    caption:
      "The model asks for three files in one reply. Each read starts the moment its arguments are complete: look for the word “early”.",
    prompt: "Three sweets at 0.10 come to 0.30000000000000004. Where is that from?",
    turns: () => [
      {
        parts: [
          { text: "I'll look at the price, the receipt and their tests.\n" },
          read("src/price.js"),
          read("src/receipt.js"),
          read("test/receipt.test.js"),
          { pause_ms: replyTailMs },
          { text: "The reply is still being written, and the files are already here." },
        ],
      },
      "`lineTotal` in `src/price.js` multiplies and never rounds, and floating-point numbers can't hold 0.1. " +
        "`src/receipt.js` only adds up what it gets.",
    ],
    observe: observeReads,
  },
  {
    name: "question",
    title: "It asks instead of guessing",
    caption: "What only you know, the model asks with a list. It never answers itself.",
    invitation: "Pick one with the arrow keys or its number.",
    prompt: "How would you fix it?",
    turns: () => [
      {
        text: "There is more than one right way, so I'd rather ask.",
        calls: [
          {
            tool: "ask_user",
            input: {
              question: "How should a line of the receipt be rounded?",
              options: roundings.map(({ label }) => label),
            },
          },
        ],
      },
      "Good, that decides it. It is one line in `src/price.js`.",
    ],
    observe: observeQuestion,
  },
  {
    name: "edit",
    title: "Changes are shown before they are made",
    caption: "An edit is shown as a diff and needs a yes. The tests need none: a rule of this demo allows commands.",
    invitation: "Press y to allow it once.",
    prompt: "Do it, and run the tests.",
    turns: (told) => [
      { text: "One line changes:", calls: [editPrice(told)] },
      { calls: [bash("node --test")] },
      "`src/price.js` rounds now. I ran `node --test`: 3 tests passed, 0 failed.",
    ],
    observe: observeEdit,
  },
  {
    name: "danger",
    title: "Danger needs a person",
    caption:
      "The same rule allows every command. A dangerous one is asked about all the same: no rule, no mode and no “always” removes that.",
    invitation: "Say no: type no and press Enter.",
    prompt: "Make some room on this disk.",
    turns: () => [
      { text: "The backups look old to me.", calls: [bash("rm -rf backups")] },
      "Understood: whether backups may go is for you to say.",
    ],
    observe: observeDanger,
  },
  {
    name: "cancel",
    title: "Stopped means stopped",
    caption: "This command would run for ever, and its helper ignores the request to end.",
    invitation: "Press Ctrl-C when you have seen enough; after a while it is stopped for you.",
    prompt: "Run the soak test.",
    turns: () => [{ calls: [bash("sh soak.sh")] }, "Stopped, as you wished."],
    isStopped: true,
    observe: observeCancel,
  },
  {
    name: "evidence",
    title: "The log counts, not the sentence",
    caption: "The model sums up, and claims something that it never did. Look at the line that begins with “evidence”.",
    prompt: "Check everything once more, and sum up.",
    turns: () => [
      { calls: [bash("node --test")] },
      "All done:\n\n" +
        "- I ran `node --test`: 3 tests passed.\n" +
        "- I ran `npm run lint`, and it found nothing.\n\n" +
        "Ready to be released.",
    ],
    observe: observeEvidence,
  },
];

function read(path: string): unknown {
  return { tool: "read", input: { file_path: path } };
}

function bash(command: string): unknown {
  return { tool: "bash", input: { command } };
}

function editPrice({ rounding }: Told): unknown {
  const { code } = roundings.find(({ label }) => label === rounding) ?? roundings[0];
  return {
    tool: "edit",
    input: { file_path: "src/price.js", old_string: "return price * count;", new_string: `return ${code};` },
  };
}
