import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { createDialogHost, type Dialog, type DialogHost } from "../../../src/cli/repl/input/dialog-host.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { keysOf } from "./press.ts";
import { createInputScreen, type InputScreen } from "./input-screen.ts";

interface Opened {
  readonly host: DialogHost;
  readonly screen: InputScreen;
  readonly clock: ManualClock;
  /** Keys that came before a panel listened, and what the live region was told. */
  readonly told: string[];
  readonly press: (script: string) => void;
  /** Long enough that a panel listens. */
  readonly quiet: () => Promise<void>;
}

function open(): Opened {
  const clock = createManualClock();
  const screen = createInputScreen(40, 20);
  const told: string[] = [];
  const host = createDialogHost({
    clock,
    size: () => ({ columns: 40, rows: 20 }),
    write: (text) => screen.write(text),
    onEarlyKey: (key) => told.push(key.kind === "key" ? key.name : key.text),
    screen: { suspend: () => told.push("suspend"), resume: () => told.push("resume") },
  });
  return {
    host,
    screen,
    clock,
    told,
    press: (script) => keysOf(script).forEach((key) => host.press(key)),
    async quiet() {
      clock.advance(1000);
      await new Promise(setImmediate);
    },
  };
}

/** Its result is the key that was pressed. */
function keyDialog(name: string): Dialog<string> {
  return {
    frame: (_, isListening) => ({ rows: [isListening ? name : `${name} …`], cursor: null }),
    press: (key) => (key.kind === "key" ? key.name : key.text),
    end: (result) => `${name}: ${result}`,
  };
}

const { signal } = new AbortController();

test("what was typed before a panel appeared, or while it is typed on, is never its answer [L8]", async () => {
  const { host, press, quiet, clock, told, screen } = open();
  const answer = host.run(keyDialog("panel"), { kind: "panel", signal });
  press("y");
  clock.advance(300);
  press("es");
  clock.advance(300);
  assert.deepEqual(screen.rows(), ["panel …"]);
  press("!");
  await quiet();
  assert.deepEqual(screen.rows(), ["panel"]);
  press("n");
  assert.equal(await answer, "n");
  assert.deepEqual(told, ["suspend", "y", "e", "s", "!", "resume"]);
  assert.deepEqual(screen.rows(), ["panel: n"]);
  assert.equal(clock.waiting, 0);
});

test("keys that are read only after the pause are not fresh either [L8]", async () => {
  const { host, press, clock, told } = open();
  const answer = host.run(keyDialog("panel"), { kind: "panel", signal });
  clock.advance(1000);
  press("y");
  await new Promise(setImmediate);
  press("y");
  assert.deepEqual(told, ["suspend", "y", "y"]);
  press("<escape>");
  assert.equal(await answer, "escape");
});

test("Esc and Ctrl-C reach a panel at once", async () => {
  const { host, press } = open();
  const first = host.run(keyDialog("first"), { kind: "panel", signal });
  press("<ctrl-c>");
  assert.equal(await first, "ctrl-c");
});

test("panels come one after the other, each with its own pause, and the prompt waits behind them", async () => {
  const { host, press, quiet, screen } = open();
  const prompt = host.run(keyDialog("prompt"), { kind: "prompt", signal });
  assert.deepEqual(screen.rows(), ["prompt"]);
  const first = host.run(keyDialog("first"), { kind: "panel", signal });
  const second = host.run(keyDialog("second"), { kind: "panel", signal });
  await quiet();
  press("ab");
  assert.equal(await first, "a");
  await quiet();
  press("c");
  assert.equal(await second, "c");
  assert.deepEqual(screen.rows(), ["first: a", "second: c", "prompt"]);
  press("d");
  assert.equal(await prompt, "d");
});

test("a signal takes a dialog away, shown or not, and leaves no listener [L2]", async () => {
  const { host, screen, told } = open();
  const controller = new AbortController();
  const first = host.run(keyDialog("first"), { kind: "panel", signal: controller.signal });
  const second = host.run(keyDialog("second"), { kind: "panel", signal: controller.signal });
  controller.abort();
  assert.deepEqual(await Promise.all([first, second]), [null, null]);
  assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
  assert.deepEqual(screen.rows(), []);
  assert.equal(screen.isCursorVisible, true);
  assert.equal(await host.run(keyDialog("late"), { kind: "panel", signal: controller.signal }), null);
  assert.deepEqual(told, ["suspend", "resume"]);
});

test("text that comes meanwhile stands above the dialog", () => {
  const { host, screen } = open();
  void host.run(keyDialog("prompt"), { kind: "prompt", signal });
  host.writeAbove(() => screen.write("news\n"));
  assert.deepEqual(screen.rows(), ["news", "prompt"]);
  host.hide();
  assert.deepEqual(screen.rows(), ["news"]);
  host.redraw();
  assert.deepEqual(screen.rows(), ["news"]);
  host.show();
  assert.deepEqual(screen.rows(), ["news", "prompt"]);
  host.close();
  assert.deepEqual(screen.rows(), ["news"]);
});

test("the live region of others is away while a dialog is shown or the terminal is given away", async () => {
  const { host, press, told } = open();
  host.hide();
  host.show();
  const prompt = host.run(keyDialog("prompt"), { kind: "prompt", signal });
  host.hide();
  press("a");
  await prompt;
  assert.deepEqual(told, ["suspend", "resume", "suspend"]);
  host.show();
  assert.deepEqual(told, ["suspend", "resume", "suspend", "resume"]);
});

test("after Ctrl-Z at the prompt the live region comes back when the prompt is done [L2]", async () => {
  const { host, press, told } = open();
  const prompt = host.run(keyDialog("prompt"), { kind: "prompt", signal });
  host.hide();
  // Once for the stop, once more for a signal that says the same.
  host.hide();
  host.show();
  press("a");
  await prompt;
  assert.deepEqual(told, ["suspend", "resume"]);
});

test("keys are nobody's when nothing is shown", () => {
  const { host } = open();
  assert.equal(host.press({ kind: "text", text: "a" }), false);
});
