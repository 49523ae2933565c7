import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openTmux, tmuxLane, type Tmux } from "../../support/tmux.ts";

const program = join(import.meta.dirname, "..", "..", "fixtures", "cli", "repl-input.ts");
const lane = tmuxLane();

async function start(t: TestContext, size: { columns?: number; rows?: number } = {}): Promise<Tmux> {
  const tmux = await openTmux(t, {
    ...size,
    env: { NODE_COMPILE_CACHE: join(program, "..", "..", "..", "..", "node_modules", ".cache", "deckhand-test") },
  });
  await tmux.type(`clear; '${process.execPath}' '${program}' '${tmux.folder}/history.jsonl'`);
  await tmux.press("Enter");
  await tmux.see(/^› ?\n/m);
  return tmux;
}

/** Sends a line and waits for what the program says about it. */
async function send(tmux: Tmux, line: string): Promise<void> {
  await tmux.type(line);
  await tmux.see(`› ${line}`);
  await tmux.press("Enter");
}

/** The shell has the terminal again, as it was: it echoes, reads lines, and its cursor is visible. */
async function seeRestored(tmux: Tmux): Promise<void> {
  await tmux.type("stty -a");
  await tmux.press("Enter");
  const shown = await tmux.see(/iexten/);
  assert.match(shown, /[^-]icanon/);
  assert.match(shown, /[^-]echo\b/);
  assert.equal((await tmux.cursor()).isVisible, true);
  // Brackets around a paste would be seen as text here.
  await tmux.paste("pasted");
  await tmux.see(/pasted$/);
  assert.doesNotMatch(await tmux.screen(), /200~/);
}

test("text is typed, edited and sent in a terminal [L2]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("hello wrld");
  await tmux.press("Left", "Left", "Left");
  await tmux.type("o");
  await tmux.press("C-a");
  await tmux.type("> ");
  await tmux.see("› > hello world\nstatus of the prompt");
  assert.deepEqual(await tmux.cursor(), { column: 4, row: 0, isVisible: true });
  await tmux.press("Enter");
  const shown = await tmux.see('got {"kind":"line","text":"> hello world"}');
  assert.match(shown, /^› > hello world\ngot /);
});

test("several lines and wide characters are one input [L2]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("안녕");
  await tmux.press("M-Enter");
  await tmux.type("둘\\");
  await tmux.press("Enter");
  await tmux.type("three");
  await tmux.see("› 안녕\n  둘\n  three\nstatus");
  await tmux.press("Up", "BSpace", "Enter");
  await tmux.see('"text":"안녕\\n\\nthree"');
});

test("a paste stays one input, and a large one is folded until it is sent [L2]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.paste("one\ntwo");
  await tmux.see("› one\n  two\nstatus");
  await tmux.press("C-c");
  await tmux.see(/^›\nstatus/m);
  await tmux.paste(Array.from({ length: 120 }, (_, at) => `${at}`).join("\n"));
  await tmux.see("› [pasted 120 lines]\nstatus");
  await tmux.press("Enter");
  await tmux.see(/118\\n119"}/);
});

test("commands and files complete [C6]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("/to");
  await tmux.see("› /to\n  /tools  about /tools\n  /tool   about /tool\nstatus");
  await tmux.press("Tab");
  await tmux.see("› /tool\n");
  await tmux.press("Tab");
  await tmux.see("› /tools\n");
  await tmux.press("Escape");
  await tmux.see(/› \/tool\nstatus/);
  await tmux.press("C-u");
  await tmux.type("see @READ");
  await tmux.see("@README.md");
  await tmux.press("Tab");
  await tmux.type("now");
  await tmux.see("› see @README.md now\nstatus");
});

