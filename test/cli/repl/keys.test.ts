import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createKeyReader, type Key } from "../../../src/cli/repl/input/keys.ts";
import { count } from "../../support/counts.ts";
import { createManualClock } from "../../support/manual-clock.ts";

/** The keys of some chunks; time passes only when `afterMs` says so. */
function read(chunks: readonly (string | Uint8Array)[], afterMs = 0): Key[] {
  const clock = createManualClock();
  const keys: Key[] = [];
  const reader = createKeyReader(clock, (key) => keys.push(key));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  clock.advance(afterMs);
  return keys;
}

const named = (...names: string[]): Key[] => names.map((name) => ({ kind: "key", name }));

test("keys are read from the bytes of a terminal in raw mode [L2]", () => {
  assert.deepEqual(read(["\r\t\u007f\u0003\u0004\u001f\n\u0000\u0008"]), [
    ...named("enter", "tab", "backspace", "ctrl-c", "ctrl-d", "ctrl-_", "ctrl-j", "ctrl-space", "ctrl-h"),
  ]);
  assert.deepEqual(
    read(["\u001b[A\u001bOB\u001b[1;5C\u001b[1;3D\u001b[H\u001b[4~\u001b[3~\u001b[Z"]),
    named("up", "down", "ctrl-right", "alt-left", "home", "end", "delete", "shift-tab"),
  );
  assert.deepEqual(
    read(["\u001bb\u001b\r\u001b\u007f\u001b\u001b[C\u001b\u0012"]),
    named("alt-b", "alt-enter", "alt-backspace", "alt-right", "ctrl-alt-r"),
  );
});

test("keys of the newer protocols are the same keys", () => {
  assert.deepEqual(
    read(["\u001b[13;2u\u001b[99;5u\u001b[27;2;13~\u001b[27u"]),
    named("shift-enter", "ctrl-c", "shift-enter", "escape"),
  );
  assert.deepEqual(read(["\u001b[97u\u001b[97;2u"]), [
    { kind: "text", text: "a" },
    { kind: "text", text: "A" },
  ]);
});

test("a character that comes in two chunks is one character", () => {
  const bytes = Buffer.from("한👍");
  for (let at = 1; at < bytes.length; at += 1) {
    const keys = read([bytes.subarray(0, at), bytes.subarray(at)]);
    assert.equal(keys.map((key) => (key.kind === "text" ? key.text : "?")).join(""), "한👍");
  }
});

test("a lone ESC is a key after a moment, and the start of a sequence before", () => {
  assert.deepEqual(read(["\u001b"]), []);
  assert.deepEqual(read(["\u001b"], 60), named("escape"));
  assert.deepEqual(read(["\u001b", "[", "A"], 60), named("up"));
  assert.deepEqual(read(["\u001b\u001b"], 60), named("escape", "escape"));
});

test("a paste is one key, whatever is in it and however it is cut", () => {
  const whole = "\u001b[200~one\r\ntwo\rthree\u001b[31m\u0003\t!\u001b[201~x";
  const expected: Key[] = [
    { kind: "paste", text: "one\ntwo\nthree[31m\t!" },
    { kind: "text", text: "x" },
  ];
  for (let at = 1; at < whole.length; at += 1) assert.deepEqual(read([whole.slice(0, at), whole.slice(at)]), expected);
  assert.deepEqual(read(whole.split("")), expected);
});

test("a paste whose end got lost ends by itself, so that Ctrl-C works again", () => {
  const clock = createManualClock();
  const keys: Key[] = [];
  const reader = createKeyReader(clock, (key) => keys.push(key));
  reader.push(Buffer.from("\u001b[200~lost"));
  clock.advance(5000);
  reader.push(Buffer.from("\u0003"));
  assert.deepEqual(keys, [{ kind: "paste", text: "lost" }, ...named("ctrl-c")]);
});

test("what is not known is swallowed, never text", () => {
  const unknown = [
    "\u001b[99z",
    "\u001b[[A",
    "\u001b[M !!",
    "\u001b]11;rgb:0000/0000/0000\u0007",
    "\u001bP1$r0m\u001b\\",
    "\u001b[I",
    "\u001b[<0;1;2M",
    "\u009b",
    "\u001bOz",
    "\u001b[201~",
  ];
  assert.deepEqual(read([...unknown, "a"], 2000), [{ kind: "text", text: "a" }]);
  assert.deepEqual(read(["\u001b[12;\u0003"]), named("ctrl-c"));
  assert.deepEqual(read(["\u001b]0;title\u0003"]), named("ctrl-c"));
});

test("no bytes give text with control characters, and none are ever stuck", () => {
  const bytes = fc.array(fc.constantFrom(..."\u001b[O]~;0129AaMuZ\r\n\u0003\u007f\u0007 é한".split("")), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(bytes, fc.nat(30), (characters, at) => {
      const text = characters.join("");
      const clock = createManualClock();
      const keys: Key[] = [];
      const reader = createKeyReader(clock, (key) => keys.push(key));
      reader.push(Buffer.from(text.slice(0, at)));
      reader.push(Buffer.from(text.slice(at)));
      clock.advance(10_000);
      reader.push(Buffer.from("\u0003"));
      assert.deepEqual(keys.at(-1), { kind: "key", name: "ctrl-c" });
      for (const key of keys) if (key.kind !== "key") assert.doesNotMatch(key.text, /[^\P{Control}\n\t]/u);
      assert.equal(clock.waiting, 0);
    }),
    { numRuns: count({ quick: 300, full: 20_000 }) },
  );
});
