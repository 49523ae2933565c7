import assert from "node:assert/strict";
import { test } from "node:test";
import { openScreen, type RenderLive, type Screen } from "../../../src/cli/output/screen.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { createScreenModel, type ScreenModel } from "./output-screen-model.ts";

function open(columns = 30, rows = 10): { model: ScreenModel; clock: ManualClock; screen: Screen } {
  const model = createScreenModel(columns, rows);
  const clock = createManualClock();
  return { model, clock, screen: openScreen({ stream: model, clock, termName: "xterm" }) };
}

const rowsOf =
  (...rows: string[]): RenderLive =>
  () =>
    rows;

test("text grows above the rows that change, and the cursor rests at its end [L2]", () => {
  const { model, clock, screen } = open();
  screen.setLive(rowsOf("row one", "row two"));
  assert.deepEqual(model.lines(), ["row one", "row two"]);
  clock.advance(100);
  screen.write("Hello");
  assert.deepEqual(model.lines(), ["Hello", "row one", "row two"]);
  assert.deepEqual(model.cursor, { row: 0, column: 5 });
  clock.advance(100);
  screen.write(" world\nsecond\nthird");
  assert.deepEqual(model.lines(), ["Hello world", "second", "third", "row one", "row two"]);
  assert.deepEqual(model.cursor, { row: 2, column: 5 });
  clock.advance(100);
  screen.setLive(rowsOf("only"));
  clock.advance(100);
  assert.deepEqual(model.lines(), ["Hello world", "second", "third", "only"]);
  screen.close();
  assert.deepEqual(model.lines(), ["Hello world", "second", "third"]);
  assert.equal(model.listeners, 0);
  assert.equal(clock.waiting, 0);
});

test("a screen full of text scrolls, and nothing of the rows stays in it [L2]", () => {
  const { model, clock, screen } = open(30, 6);
  screen.setLive(rowsOf("live a", "live b"));
  const expected: string[] = [];
  for (let index = 0; index < 40; index++) {
    clock.advance(60);
    screen.write(`line ${index}${index % 3 === 0 ? "\n" : " and more\n"}`);
    expected.push(`line ${index}${index % 3 === 0 ? "" : " and more"}`);
    clock.advance(60);
    assert.deepEqual(model.lines(), [...expected, "live a", "live b"]);
  }
  screen.close();
  assert.deepEqual(model.lines(), expected);
});

test("it is drawn at most 20 times a second, and not at all when nothing changed [L2]", () => {
  const { model, clock, screen } = open();
  screen.setLive(rowsOf("row"));
  for (let index = 0; index < 200; index++) {
    clock.advance(5);
    screen.write("x ");
    if (index % 10 === 9) screen.write("\n");
  }
  clock.advance(50);
  assert.ok(model.writes.length <= 22, `${model.writes.length} writes in a second`);
  assert.equal(model.lines().filter((line) => line.startsWith("x x")).length, 20);
  const before = model.writes.length;
  clock.advance(5000);
  assert.equal(model.writes.length, before);
  screen.close();
});

test("a row that changes is written over, never erased first [L2]", () => {
  const { model, clock, screen } = open();
  screen.write("text\npart");
  screen.setLive(({ now }) => ["one", `two ${Math.floor(now / 100)}`, "three"]);
  clock.advance(3000);
  assert.deepEqual(model.lines(), ["text", "part", "one", "two 29", "three"]);
  assert.equal(model.flickers, 0);
  const last = model.writes.at(-1) ?? "";
  assert.ok(!last.includes("one") && !last.includes("three"), JSON.stringify(last));
  screen.close();
});

test("a tab leaves nothing of the rows that were there before [L2]", () => {
  const { model, clock, screen } = open(60);
  screen.write("a");
  screen.setLive(rowsOf("read some/file/that/has/a/long/name.txt"));
  clock.advance(100);
  screen.write("\tb\n");
  screen.setLive(null);
  screen.write("1\tone\n\u001b[31mtwelve\u001b[39m\t\ttwo\n12345678\t日本\tx\n");
  clock.advance(100);
  assert.deepEqual(model.lines(), ["a       b", "1       one", "twelve          two", "12345678        日本    x"]);
  screen.close();
});

test("while somebody else draws, the rows are gone and text waits [L2]", () => {
  const { model, clock, screen } = open();
  screen.setLive(rowsOf("row"));
  clock.advance(100);
  screen.write("begun");
  screen.suspend();
  assert.deepEqual(model.lines(), ["begun"]);
  assert.deepEqual(model.cursor, { row: 1, column: 0 });
  screen.suspend();
  screen.write("later\n");
  clock.advance(1000);
  assert.deepEqual(model.lines(), ["begun"]);
  screen.resume();
  clock.advance(1000);
  assert.deepEqual(model.lines(), ["begun"]);
  screen.resume();
  assert.deepEqual(model.lines(), ["begun", "later", "row"]);
  screen.close();
  assert.deepEqual(model.lines(), ["begun", "later"]);
});

test("after a resize the rows stand below the text again, once [L2]", () => {
  const { model, clock, screen } = open(40, 12);
  screen.write("a line of text that is quite long\nand the begin");
  screen.setLive(({ columns }) => ["-".repeat(columns), "status"]);
  clock.advance(100);
  model.resize(20, 12);
  clock.advance(200);
  assert.deepEqual(model.lines(), ["a line of text that", "is quite long", "and the begin", "-".repeat(19), "status"]);
  screen.write("ning");
  clock.advance(100);
  model.resize(60, 12);
  clock.advance(200);
  assert.deepEqual(model.lines(), ["a line of text that is quite long", "and the beginning", "-".repeat(59), "status"]);
  screen.close();
  assert.deepEqual(model.lines(), ["a line of text that is quite long", "and the beginning"]);
});

test("rows that are gone after a resize leave nothing behind [L2]", () => {
  const { model, clock, screen } = open(40, 12);
  screen.write("text\n");
  screen.setLive(({ columns }) => (columns < 30 ? [] : ["-".repeat(columns)]));
  clock.advance(100);
  assert.deepEqual(model.lines(), ["text", "-".repeat(39)]);
  model.resize(20, 12);
  assert.deepEqual(model.lines(), ["text"]);
  screen.close();
});

test("rows never take more than the terminal has [L2]", () => {
  const { model, clock, screen } = open(30, 5);
  screen.setLive(({ rows }) => Array.from({ length: rows + 5 }, (_, index) => `row ${index}`));
  clock.advance(100);
  screen.write("text");
  clock.advance(100);
  assert.deepEqual(model.lines(), ["text", "row 0", "row 1", "row 2"]);
  screen.close();
  assert.deepEqual(model.lines(), ["text"]);
});

test("without a terminal, and on a dumb one, text comes once and nothing else does [L2]", () => {
  for (const [isTTY, termName] of [
    [false, "xterm"],
    [true, "dumb"],
  ] as const) {
    const written: string[] = [];
    const stream = { isTTY, write: (text: string) => written.push(text), on() {}, off() {} };
    const clock = createManualClock();
    const screen = openScreen({ stream, clock, termName });
    screen.setLive(rowsOf("row"));
    screen.write("one\ntwo");
    screen.bell();
    screen.suspend();
    screen.resume();
    screen.freshLine();
    screen.close();
    assert.equal(written.join(""), "one\ntwo\n");
    assert.equal(clock.waiting, 0);
  }
});
