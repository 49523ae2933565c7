import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { promisify } from "node:util";
import { openTmux, tmuxLane, type Tmux } from "../../support/tmux.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "..", "..", "fixtures", "cli", "repl-output.ts");
const cache = join(program, "..", "..", "..", "..", "node_modules", ".cache", "deckhand-test");
const lane = tmuxLane();

async function start(t: TestContext, size: { columns?: number; rows?: number } = {}): Promise<Tmux> {
  const tmux = await openTmux(t, { ...size, env: { NODE_COMPILE_CACHE: cache } });
  // The screen is full from the start, as it mostly is: one with free rows below is moved as a whole by tmux when it gets
  // narrower. What is typed must not be seen: it would stand where the text goes on.
  await tmux.type(`seq 40; stty -echo; '${process.execPath}' '${program}' live; stty echo`);
  await tmux.press("Enter");
  return tmux;
}

async function send(tmux: Tmux, line: string): Promise<void> {
  await tmux.type(line);
  await tmux.press("Enter");
}

test(
  "in a terminal the rows that change stay below the text, also after a resize, and are gone at the end [L2]",
  lane,
  async (t) => {
    const tmux = await start(t, { columns: 60, rows: 16 });
    await send(tmux, "thinking");
    await tmux.see(/^. thinking… [1-9]\d* s · to see the tests pass\.\nscript\/demo · ask/m);
    await send(tmux, "reading");
    await tmux.see(
      /^I look at both files first\.\n. read src\/a\.ts.*\n. bash npm test.*\n {2}running 3 tests\nscript\/demo · /m,
    );
    await tmux.resize({ columns: 24, rows: 16 });
    await tmux.see(
      /^I look at both files fir\nst\.\n. read src\/a\.ts.*\n. bash npm test.*\n {2}running 3 tests\n\S.*\S$/m,
    );
    await tmux.resize({ columns: 60, rows: 16 });
    await tmux.see(/^I look at both files first\.\n. read src\/a\.ts.*\n.+\n.+\nscript\/demo · 12\.3k/m);
    await send(tmux, "settling");
    await send(tmux, "editing");
    await send(tmux, "end");
    await tmux.see(/ready>$/);
    const shown = await tmux.scrollback();
    assert.match(
      shown,
      /^✓ read src\/a\.ts · 120 lines · 12 ms · early\n✗ bash npm test · exit 1 · 3\.2 s\n {2}1 failed\n/m,
    );
    assert.match(
      shown,
      /^Done: src\/a\.ts is fixed\.\n\nevidence: .+\n2 turns · 3 calls, 1 failed · .+\n.+ · 14 s\nready>$/m,
    );
    assert.doesNotMatch(shown, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|script\/demo/);
    assert.equal((await tmux.cursor()).isVisible, true);
  },
);

test("a program that throws leaves nothing of the changing rows behind [L2]", lane, async (t) => {
  const tmux = await start(t);
  await send(tmux, "thinking");
  await send(tmux, "reading");
  await tmux.see(/running 3 tests\nscript\/demo/);
  await send(tmux, "crash");
  await tmux.see(/crashed on purpose[\s\S]*ready>$/);
  const shown = await tmux.scrollback();
  assert.match(shown, /^I look at both files first\.\n/m);
  assert.doesNotMatch(shown, /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]|script\/demo|running 3 tests/);
});

test("for one task stdout gets the answer as the model wrote it, stderr everything else [L2]", async () => {
  const { stdout, stderr } = await run(process.execPath, [program, "plain"], { env: { NODE_COMPILE_CACHE: cache } });
  assert.equal(stdout, "Done: `src/a.ts` is **fixed**.\n");
  assert.equal(stderr.includes("\u001b"), false);
  assert.match(
    stderr,
    /^I look at both files first\.\n\n✓ read src\/a\.ts · 120 lines · 12 ms · early\n✗ bash npm test/m,
  );
  assert.doesNotMatch(stderr, /Done: /);
});

test("quiet means the answer alone, or why there is none [L2]", async () => {
  const env = { NODE_COMPILE_CACHE: cache };
  const answered = await run(process.execPath, [program, "quiet"], { env });
  assert.deepEqual(answered, { stdout: "Done: `src/a.ts` is **fixed**.\n", stderr: "" });
  const failed = await run(process.execPath, [program, "quiet", "No key.\u001b[2J"], { env });
  assert.deepEqual(failed, { stdout: "", stderr: "deckhand: No key.␛[2J\n" });
});