test("history comes back, also in the next program, without secrets [L2]", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "first thing");
  await tmux.see('"first thing"');
  await send(tmux, "with sk-123456");
  await tmux.see('"with sk-123456"');
  await tmux.press("C-d");
  await tmux.see('{"kind":"leave"}');
  assert.equal(await readFile(join(tmux.folder, "history.jsonl"), "utf8"), '"first thing"\n"with ***"\n');
  await tmux.type(`clear; '${process.execPath}' '${program}' '${tmux.folder}/history.jsonl'`);
  await tmux.press("Enter");
  await tmux.see(/^›\nstatus/m);
  await tmux.press("Up");
  await tmux.see("› with ***\n");
  await tmux.press("Up");
  await tmux.see("› first thing\n");
  await tmux.press("Down", "Down");
  await tmux.see(/^›\nstatus/m);
  await tmux.press("C-r");
  await tmux.type("thing");
  await tmux.see("› first thing\nsearch history: thing");
});

test("the editor follows the size of the terminal and leaves nothing behind [L2]", lane, async (t) => {
  const tmux = await start(t, { columns: 70, rows: 12 });
  // Down to the bottom: above it tmux scrolls away what stands at the top when rows get more, also a part of the editor.
  for (let line = 1; line <= 6; line += 1) {
    await send(tmux, `line ${line}`);
    await tmux.see(`"line ${line}"`);
  }
  const words = "the quick brown fox jumps over the lazy dog 빠른 갈색 여우";
  await tmux.type(words);
  await tmux.see(`› ${words}\nstatus`);
  const wrapped: Readonly<Record<number, readonly string[]>> = {
    40: ["› the quick brown fox jumps over the la", "  zy dog 빠른 갈색 여우"],
    20: ["› the quick brown f", "  ox jumps over the", "   lazy dog 빠른 갈", "  색 여우"],
    33: ["› the quick brown fox jumps over", "   the lazy dog 빠른 갈색 여우"],
    70: [`› ${words}`],
  };
  for (const columns of [40, 20, 33, 20, 70]) {
    await tmux.resize({ columns, rows: 12 });
    await tmux.see(`${wrapped[columns]!.join("\n")}\nstatus of the`);
    const all = await tmux.scrollback();
    assert.equal(all.split("› the").length, 2, `drawn more than once at ${columns}:\n${all}`);
    assert.equal(all.split("status of").length, 2, `drawn more than once at ${columns}:\n${all}`);
    for (let line = 1; line <= 6; line += 1) assert.match(all, new RegExp(`^› line ${line}\\ngot`, "m"));
  }
  await tmux.type("!");
  await tmux.see(`› ${words}!\nstatus`);
});

test("Ctrl-C clears, then is told; while the program works keys reach it, and text is kept [L2]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("abc");
  await tmux.see("› abc");
  await tmux.press("C-c");
  await tmux.see(/^›\nstatus/m);
  await tmux.press("C-c");
  await tmux.see('got {"kind":"interrupt"}');
  await send(tmux, "work");
  await tmux.see("working");
  await tmux.type("typed ahead");
  await tmux.press("C-o");
  await tmux.see('got "ctrl-o"\n› typed ahead\nstatus');
});

test("text that comes while someone types stands above the line", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "above");
  await tmux.see(/a line above\n\+$/);
  await tmux.type("x");
  await tmux.press("Enter");
  await tmux.see('+ x\ngot {"kind":"line","text":"x"}');
});

test("Ctrl-Z gives the terminal to the shell, and fg brings the line back [L2]", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("half a line");
  await tmux.see("› half a line\nstatus");
  await tmux.press("C-z");
  await tmux.see(/Stopped|\[1\]/);
  await seeRestored(tmux);
  await tmux.press("C-u");
  await tmux.type("clear; fg");
  await tmux.press("Enter");
  await tmux.see("› half a line\nstatus");
  await tmux.type(", whole");
  await tmux.press("Enter");
  await tmux.see('"half a line, whole"');
});

test("where nobody could continue it, Ctrl-Z changes nothing", lane, async (t) => {
  const tmux = await openTmux(t);
  await tmux.type(`clear; exec '${process.execPath}' '${program}' '${tmux.folder}/history.jsonl'`);
  await tmux.press("Enter");
  await tmux.see(/^›\nstatus/m);
  await tmux.type("still");
  await tmux.see("› still\nstatus");
  await tmux.press("C-z");
  await tmux.type(" here");
  await tmux.see("› still here\nstatus");
});

