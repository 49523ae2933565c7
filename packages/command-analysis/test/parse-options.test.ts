import assert from "node:assert/strict";
import { test } from "node:test";
import { optionTable, parseOptions } from "../src/parse-options.ts";
import type { Word } from "../src/simple-command.ts";

const table = optionTable("r|R|recursive f|force o|output= i|in-place=? v|verbose no-preserve-root");

test("clusters, any order, long names and their unambiguous beginnings mean the same [L8]", () => {
  const forms = ["-rf x", "-fr x", "x -r -f", "-R x --force", "--recursive --force x", "--rec x --forc", "-vrf -- x"];
  const found = forms.map((form) => {
    const options = parseOptions(split(form), table);
    return [options.has("recursive"), options.has("force"), texts(options.operands)];
  });
  assert.deepEqual(
    found,
    forms.map(() => [true, true, ["x"]]),
  );
});

test("values are found attached, separate, after an equals sign and at the end of a cluster [L8]", () => {
  const forms = ["-o out x", "-oout x", "-vo out x", "-voout x", "--output out x", "--output=out x", "--out=out x"];
  const found = forms.map((form) => {
    const options = parseOptions(split(form), table);
    return [options.value("o")?.text, options.value("output")?.text, texts(options.operands)];
  });
  assert.deepEqual(
    found,
    forms.map(() => ["out", "out", ["x"]]),
  );
});

test("an optional value is only an attached one [L8]", () => {
  const separate = parseOptions(split("-i .bak"), table);
  assert.deepEqual([separate.has("i"), separate.value("i"), texts(separate.operands)], [true, undefined, [".bak"]]);
  assert.equal(parseOptions(split("-i.bak"), table).value("in-place")?.text, ".bak");
});

test("after two dashes everything is an operand [L8]", () => {
  const options = parseOptions(split("-v -- -rf --force"), table);
  assert.deepEqual(
    [options.has("r", "f"), texts(options.operands), options.firstOperandIndex],
    [false, ["-rf", "--force"], 2],
  );
});

test("an ambiguous beginning is no option, and unknown ones are kept [L8]", () => {
  const options = parseOptions(split("--x -q a"), optionTable("xa xb"));
  assert.deepEqual(
    [options.has("xa", "xb"), texts(options.unknown), texts(options.operands)],
    [false, ["--x", "-q"], ["a"]],
  );
});

test("a table may stop at the first operand [L8]", () => {
  const options = parseOptions(split("-C dir push -f"), optionTable("C= f", { stopsAtOperand: true }));
  assert.deepEqual(
    [options.value("C")?.text, options.has("f"), texts(options.operands)],
    ["dir", false, ["push", "-f"]],
  );
});

test("a table may have long options with one dash, plus options and numbers [L8]", () => {
  const single = parseOptions(split("-name x -delete"), optionTable("name= delete", { singleDashLong: true }));
  assert.deepEqual([single.value("name")?.text, single.has("delete")], ["x", true]);
  assert.equal(parseOptions(split("+e x"), optionTable("+e", { plus: true })).has("+e"), true);
  assert.equal(parseOptions(split("-9 1"), optionTable("s=", { numbers: true })).has("9"), true);
});

test("the value of a dynamic word stays dynamic, and its option is known [L8]", () => {
  const options = parseOptions([{ text: "--output=$X", prefix: "--output=", kind: "dynamic" }], table);
  assert.deepEqual(options.value("output"), { text: "$X", prefix: "", kind: "dynamic" });
  assert.equal(options.isUncertain, false);
});

test("only a word that may become options makes it uncertain [L8]", () => {
  const dynamic = (text: string, more: Partial<Word> = {}): Word => ({ text, kind: "dynamic", prefix: "", ...more });
  const uncertain = [
    dynamic("$X", { isSplit: true }),
    dynamic("-$X", { prefix: "-" }),
    { text: "*", kind: "glob", prefix: "*" } as const,
  ];
  const certain = [
    dynamic("$X"),
    dynamic("a$X", { prefix: "a" }),
    { text: "./*", kind: "glob", prefix: "./*" } as const,
  ];
  assert.deepEqual(
    uncertain.map((word) => parseOptions([word], table).isUncertain),
    [true, true, true],
  );
  assert.deepEqual(
    certain.map((word) => parseOptions([word], table).isUncertain),
    [false, false, false],
  );
});

function split(text: string): Word[] {
  return text.split(" ").map((part) => ({ text: part, kind: "literal", prefix: part }));
}

function texts(words: readonly Word[]): string[] {
  return words.map(({ text }) => text);
}
