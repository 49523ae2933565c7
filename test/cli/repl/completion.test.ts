import assert from "node:assert/strict";
import { test } from "node:test";
import { createCompleter, mayComplete, type Complete } from "../../../src/cli/repl/editor/completion.ts";
import { offerCompletions } from "../../../src/cli/repl/editor/completion-list.ts";
import { emptyEditor, type EditorState } from "../../../src/cli/repl/editor/editor-state.ts";
import { pressKey } from "../../../src/cli/repl/editor/line-editor.ts";
import { keysOf } from "./press.ts";

const files = [
  "README.md",
  "src/main.ts",
  "src/cli/main.ts",
  "src/cli/line editor.ts",
  "docs/guide.md",
  "bad\u001bname",
];
const names = ["/tools", "/tool", "/reset", "/reload-tools"];

function completer(listFiles: () => Promise<readonly string[]> = () => Promise.resolve(files)): Complete {
  return createCompleter({
    commands: names.map((name) => ({ name })),
    listFiles,
    completeArgument: (words) =>
      words[0] === "/tool"
        ? ["bash", "bash_output"].filter((tool) => tool.startsWith(words.at(-1)!)).map((value) => ({ value, end: " " }))
        : [],
  });
}

async function valuesFor(text: string, complete = completer()): Promise<readonly string[] | null> {
  return (await complete(text, text.length))?.items.map(({ value }) => value) ?? null;
}

/** Presses keys; completions arrive before the next one. */
async function play(script: string, complete = completer()): Promise<EditorState> {
  let state = emptyEditor;
  for (const key of keysOf(script)) {
    const { state: next, effect } = pressKey(state, key, ["older"]);
    state = next;
    if (effect?.kind !== "complete") continue;
    state = offerCompletions(state, await complete(state.text, state.cursor), effect.insert);
  }
  return state;
}

test("commands complete at the start of the line [C6]", async () => {
  assert.deepEqual(await valuesFor("/to"), ["/tools", "/tool"]);
  assert.deepEqual(await valuesFor("/re"), ["/reset", "/reload-tools"]);
  assert.deepEqual(await valuesFor("/nothing"), []);
  assert.equal(await valuesFor("say /to"), null);
  assert.equal(await valuesFor("hello"), null);
});

test("arguments of a command come from its own list", async () => {
  assert.deepEqual(await valuesFor("/tool ba"), ["bash", "bash_output"]);
  assert.deepEqual(await valuesFor("/reset x"), []);
  assert.equal((await play("/tool bash_<tab>")).text, "/tool bash_output ");
});

test("files complete after @, the closest first, folders to go on with", async () => {
  assert.deepEqual(await valuesFor("see @main"), ["@src/main.ts", "@src/cli/main.ts"]);
  assert.deepEqual(await valuesFor("@src/m"), ["@src/main.ts", "@src/cli/main.ts"]);
  assert.deepEqual((await valuesFor("@sr"))?.[0], "@src/");
  assert.deepEqual(await valuesFor("@gde"), ["@docs/guide.md"]);
  assert.deepEqual(await valuesFor("@line"), ['@"src/cli/line editor.ts']);
  assert.deepEqual(await valuesFor('@"src/cli/li'), ['@"src/cli/line editor.ts']);
  assert.deepEqual(await valuesFor("@bad"), []);
  assert.equal(await valuesFor("me@src"), null);
  assert.equal((await play("read @line<tab>now")).text, 'read @"src/cli/line editor.ts" now');
});

test("files are listed once for an @ that is typed on", async () => {
  let listed = 0;
  const complete = completer(() => {
    listed += 1;
    return Promise.resolve(files);
  });
  await play("@mai<backspace><tab>", complete);
  assert.equal(listed, 1);
  await play("@x", complete);
  await play("no", complete);
  await play("text @y", complete);
  assert.equal(listed, 2);
});

test("lines for the shell complete nothing", async () => {
  assert.equal(await valuesFor("!cat @READ"), null);
  assert.equal(await valuesFor("!/to"), null);
  assert.equal(mayComplete("!cat @READ", 10), false);
});

test("Tab puts in what is certain, then shows and walks the list [C6]", async () => {
  assert.equal((await play("/res<tab>")).text, "/reset ");
  const common = await play("/t<tab>");
  assert.equal(common.text, "/tool");
  assert.equal(common.list?.completions.items.length, 2);
  assert.equal((await play("/t<tab><tab>")).text, "/tools");
  assert.equal((await play("/t<tab><tab><tab>")).text, "/tool");
  assert.equal((await play("/t<tab><tab><tab><tab>")).text, "/tools");
  assert.equal((await play("/t<tab><shift-tab>")).text, "/tool");
  assert.equal((await play("/t<down><enter>")).text, "/tools ");
  assert.equal((await play("/t<down><escape>")).text, "/t");
  assert.equal((await play("/t<escape><up>")).text, "/t");
  assert.equal((await play("/t<down> x")).text, "/tools x");
  assert.equal((await play("plain<tab>")).text, "plain");
});

test("a list that is shown does not keep Enter from sending what was typed", async () => {
  const { effect } = pressKey(await play("/t"), { kind: "key", name: "enter" }, []);
  assert.equal(effect?.kind === "submit" && effect.text, "/t");
});

test("the text behind the cursor stays when something is completed before it", async () => {
  const state = await play("@READ here<ctrl-left><left><tab>");
  assert.equal(state.text, "@README.md here");
});
