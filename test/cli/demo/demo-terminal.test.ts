import assert from "node:assert/strict";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { until } from "../../support/runtime.ts";
import { openTmux, tmuxLane, type Tmux } from "../../support/tmux.ts";
import { deckhand } from "../run-deckhand.ts";

const lane = tmuxLane();
const root = join(import.meta.dirname, "..", "..", "..");

interface Terminal extends Tmux {
  /** Waits as long as a slow machine may take. */
  await(wanted: string | RegExp): Promise<void>;
  /** The files of the demo that is being played. */
  scratch(): Promise<string[]>;
  readScratch(path: string): Promise<string>;
}

async function start(t: TestContext, command: string): Promise<Terminal> {
  const tmux = await openTmux(t, {
    rows: 50,
    env: {
      OLLAMA_HOST: "127.0.0.1:9",
      NODE_COMPILE_CACHE: join(root, "node_modules", ".cache", "deckhand-test"),
      ...(process.env["DECKHAND_SANDBOX"] === undefined ? {} : { DECKHAND_SANDBOX: process.env["DECKHAND_SANDBOX"] }),
    },
  });
  const temporary = join(tmux.folder, "temporary");
  await mkdir(temporary);
  await tmux.type(`clear; TMPDIR='${temporary}' '${process.execPath}' '${deckhand[0]!}' ${command}; echo "code $?"`);
  await tmux.press("Enter");
  const has = (shown: string, wanted: string | RegExp): boolean =>
    typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown);
  const scratch = (): Promise<string[]> => readdir(temporary);
  return {
    ...tmux,
    async await(wanted) {
      await until(`the terminal shows ${String(wanted)}`, async () => has(await tmux.scrollback(), wanted), 60_000);
    },
    scratch,
    async readScratch(path) {
      const [folder = ""] = await scratch();
      return readFile(join(temporary, folder, "till", path), "utf8");
    },
  };
}

/** Scene after scene: the end of one is Enter's turn. */
async function goOn(terminal: Terminal, sceneDone: string | RegExp): Promise<void> {
  await terminal.await(sceneDone);
  await terminal.see("Enter goes on · q leaves");
  await terminal.press("Enter");
}

/** The shell has its terminal back, and nothing of the demo is left. */
async function seeEnd(terminal: Terminal): Promise<void> {
  await terminal.await("code 0");
  await terminal.type("echo back");
  await terminal.press("Enter");
  await terminal.see(/^back$/m);
  assert.equal((await terminal.cursor()).isVisible, true);
  assert.deepEqual(await terminal.scratch(), []);
}

test("at a terminal the person answers every scene of the demo [L7, L8]", lane, async (t) => {
  const terminal = await start(t, "demo --fast");
  await goOn(terminal, "3 of 3 reads started");

  await terminal.await("arrows or a number");
  await terminal.press("Down", "Enter");
  await goOn(terminal, "“Down to the cent”");

  await terminal.await("[y] yes, once");
  assert.match(await terminal.readScratch("src/price.js"), /return price \* count;/);
  await terminal.press("y");
  await terminal.await("The file was written after the yes");
  assert.match(await terminal.readScratch("src/price.js"), /Math\.floor\(price \* count \* 100\)/);
  await goOn(terminal, "The file was written after the yes");

  await terminal.await('Type "yes" to run it');
  await terminal.type("no");
  await terminal.press("Enter");
  await terminal.await("It never ran: backups/ still has its 2 files.");
  assert.equal(await terminal.readScratch("backups/monday.txt"), "12 receipts\n");
  await goOn(terminal, "It never ran");

  await terminal.await(/round \d+: all well/);
  await terminal.press("C-c");
  await goOn(terminal, /Stopped after .*: \d+ processes were ended, none is left\./);
  await goOn(terminal, "No call shows npm run lint.");
  await terminal.await("The log is whole");
  await seeEnd(terminal);
});

test("whoever says no to the edit sees that the answer does not fit [D5]", lane, async (t) => {
  const terminal = await start(t, "demo --fast");
  await goOn(terminal, "3 of 3 reads started");
  await terminal.await("arrows or a number");
  await terminal.press("Enter");
  await goOn(terminal, "“To the nearest cent”");
  await terminal.await("[y] yes, once");
  await terminal.press("n");
  await terminal.await("You did not allow it, and the file is as it was.");
  assert.match(await terminal.readScratch("src/price.js"), /return price \* count;/);
  await terminal.see(/evidence: (?!3 of 3)/);
  await terminal.press("q");
  await terminal.await("You left");
  await seeEnd(terminal);
});

test("Esc in a question leaves the demo cleanly", lane, async (t) => {
  const terminal = await start(t, "demo --fast");
  await goOn(terminal, "3 of 3 reads started");
  await terminal.await("arrows or a number");
  await terminal.press("Escape");
  await terminal.await("You left");
  await seeEnd(terminal);
});

test("deckhand alone says what a model needs and offers the demo", lane, async (t) => {
  const terminal = await start(t, "");
  await terminal.await("Enter starts the demo");
  assert.match(await terminal.screen(), /export ANTHROPIC_API_KEY=/);
  await terminal.press("Enter");
  await terminal.await("1/6 Reads run side by side");
  await terminal.press("C-d");
  await terminal.await("You left");
  await seeEnd(terminal);
});

test("the offer of the demo can be left", lane, async (t) => {
  const terminal = await start(t, "");
  await terminal.await("Enter starts the demo");
  await terminal.press("q");
  await seeEnd(terminal);
  assert.doesNotMatch(await terminal.screen(), /1\/6|Enter starts/);
});
