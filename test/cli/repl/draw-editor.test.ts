import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { layoutEditor, renderSent, type EditorView } from "../../../src/cli/repl/editor/draw-editor.ts";
import { drawFrame, eraseFrame, reflow, type Drawn } from "../../../src/cli/repl/input/draw-frame.ts";
import { emptyEditor, type EditorState } from "../../../src/cli/repl/editor/editor-state.ts";
import { pressKey } from "../../../src/cli/repl/editor/line-editor.ts";
import { count } from "../../support/counts.ts";
import { keysOf } from "./press.ts";
import { createInputScreen } from "./input-screen.ts";

const plain = (_: unknown, text: string): string => text;

function viewOf(state: Partial<EditorState>, status?: string): EditorView {
  const view = { state: { ...emptyEditor, ...state }, prompt: "› ", style: plain };
  return status === undefined ? view : { ...view, status: (columns) => status.slice(0, columns) };
}

const size = { columns: 20, rows: 10 };

test("the editor stands below what was printed, with its cursor where the next character goes [L2]", () => {
  const screen = createInputScreen(40, 10);
  screen.write("printed before\n");
  const text = "first\nsecond";
  const { output } = drawFrame(null, layoutEditor(viewOf({ text, cursor: 3 }, "status"), { columns: 40, rows: 10 }));
  screen.write(output);
  assert.deepEqual(screen.rows(), ["printed before", "› first", "  second", "status"]);
  assert.deepEqual(screen.cursor, { row: 1, column: 5 });
});

test("long lines wrap at any width, wide characters whole", () => {
  assert.deepEqual(layoutEditor(viewOf({ text: "abcdefghijklmnopqrstuvwxyz", cursor: 26 }), size), {
    rows: ["› abcdefghijklmnopq", "  rstuvwxyz"],
    cursor: { row: 1, column: 11 },
  });
  assert.deepEqual(layoutEditor(viewOf({ text: "한".repeat(9), cursor: 9 }), size), {
    rows: ["› 한한한한한한한한", "  한"],
    cursor: { row: 1, column: 4 },
  });
  assert.deepEqual(layoutEditor(viewOf({ text: "ab한", cursor: 3 }), { columns: 4, rows: 5 }).rows, ["ab", "한"]);
});

test("what a terminal would obey is shown, and a folded paste as what it is", () => {
  const pastes = ["x\n".repeat(120)];
  const { rows } = layoutEditor(viewOf({ text: "\u{100000} a\u202eb\tc", cursor: 0, pastes }), {
    columns: 60,
    rows: 5,
  });
  assert.deepEqual(rows, ["› [pasted 120 lines] a\\u202eb    c"]);
});

test("a text taller than the terminal shows the part around the cursor", () => {
  const text = Array.from({ length: 50 }, (_, at) => `line ${at}`).join("\n");
  const frame = layoutEditor(viewOf({ text, cursor: text.indexOf("line 25") }, "status"), { columns: 30, rows: 6 });
  assert.deepEqual(frame.rows, ["  line 23", "  line 24", "  line 25", "  line 26", "status"]);
  assert.deepEqual(frame.cursor, { row: 2, column: 2 });
});

test("completions are listed under the text, cut to the terminal", () => {
  const items = Array.from({ length: 12 }, (_, at) => ({ value: `/command${at}`, end: " ", hint: "what it does" }));
  const list = { completions: { from: 0, to: 1, items }, chosen: 10, typed: { text: "/", cursor: 1 } };
  const { rows } = layoutEditor(viewOf({ text: "/command10", cursor: 10, list }, "status"), { columns: 24, rows: 7 });
  assert.deepEqual(rows, [
    "› /command10",
    "  /command9   what it…",
    "❯ /command10  what it…",
    "  /command11  what it…",
    "  … 9 more",
    "status",
  ]);
});

test("a search of the history says what it looks for", () => {
  const before = { text: "", cursor: 0 };
  const shown = viewOf({ text: "make", cursor: 0, search: { query: "mak", index: 0, before } }, "status");
  assert.deepEqual(layoutEditor(shown, { columns: 40, rows: 9 }).rows, ["› make", "search history: mak"]);
});

test("what was sent stays behind without cursor, list or status", () => {
  assert.equal(renderSent(viewOf({ text: "one\ntwo", cursor: 7 }, "status"), size), "› one\n  two");
});

test("only rows that changed are written again", () => {
  const first = drawFrame(null, layoutEditor(viewOf({ text: "one\ntwo", cursor: 7 }, "status"), size));
  const second = drawFrame(first.drawn, layoutEditor(viewOf({ text: "one\ntwoX", cursor: 8 }, "status"), size));
  assert.ok(!second.output.includes("one") && !second.output.includes("status"), second.output);
  assert.match(second.output, /twoX/);
});

test("after any keys, sizes and erasing, the screen is what the last frame says and nothing else [L2]", () => {
  const step = fc.oneof(
    fc
      .constantFrom(
        ..."ab 한\t".split(""),
        "👍",
        "<ctrl-j>",
        "<left>",
        "<up>",
        "<home>",
        "<backspace>",
        "<ctrl-u>",
        "<ctrl-w>",
        "<ctrl-_>",
      )
      .map((keys) => ({ kind: "keys" as const, keys })),
    fc.constantFrom(20, 21, 33, 60, 8).map((columns) => ({ kind: "resize" as const, columns })),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let columns = 30;
      let state = emptyEditor;
      let drawn: Drawn | null = null;
      const screen = createInputScreen(columns, 400);
      screen.write("above\n");
      const draw = (): void => {
        const next = drawFrame(drawn, layoutEditor(viewOf(state, "status"), { columns, rows: 400 }));
        drawn = next.drawn;
        screen.write(next.output);
      };
      draw();
      for (const each of steps) {
        if (each.kind === "keys") for (const key of keysOf(each.keys)) state = pressKey(state, key, ["older"]).state;
        else if (drawn !== null) {
          columns = each.columns;
          screen.resize(columns);
          screen.write(eraseFrame(reflow(drawn, columns)));
          drawn = null;
        }
        draw();
        const frame = layoutEditor(viewOf(state, "status"), { columns, rows: 400 });
        assert.deepEqual(screen.rows(), ["above", ...frame.rows.map((row) => row.trimEnd())]);
        assert.deepEqual(screen.cursor, { row: frame.cursor!.row + 1, column: frame.cursor!.column });
      }
      if (drawn !== null) screen.write(eraseFrame(drawn));
      assert.deepEqual(screen.rows(), ["above"]);
      assert.deepEqual(screen.cursor, { row: 1, column: 0 });
    }),
    { numRuns: count({ quick: 150, full: 5000 }) },
  );
});
