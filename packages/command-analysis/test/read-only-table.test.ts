import assert from "node:assert/strict";
import { test } from "node:test";
import { isReadOnlyProgram } from "../src/read-only/read-only.ts";
import { gitUsages } from "../src/read-only/read-only-git-table.ts";
import type { Usage } from "../src/read-only/read-only-options.ts";
import { harmless, usages, versions } from "../src/read-only/read-only-table.ts";

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
const longNames = (
  "output outpu o exec exec-path pre open-files-in-pager upload-pack receive-pack ext-diff textconv filters file fil files0-from " +
  "files0 compress-program temporary-directory in-place in-plac follow dereference dereference-recursive set delete command " +
  "config-env git-dir work-tree show-signature plugin check from-file rawfile slurpfile load include edit add unset no-index x"
).split(" ");

test("a program outside the tables is never read-only, whatever its name is", () => {
  const names = [
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "",
    " ",
    "LS",
    "ls ",
    "rm",
    "sh",
    "xargs",
    "tee",
    "go",
  ];
  const random = letters.flatMap((first) => letters.map((second) => `qz${first}${second}`));
  assert.deepEqual(
    [...names, ...random].filter((name) => isReadOnly(name, []) || isReadOnly(name, ["--version"])),
    [],
  );
});

test("a program is taken for what it is called only by its bare name or in a folder of the system", () => {
  for (const path of ["./ls", "bin/ls", "/tmp/ls", "../ls", "~/ls", "/bin/../tmp/ls"])
    assert.equal(isReadOnly("ls", [], path), false);
  for (const path of ["ls", "/bin/ls", "/usr/bin/ls", "/usr/local/bin/ls"])
    assert.equal(isReadOnly("ls", [], path), true);
});

test("each option outside its list makes a program not read-only, alone and behind one of its list", () => {
  const wrong: string[] = [];
  for (const [name, table] of usages)
    wrong.push(...tryOptions(table, (words) => isReadOnly(name, words)).map((text) => `${name} ${text}`));
  for (const [name, table] of gitUsages)
    wrong.push(
      ...tryOptions(table, (words) => isReadOnly("git", [name, ...words])).map((text) => `git ${name} ${text}`),
    );
  assert.deepEqual(wrong, []);
});

test("only the words that ask for the version do so", () => {
  const wrong = [...versions].flatMap(([name, asked]) =>
    ["--version", "-V", "-v", "-version", "-c", "x", "--versio"]
      .filter(
        (text) =>
          !asked.has(text) && !harmless.has(name) && !["sed", "awk", "gawk"].includes(name) && isReadOnly(name, [text]),
      )
      .map((text) => `${name} ${text}`),
  );
  assert.deepEqual(wrong, []);
});

/** Those that were let through although the table does not have them. */
function tryOptions(table: Usage, isProved: (words: readonly string[]) => boolean): string[] {
  const flag = [...table.options].find(([name, { takes }]) => takes === "nothing" && name.length === 1)?.[0];
  const shorts = letters.filter((letter) => !table.options.has(letter));
  const longs = longNames.filter((name) => !table.options.has(name) || name.length === 1);
  const wrong = [
    ...shorts.map((letter) => [`-${letter}`]),
    ...shorts.map((letter) => [`-${letter}x`]),
    ...(flag === undefined || table.singleDash ? [] : shorts.map((letter) => [`-${flag}${letter}`])),
    ...longs.flatMap((name) => [[`--${name}`], [`--${name}=x`], [`--${name}`, "x"]]),
  ];
  return wrong.filter((words) => isProved(words)).map((words) => words.join(" "));
}

function isReadOnly(name: string, words: readonly string[], path = name): boolean {
  return isReadOnlyProgram({
    name,
    words: [path, ...words].map((text) => ({ text, kind: "literal", prefix: text })),
    assignments: [],
    redirects: [],
    input: { kind: "none" },
    source: "",
    via: [],
    substitutions: [],
  });
}
