import assert from "node:assert/strict";
import { test } from "node:test";
import { stripVTControlCharacters, styleText } from "node:util";
import fc from "fast-check";
import { createMarkdownStream } from "../../../src/cli/output/markdown/markdown-stream.ts";
import { displayWidth } from "../../../src/cli/terminal/terminal-text.ts";
import type { Terminal } from "../../../src/cli/terminal/terminal.ts";
import { count } from "../../support/counts.ts";

const plain: Terminal["style"] = (_, text) => text;
const coloured: Terminal["style"] = (style, text) => styleText(style, text, { validateStream: false });

function render(text: string | readonly string[], options: { width?: number; style?: Terminal["style"] } = {}): string {
  const stream = createMarkdownStream({ width: options.width ?? 60, style: options.style ?? plain });
  return [...[text].flat().map((chunk) => stream.push(chunk)), stream.end()].join("");
}

test("blocks are laid out for a terminal, without colours, too [L2]", () => {
  const text = [
    "# Title ##",
    "",
    "",
    "Text with **bold**, *italic*, `code` and ~~gone~~.  ",
    "Next line\\",
    "last, 2 * 3 * 4, snake_case_name, a\\*b, &lt;ok&gt;",
    "- one",
    "  - nested",
    "    goes on",
    "- [ ] open",
    "- [x] done",
    "1. first",
    "   ```ts",
    "   if (a) {",
    "   \treturn;",
    "   ```",
    "12. twelfth",
    "",
    "> quoted",
    ">",
    "> - item",
    "",
    "***",
    "**not closed",
  ].join("\n");
  assert.equal(
    render(text),
    [
      "# Title",
      "",
      "Text with bold, italic, `code` and ~~gone~~.",
      "Next line",
      "last, 2 * 3 * 4, snake_case_name, a*b, <ok>",
      "• one",
      "  • nested",
      "    goes on",
      "☐ open",
      "☑ done",
      "1. first",
      "     ```ts",
      "     if (a) {",
      "         return;",
      "     ```",
      "12. twelfth",
      "",
      "│ quoted",
      "│",
      "│ • item",
      "",
      "─".repeat(30),
      "**not closed",
      "",
    ].join("\n"),
  );
});

test("emphasis nests, and marks that close nothing stay text [L2]", () => {
  const styled: Terminal["style"] = (style, text) => `{${[style].flat().join("+")}:${text}}`;
  const cases: readonly (readonly [string, string])[] = [
    ["**a *b* c**", "{bold:a} {bold+italic:b} {bold:c}"],
    ["**a *b***", "{bold:a} {bold+italic:b}"],
    ["*a **b***", "{italic:a} {italic+bold:b}"],
    ["***a***", "{bold+italic:a}"],
    ["_a_ __b__ x_y_z", "{italic:a} {bold:b} x_y_z"],
    ["`a*b*` *c", "{cyan:a*b*} *c"],
    ["``a`b``", "{cyan:a`b}"],
    ["**`a`**", "{bold+cyan:a}"],
    ["*** a", "*** a"],
    ["a ~5 ~~b~~", "a ~5 {strikethrough:b}"],
  ];
  for (const [text, expected] of cases) assert.equal(render(text, { style: styled }), `${expected}\n`, text);
});

test("a link shows where it leads, whatever its text says [L2]", () => {
  assert.equal(
    render("[a **b**](https://x.y/z 'T') ![cat](c.png) <https://a.b> [https://c.d](https://c.d) [no] [no](b c", {
      width: 200,
    }),
    "a b (https://x.y/z) image: cat (c.png) https://a.b https://c.d [no] [no](b c\n",
  );
});

test("text is wrapped at spaces, Chinese and Japanese between characters, words that are too long anywhere [L2]", () => {
  assert.equal(
    render("- one two three four five\n- 日本語の文章はどこでも。\n- abcdefghijklmnopqrstuvwxyz", { width: 14 }),
    "• one two\n  three four\n  five\n• 日本語の文章\n  はどこでも。\n• abcdefghijkl\n  mnopqrstuvwx\n  yz\n",
  );
  assert.equal(render("한국어 텍스트는 두 칸", { width: 12 }), "한국어\n텍스트는 두\n칸\n");
});

