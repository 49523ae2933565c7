import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { quoteWord, splitWords } from "../../src/permissions/rules/pattern-words.ts";
import { matchPath, matchText } from "../../src/permissions/rules/match-glob.ts";
import { parseRule } from "../../src/permissions/rules/permission-rule.ts";

const canonicalName = (name: string): string | undefined =>
  ({ shell: "bash", bash: "bash", write_file: "write", read: "read" })[name.toLowerCase()];

test("a rule names a tool by any of its names, and may say which calls [P9 G8]", () => {
  const parse = (text: string) => parseRule(text, canonicalName);
  assert.deepEqual(parse("Shell"), { text: "Shell", tool: "bash", spec: null });
  assert.deepEqual(parse("bash(*)"), { text: "bash(*)", tool: "bash", spec: null });
  assert.deepEqual(parse("*"), { text: "*", tool: "*", spec: null });
  assert.deepEqual(parse("mcp_github_*"), { text: "mcp_github_*", tool: "mcp_github_*", spec: null });
  assert.deepEqual(parse("bash(npm run *)").spec, {
    kind: "command",
    words: [
      { text: "npm", isExact: false },
      { text: "run", isExact: false },
    ],
    takesMore: true,
  });
  assert.deepEqual(parse("bash(npm run:*)").spec, parse("bash(npm run *)").spec);
  assert.deepEqual(parse("bash(ls '*')").spec, {
    kind: "command",
    words: [
      { text: "ls", isExact: false },
      { text: "*", isExact: true },
    ],
    takesMore: false,
  });
  assert.deepEqual(parse("write_file(src/**)").spec, { kind: "path", pattern: "src/**" });
  assert.deepEqual(parse("web_fetch(domain:*.Example.com)").spec, { kind: "domain", domain: "example.com" });
});

test("a rule that can't be used is one sentence that says why [G8]", () => {
  const table: [text: string, message: RegExp][] = [
    ["", /a tool's name comes first/],
    ["rm -rf", /a tool's name comes first/],
    ["bash(npm", /does not end in "\)"/],
    ["bash()", /the parentheses are empty; write bash/],
    ["bash(echo 'a)", /a quote is not closed/],
    ["my_tool(x)", /my_tool takes no pattern/],
    ["bash(ls && pwd)", /"&&" joins commands, and a rule speaks of one/],
    ["bash(cat * | sh)", /"\|" joins commands/],
    ["write_file(../x)", /paths are relative to the workdir/],
    ["write_file(/etc/**)", /paths are relative to the workdir/],
    ["web_fetch(domain:a b)", /"a b" is not a host name/],
  ];
  for (const [text, message] of table) {
    assert.throws(() => parseRule(text, canonicalName), { code: "CONFIG_INVALID", message }, text);
  }
});

test("paths fit their patterns name by name [G8]", () => {
  const fits: [pattern: string, path: string][] = [
    ["src/**", "src/a.ts"],
    ["src/**", "src/a/b/c.ts"],
    ["src/", "src/a"],
    ["**/*.ts", "a.ts"],
    ["**/*.ts", "a/b/c.ts"],
    ["a/*/c", "a/b/c"],
    ["./a", "a"],
    ["a?c", "abc"],
    ["**", "x/y"],
  ];
  const misses: [pattern: string, path: string][] = [
    ["src/*", "src/a/b"],
    ["src/**", "srcx/a"],
    ["*.ts", "a/b.ts"],
    ["a?c", "a/c"],
    ["a", "a/b"],
    ["src/**", "../src/a"],
  ];
  for (const [pattern, path] of fits) assert.ok(matchPath(pattern, path), `${pattern} fits ${path}`);
  for (const [pattern, path] of misses) assert.ok(!matchPath(pattern, path), `${pattern} does not fit ${path}`);
});

test("a star in a word is any text, found as a plain search would", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 8 });
  const text = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 12 });
  fc.assert(
    fc.property(letters, text, (pattern, given) => {
      const expected = new RegExp(`^${pattern.replaceAll(/\*+/g, ".*")}$`).test(given);
      assert.equal(matchText(pattern, given), expected);
    }),
  );
});

test("a quoted word is read back as exactly itself [G8]", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 4 }), (words) => {
      const read = splitWords(words.map(quoteWord).join(" "));
      assert.deepEqual(
        read?.map(({ text }) => text),
        words,
      );
      for (const word of read ?? []) assert.ok(word.isExact || !word.text.includes("*"));
    }),
  );
});
