import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyEditor, type EditorState } from "../../../src/cli/repl/editor/editor-state.ts";
import type { Key } from "../../../src/cli/repl/input/keys.ts";
import { pressKey, type Effect } from "../../../src/cli/repl/editor/line-editor.ts";
import { typeAhead } from "../../../src/cli/repl/input/open-input.ts";
import { count } from "../../support/counts.ts";
import { keysOf } from "./press.ts";

interface Played {
  readonly state: EditorState;
  readonly effects: readonly Effect[];
}

function play(keys: readonly Key[], history: readonly string[] = [], from = emptyEditor): Played {
  let state = from;
  const effects: Effect[] = [];
  for (const key of keys) {
    const pressed = pressKey(state, key, history);
    state = pressed.state;
    if (pressed.effect !== null && pressed.effect.kind !== "complete") effects.push(pressed.effect);
  }
  return { state, effects };
}

/** The text with a bar where the cursor is. */
function after(script: string, history: readonly string[] = []): string {
  const { text, cursor } = play(keysOf(script), history).state;
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

function sent(keys: readonly Key[]): string[] {
  return play(keys).effects.flatMap((effect) => (effect.kind === "submit" ? [effect.text] : []));
}

test("text is typed, moved in and deleted by characters, words and lines [L2]", () => {
  assert.equal(after("hello<left><left>X"), "helX|lo");
  assert.equal(after("one two<ctrl-left>X"), "one X|two");
  assert.equal(after("one two<home>X<end>Y"), "Xone twoY|");
  assert.equal(after("one two-three<alt-b><alt-b><alt-d>"), "one |-three");
  assert.equal(after("one two<backspace><ctrl-w>"), "one |");
  assert.equal(after("one two<ctrl-w><ctrl-w>"), "|");
  assert.equal(after("abc<ctrl-u>"), "|");
  assert.equal(after("abc<home><right><ctrl-k>"), "a|");
  assert.equal(after("abc<home><delete><ctrl-d>"), "|c");
  assert.equal(after("ab<ctrl-t>"), "ba|");
  assert.equal(after("ab<f5><ctrl-q>"), "ab|");
});

test("a character is what a person sees as one", () => {
  for (const character of ["한", "👨‍👩‍👧", "e\u0301", "🇰🇷", "👍🏽"]) {
    const typed: Key[] = [{ kind: "text", text: `a${character}b` }];
    assert.equal(play([...typed, ...keysOf("<left><backspace>")]).state.text, "ab");
    assert.equal(play([...typed, ...keysOf("<home><right><delete>")]).state.text, "ab");
    assert.equal(play([...typed, ...keysOf("<left><left>X")]).state.text, `aX${character}b`);
  }
});

test("kills in a row are yanked as one, and every change is undone", () => {
  assert.equal(after("one two three<ctrl-w><ctrl-w><ctrl-y><ctrl-y>"), "one two threetwo three|");
  assert.equal(after("one two<ctrl-_>"), "one|");
  assert.equal(after("one two<ctrl-u><ctrl-_>"), "one two|");
  assert.equal(after("one two<ctrl-c><ctrl-_>"), "one two|");
  assert.equal(after("one<ctrl-_><ctrl-_><ctrl-_>"), "|");
});

test("an input has several lines by Alt-Enter, Ctrl-J, Shift-Enter, a backslash or a paste", () => {
  assert.deepEqual(sent(keysOf("a<alt-enter>b<ctrl-j>c<shift-enter>d\\<enter>e<enter>")), ["a\nb\nc\nd\ne"]);
  assert.deepEqual(sent([{ kind: "paste", text: "one\ntwo\n" }, ...keysOf("three<enter>")]), ["one\ntwo\nthree"]);
  assert.deepEqual(sent(keysOf("!ls \\<enter>-l<enter>")), ["!ls \\\n-l"]);
});

test("up and down move in the text and keep the column; at its border they recall", () => {
  const text = "first line<ctrl-j>2<ctrl-j>third line";
  assert.equal(after(`${text}<up><up>X`), "first lineX|\n2\nthird line");
  assert.equal(after(`${text}<home><right><right><up><down>X`), "first line\n2\nthX|ird line");
  assert.equal(after(`${text}<up><up><up>`, ["before"]), "first line|\n2\nthird line");
  assert.equal(after("<up>", ["before"]), "before|");
});

test("history comes back with the draft kept, and only what begins as the draft does", () => {
  const history = ["git status", "npm test", "git log", "npm test -- x"];
  assert.equal(after("<up><up>", history), "git log|");
  assert.equal(after("git<up>", history), "git log|");
  assert.equal(after("git<up><up><up>", history), "git status|");
  assert.equal(after("git<up><up><down>", history), "git log|");
  assert.equal(after("git<up><up><down><down>", history), "git|");
  assert.equal(after("git<up><left><up><down><down>", history), "git|");
  assert.equal(after("nothing<up>", history), "nothing|");
  assert.equal(after("<up><up>", ["one", "two\nlines"]), "two|\nlines");
  assert.equal(after("<up><up><up>", ["one", "two\nlines"]), "one|");
  assert.equal(after("<up><up><up><down>", ["one", "two\nlines"]), "two\nlines|");
});

test("Ctrl-R searches backwards as it is typed", () => {
  const history = ["cat Makefile", "make test", "make build", "ls"];
  assert.equal(after("<ctrl-r>mak", history), "|make build");
  assert.equal(after("<ctrl-r>mak<ctrl-r>", history), "|make test");
  assert.equal(after("<ctrl-r>mak<ctrl-r><ctrl-r>", history), "cat |Makefile");
  assert.equal(after("<ctrl-r>mak<ctrl-r><ctrl-s>", history), "|make build");
  assert.equal(after("draft<ctrl-r>mak<ctrl-g>", history), "draft|");
  assert.equal(after("draft<ctrl-r>mak<escape>X", history), "Xmake build".replace("X", "X|"));
  assert.equal(after("draft<ctrl-r>mak<end>!", history), "make build!|");
  assert.equal(after("<ctrl-r>lsx", history), "|ls");
  assert.equal(after("<ctrl-r>Mak", history), "cat |Makefile");
  const { effects } = play(keysOf("<ctrl-r>tes<enter>"), history);
  assert.deepEqual(
    effects.map((effect) => effect.kind === "submit" && effect.text),
    ["make test"],
  );
});

test("a large paste is folded, moves as one and is whole when sent", () => {
  const pasted = Array.from({ length: 120 }, (_, at) => `line ${at}`).join("\n");
  const paste: Key = { kind: "paste", text: pasted };
  const folded = play([...keysOf("see: "), paste]).state;
  assert.equal(folded.text.length, "see: ".length + 2);
  assert.deepEqual(sent([...keysOf("see: "), paste, ...keysOf(" ok<enter>")]), [`see: ${pasted} ok`]);
  assert.equal(play([...keysOf("see: "), paste, ...keysOf("<backspace>")]).state.text, "see: ");
  assert.deepEqual(sent([paste, ...keysOf("<ctrl-u><ctrl-y>, <ctrl-y><enter>")]), [`${pasted}, ${pasted}`]);
  assert.deepEqual(sent([{ kind: "text", text: "\u{100000}" }, ...keysOf("<enter>")]), ["\ufffd"]);
});

test("Ctrl-C clears the line first and is told on an empty one; Ctrl-D leaves only there [L2]", () => {
  assert.deepEqual(play(keysOf("abc<ctrl-c>")).effects, []);
  assert.equal(after("abc<ctrl-c>"), "|");
  assert.deepEqual(play(keysOf("abc<ctrl-c><ctrl-c>")).effects, [{ kind: "interrupt" }]);
  assert.deepEqual(play(keysOf("abc<ctrl-d>")).effects, []);
  assert.deepEqual(play(keysOf("<ctrl-d>")).effects, [{ kind: "leave" }]);
  assert.deepEqual(play(keysOf("  <enter>")).effects, []);
});

test("what is typed ahead is kept and never sent unseen", () => {
  let state = emptyEditor;
  for (const key of keysOf("<enter>ne<up><ctrl-r>xt<backspace>t<enter>y<enter>")) state = typeAhead(state, key);
  assert.equal(state.text, "next\ny\n");
});

test("no keys break the editor: the cursor stays between characters and everything can be undone", () => {
  const key = fc.oneof(
    fc.constantFrom(
      ...keysOf(
        "<left><right><up><down><home><end><ctrl-left><ctrl-right><backspace><delete><ctrl-w><ctrl-u><ctrl-k><ctrl-y><ctrl-t><ctrl-_><alt-d><alt-backspace><ctrl-j><ctrl-r><escape><ctrl-s><tab><shift-tab>",
      ),
    ),
    fc.constantFrom(..."aB ./한é\\".split("")).map((text): Key => ({ kind: "text", text })),
    fc.constantFrom("👨‍👩‍👧", "x\ny", "z\n".repeat(30)).map((text): Key => ({ kind: "paste", text })),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
      const { state } = play(keys, ["one", "two words", "three\nlines"]);
      const borders = [...new Intl.Segmenter("en").segment(state.text)].map(({ index }) => index);
      assert.ok(state.cursor === state.text.length || borders.includes(state.cursor));
      const cleared = play(
        Array.from({ length: 100 }, (): Key => ({ kind: "key", name: "ctrl-_" })),
        [],
        {
          ...state,
          search: null,
        },
      );
      assert.deepEqual(cleared.state.undos, []);
    }),
    { numRuns: count({ quick: 200, full: 10_000 }) },
  );
});