test("tables are aligned and fitted; where columns have no room each cell gets a line [L2]", () => {
  const table = [
    "| Name | N | Note |",
    "|:--|--:|:-:|",
    "| a `x` | 12 | longer text here |",
    "| 한국 | 3 | **b** |",
    "after",
  ];
  assert.equal(
    render(table.join("\n"), { width: 30 }),
    [
      "Name  │  N │       Note",
      "──────┼────┼─────────────────",
      "a `x` │ 12 │ longer text here",
      "한국  │  3 │        b",
      "after",
      "",
    ].join("\n"),
  );
  assert.equal(
    render(table.join("\n"), { width: 14 }),
    "Name: a `x`\nN: 12\nNote: longer\ntext here\n────────\nName: 한국\nN: 3\nNote: b\nafter\n",
  );
  assert.equal(render("| only a line\n| and another"), "| only a line\n| and another\n");
});

test("what only looks like a closing mark of a heading stays, and a tab in a table is a space [L2]", () => {
  for (const text of ["# a#", "# a ## b", "# >#"]) {
    assert.equal(render(text), `${text}\n`);
    assert.equal(render(text.split("")), `${text}\n`);
  }
  assert.equal(render("|a\tb|\n|--|\n"), "a b\n───\n");
});

test("words appear as soon as they are whole [L2]", () => {
  const stream = createMarkdownStream({ width: 60, style: plain });
  assert.equal(stream.push("Hello wor"), "Hello");
  assert.equal(stream.push("ld, **bo"), " world,");
  assert.equal(stream.push("ld** te"), " bold");
  assert.equal(stream.push("xt\n- i"), " text\n• ");
  assert.equal(stream.push("tem"), "");
  assert.equal(stream.end(), "item\n");
});

test("code is coloured line by line and never changed [L2]", () => {
  const code = 'const a = "x"; // note\n/* over\nlines */ return 42;';
  const output = render(`\`\`\`ts\n${code}\n\`\`\`\n`, { style: coloured });
  assert.equal(stripVTControlCharacters(output), code.replaceAll(/^/gm, "  ") + "\n");
  assert.ok(output.includes("\u001b[35mconst\u001b[39m"), output);
  assert.ok(output.includes('\u001b[32m"x"\u001b[39m'), output);
  assert.ok(output.includes("\u001b[2m// note\u001b[22m"), output);
  assert.ok(output.includes("\u001b[2mlines */\u001b[22m"), output);
});

const pieces = [
  "* _ ~ ` [ ] ( ) ! < > & \\ # | - + 1 . : a x ** `` ``` ~~ [x](y) ![x](y) <br> &lt; http://a 日本 한국어 👍🏽 e\u0301".split(
    " ",
  ),
  [
    "- ",
    "\n> ",
    "\n# ",
    "\n\n",
    "[ ] ",
    "| a ",
    "\n|--|\n",
    "\n|---|--:|\n",
    " ",
    "\n",
    "\t",
    "word word word word word ",
  ],
  ["\u200d", "\u001b[2J", "\u001b]8;;x\u0007", "\u0000", "\r\n", "\u202e", "\ud800", "\u009b", "\u0085"],
].flat();
const markdown = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 60 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 80 }),
);

test("however the text is cut into pieces, the output is the same [L2]", () => {
  fc.assert(
    fc.property(
      markdown,
      fc.array(fc.nat(100), { maxLength: 8 }),
      fc.integer({ min: 4, max: 90 }),
      (text, cuts, width) => {
        const borders = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
        const chunks = borders.slice(1).map((end, index) => text.slice(borders[index], end));
        const whole = render(text, { width });
        assert.equal(render(chunks, { width }), whole);
        assert.equal(render(text.split(""), { width }), whole);
      },
    ),
    { numRuns: count({ quick: 1500, full: 40_000 }) },
  );
});

test("no text gets a control character through or is wider than the terminal [G9]", () => {
  fc.assert(
    fc.property(markdown, fc.integer({ min: 4, max: 90 }), (text, width) => {
      const output = render(text, { width });
      // oxlint-disable-next-line no-control-regex -- finding them is what this is for
      assert.doesNotMatch(output, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      for (const line of output.split("\n")) assert.ok(displayWidth(line) <= width, JSON.stringify(line));
      assert.equal(stripVTControlCharacters(render(text, { width, style: coloured })).includes("\u001b"), false);
    }),
    { numRuns: count({ quick: 1500, full: 40_000 }) },
  );
});
