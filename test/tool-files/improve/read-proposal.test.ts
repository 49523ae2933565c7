import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readProposal } from "../../../src/tool-files/improve/ask-for-patch.ts";

describe("the reply of a model [V7]", () => {
  for (const [name, reply, content] of [
    ["has the file in its one block", "It trims.\n\n```ts\nlet a;\n```\n", "let a;\n"],
    ["may have it in a longer fence, with fences in it", "It trims.\n````ts\n/* ```\n``` */\n````", "/* ```\n``` */\n"],
    ["may use other fences and line ends", "It trims.\r\n~~~\r\nlet a;\r\n~~~\r\n", "let a;\n"],
  ] as const) {
    test(name, () => assert.deepEqual(readProposal(reply), { ok: true, content, summary: "It trims." }));
  }

  for (const [reply, reason] of [
    ["I am sorry.", "There is no fenced block with the new file in the reply."],
    ["", "There is no fenced block with the new file in the reply."],
    ["```ts\nlet a;", "The fenced block has no end: the reply was cut, or the closing line is missing."],
    ["```\n\n```", "The fenced block is empty."],
    ["```\na\n```\n```\nb\n```", "There are 2 fenced blocks in the reply; exactly one was asked for."],
    [`\`\`\`\n${"é".repeat(600_000)}\n\`\`\``, "The new file is larger than 1 MB."],
  ] as const) {
    test(`is refused: ${reason} (${reply.length})`, () => assert.deepEqual(readProposal(reply), { ok: false, reason }));
  }
});