test("a program that needs the terminal gets it, and the prompt comes back", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "shell");
  await tmux.see('"shell"}');
  await tmux.type("something");
  await tmux.press("Enter");
  await tmux.see("something\nthe child got something\ngot 0\n›\nstatus");
  await tmux.type("x");
  await tmux.see("› x\nstatus");
});

test("keys of the caller work while a line is typed", lane, async (t) => {
  const tmux = await start(t);
  await tmux.type("abc");
  await tmux.press("C-o");
  await tmux.see("unfolded\n› abc\nstatus");
});

for (const [how, leave] of [
  ["Ctrl-D", async (tmux: Tmux) => tmux.press("C-d")],
  ["an exception", async (tmux: Tmux) => send(tmux, "throw")],
  ["SIGTERM", async (tmux: Tmux) => tmux.signal("SIGTERM")],
  ["SIGHUP", async (tmux: Tmux) => tmux.signal("SIGHUP")],
] as const) {
  test(`the terminal is as it was after ${how} [L2]`, lane, async (t) => {
    const tmux = await start(t, { columns: 100, rows: 40 });
    await leave(tmux);
    await tmux.see(/^ready>$/m);
    await seeRestored(tmux);
  });
}

test("a permission is answered by one key; what was typed before is kept for the prompt [L8]", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "busy");
  await tmux.see(/^busy$/m);
  await tmux.type("y");
  await tmux.screen();
  await writeFile(join(tmux.folder, "history.jsonl.go"), "");
  await tmux.see("[c] yes, in this conversation: bash(npm test:*)");
  assert.equal((await tmux.cursor()).isVisible, false);
  await tmux.press("n");
  const shown = await tmux.see('got {"decision":"deny","who":"me"}\n› y\nstatus');
  assert.match(shown, /! it runs code of this folder\n✗ refused\ngot/);
  assert.equal((await tmux.cursor()).isVisible, true);
});

test("danger needs the word, and Esc is never a yes [L8]", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "danger");
  await tmux.see('Type "yes" to run it:');
  await tmux.type("yes");
  await tmux.see('Type "yes" to run it: yes');
  await tmux.press("Enter");
  await tmux.see('✓ allowed once\ngot {"decision":"allow","scope":"once","who":"me"}');
  await send(tmux, "danger");
  await tmux.see(/^(?:… what you type|Type "yes")/m);
  await tmux.press("Escape");
  await tmux.see('got {"decision":"unanswered","reason":"cancelled"}');
});

test("a question is answered from a list, by several marks, and by text [L7]", lane, async (t) => {
  const tmux = await start(t, { columns: 100, rows: 30 });
  await send(tmux, "ask");
  await tmux.see("Which colour?\n❯ 1. red\n  2. green\n  3. blue\narrows");
  await tmux.press("Down");
  await tmux.see("❯ 2. green");
  await tmux.press("Enter");
  await tmux.see('→ green\ngot {"answered":true,"text":"green","selected":["green"]}');
  await send(tmux, "several");
  await tmux.see("❯ 1. [ ] red");
  await tmux.press("Space");
  await tmux.see("❯ 1. [x] red");
  await tmux.press("4");
  await tmux.see("Enter sends · Esc goes back");
  await tmux.type("pink");
  await tmux.press("Enter");
  await tmux.see('"selected":["red","pink"]');
  await send(tmux, "free");
  await tmux.see("Your name?\n›\nEnter sends");
  await tmux.type("Ada");
  await tmux.press("Enter");
  await tmux.see('got {"answered":true,"text":"Ada"}');
});

test("a list longer than a small terminal scrolls [L7]", lane, async (t) => {
  const tmux = await start(t, { columns: 24, rows: 8 });
  await send(tmux, "many");
  await tmux.see(/❯ {2}1\. option 1\n/);
  await tmux.press("Up");
  await tmux.see(/❯ 30\. option 30\n30 of 30/);
  await tmux.press("Enter");
  await tmux.see(/→ option 30/);
});
