import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import test from "node:test";
import { openTerminal, type Terminal } from "../../src/cli/terminal/terminal.ts";

// oxlint-disable-next-line no-control-regex -- how it looks is not what is tested
const dim = /\u001b\[22?m/g;

/** Both streams of a program end on one screen, or only one of them does. */
function openScreen(isTerminal: { readonly stdout: boolean; readonly stderr: boolean }): {
  readonly terminal: Terminal;
  readonly written: () => string;
} {
  let written = "";
  const open = (isTTY: boolean): PassThrough => {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 80 });
    stream.on("data", (chunk: Buffer) => (written += chunk.toString().replaceAll(dim, "")));
    return stream;
  };
  const program = { stdout: open(isTerminal.stdout), stderr: open(isTerminal.stderr), env: {} };
  return { terminal: openTerminal(program as unknown as NodeJS.Process), written: () => written };
}

test("a result that ends within a line is not erased with the status [E9]", () => {
  const { terminal, written } = openScreen({ stdout: true, stderr: true });
  terminal.status("at work");
  terminal.print("one\ntw");
  terminal.status("still at work");
  terminal.print("o");
  terminal.status(null);
  terminal.tell("It is done.");
  assert.equal(written(), "at work\r\u001b[Kone\ntwo\nIt is done.\n");
});

test("the status comes back with the end of the line [E9]", () => {
  const { terminal, written } = openScreen({ stdout: true, stderr: true });
  terminal.status("at work");
  terminal.print("tw");
  terminal.print("o\n");
  terminal.tell("Halfway.");
  terminal.status(null);
  assert.equal(written(), "at work\r\u001b[Ktwo\nat work\r\u001b[KHalfway.\nat work\r\u001b[K");
});

test("where the result goes elsewhere the status stays as it is, and nothing is added to the commentary [E9]", () => {
  const { terminal, written } = openScreen({ stdout: false, stderr: true });
  terminal.status("at work");
  terminal.print("two");
  terminal.tell("It is done.");
  assert.equal(written(), "at work\r\u001b[Ktwoat work\r\u001b[KIt is done.\nat work");
});
