import assert from "node:assert/strict";
import test from "node:test";
import { readFrontMatter, splitOutside } from "../../../src/agent/skills/front-matter.ts";

function fieldsOf(head: string): unknown {
  const read = readFrontMatter(`---\n${head}\n---\nbody`);
  return read.ok ? Object.fromEntries(read.fields) : read.problem;
}

test("texts, quoted texts and lists in all their forms are read [L12]", () => {
  assert.deepEqual(fieldsOf("name: review\ndescription: Reviews: a change # really"), {
    name: "review",
    description: "Reviews: a change",
  });
  assert.deepEqual(fieldsOf(`a: "x: \\"y\\" # z"\nb: 'it''s' # c`), { a: 'x: "y" # z', b: "it's" });
  assert.deepEqual(fieldsOf("tools: [read, 'grep', \"bash(git add, git rm)\"]"), {
    tools: ["read", "grep", "bash(git add, git rm)"],
  });
  assert.deepEqual(fieldsOf("tools:\n  - read\n  - 'grep'\nother: 1"), { tools: ["read", "grep"], other: "1" });
  assert.deepEqual(fieldsOf("tools:\n- read\n- grep\n"), { tools: ["read", "grep"] });
  assert.deepEqual(fieldsOf("description: >\n  one\n  two\nname: x"), { description: "one two", name: "x" });
  assert.deepEqual(fieldsOf("description: one\n  two\nname: x"), { description: "one two", name: "x" });
  assert.deepEqual(fieldsOf("# comment\n\nmetadata:\n  version: 2\nname: x"), { metadata: [], name: "x" });
  assert.deepEqual(readFrontMatter("\uFEFF---\r\nname: x\r\n---\r\n\r\nbody\r\n"), {
    ok: true,
    fields: new Map([["name", "x"]]),
    body: "body",
  });
});

test("a head that can't be read is told with its line [L12]", () => {
  assert.deepEqual(readFrontMatter("# Title"), { ok: false, problem: "it does not begin with a line ---" });
  assert.deepEqual(readFrontMatter("---\nname: x"), { ok: false, problem: "its head has no closing line ---" });
  assert.equal(fieldsOf("name: x\nnonsense"), 'line 3 is not "key: value": nonsense');
  assert.equal(fieldsOf('name: "x'), "line 2 has a quote or bracket that is not closed");
  assert.equal(fieldsOf("tools: [a, b"), "line 2 has a quote or bracket that is not closed");
});

test("a list in one line is split outside of parentheses and quotes", () => {
  assert.deepEqual(splitOutside("read, bash(git add *, git rm) Grep", ", "), [
    "read",
    "bash(git add *, git rm)",
    "Grep",
  ]);
});
