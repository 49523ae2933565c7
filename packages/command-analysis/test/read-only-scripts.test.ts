import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";
import { isReadOnlyAwk } from "../src/read-only/read-only-awk.ts";
import { isReadOnlySed } from "../src/read-only/read-only-sed.ts";
import { count } from "../../../test/support/counts.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";

const looking = [
  "awk '{print $1}' a",
  "awk -F: '{ print $1 / $2 }' a",
  "awk '$3 > 5 { print; n++ } END { print n }' a",
  "awk 'NR>1 && NR<10' a",
  "awk '{ if ($2 > 3) print $1 }' a",
  "awk '/foo/ {print (a > b) ? 1 : 2}' a",
  "awk -v n=3 '{s+=$n} END {printf \"%d\\n\", s/NR}' a",
  "awk '!seen[$0]++' a",
  "awk '{gsub(/[;{}]/, \"\"); print}' a",
  "sed -n '1,5p' a",
  "sed -n 10,20p src/a.ts",
  "sed 's/a/b/g;s/c/d/' a",
  "sed -e 's/a/b/' -e '/x/d' a",
  "sed '/^$/d' a",
  "sed ':a;N;$!ba;s/\\n/ /g' a",
  "sed -E 's/[^/]+$//' a",
  "sed -n '/start/,/end/{p;=}' a",
  "sed '$!d' a",
  "sed '1i hello' a",
  "sed 's|/x|/y|' a",
  "sed 's/[/]/x/' a",
  "sed '/[/]/d' a",
  'sed "s/\'//g" a',
  "sed -n '$=' a",
  "sed '2q' a",
  "sed -n 's/^version = \"\\(.*\\)\"/\\1/p' a",
  "awk 'length > 80' a",
  "awk 'BEGIN { x = 10 / 2; print x }'",
  "awk '{ print (NR / 2) }' a",
  "awk -F'\\t' '$1 ~ /a\\/b/ { print $2 }' a",
];

const changing = [
  'awk \'BEGIN{print ";" > "out2"}\'',
  'awk \'BEGIN{print "}" > "out3"}\'',
  'awk \'BEGIN{printf("a}") > "out4"}\'',
  "awk '{print /;/ > \"x\"}' a",
  "awk '{print (1)(2) > \"x\"}' a",
  "awk '{print $1, $2 > \"x\"}' a",
  'awk \'BEGIN{if(1)/"/;print "x" > "y/"}\'',
  "awk 'BEGIN{ARGV[1]=\"/etc/shadow\";ARGC=2}{print}'",
  'awk \'BEGIN{f="system";@f("id")}\'',
  "awk '@include \"x\"' a",
  "awk '{print}' a -f x",
  "awk '{getline x < \"/etc/passwd\"; print x}' a",
  "awk '{print >> \"x\"}' a",
  "awk '{\"date\" | getline}' a",
  "awk -i inplace '{print}' a",
  "awk -f x a",
  "awk --file=x a",
  "awk -vx=1 -fx a",
  "sed 'r /etc/shadow' a",
  "sed R/etc/shadow a",
  "sed -n '1w x' a",
  "sed 's/a/b/w x' a",
  "sed 's/a/b/e' a",
  "sed 's/a/b/ge' a",
  "sed '1e id' a",
  "sed e a",
  "sed -ni p a",
  "sed --in-place p a",
  "sed -s -i p a",
  "sed -n -f x a",
  "sed 's/[/]/x/w y/' a",
  "sed 'a foo\\\nw x' a",
  "sed '/a/{p;w x\n}' a",
  "sed -l 'w x' p",
  "sed 's/[\\]/]/w x/' a",
  "sed 's/[a/w x/' a",
  "sed 'y/[/]/w x\n' a",
  "sed 's/[/]/x/w y' a",
  "sed '/[/]/w x' a",
  "sed '\\]a]w x' a",
  "awk '{print a[1] > \"x\"}' a",
  "awk '{printf \"%s\" , $1 > $2}' a",
  "awk 'BEGIN { while ((\"ls\" | getline l) > 0) print l }'",
  "awk '#\\\nBEGIN{print > \"x\"}' a",
  'awk \'{ print "a" # } ;\n > "f" }\' a',
  'awk \'BEGIN{print "x" \\\n> "out1"}\'',
];

test("sed and awk that only print are proved to be read-only", () => {
  assert.deepEqual(
    looking.filter((command) => !analyseCommand(command).isReadOnly),
    [],
  );
});

test("a script of sed or awk that reaches another file or a program is never called read-only", () => {
  assert.deepEqual(
    changing.filter((command) => analyseCommand(command).isReadOnly),
    [],
  );
});

/** Pieces that hide a redirection from a reader who splits at the wrong place, and some that only look like one. */
const awkPieces = {
  before: ["", "x=1/2;", 'y="}";', '/"/;', "#}\n", "x=(1)/2;", 'y="\\"";', "if(1)", "/[}]/;", "x=a[1]/2;", "length/2;"],
  printed: [
    "1",
    '"a}"',
    '";"',
    '"\\""',
    "(1)",
    "(1)(2)",
    "$0",
    "/a/",
    "1,2",
    "a[1]",
    "(1>2)",
    "x",
    '"/"',
    '"#"',
    "/;/",
  ],
  between: ["", " ", "\\\n", " # ", "\n", ";", ",", '"', "/", " ) ", "/*", '"}" '],
  written: [
    '> "made"',
    '>> "made"',
    '| "cat > made"',
    '(1 > "made")',
    '"> made"',
    "/> made/",
    '> ("ma" "de")',
    '; x > "made"',
  ],
  after: ["", ";x=1/2", ' # "', ' "/"', "}{", "\n"],
};
const sedPieces = [
  "p",
  "=",
  "s/a/b/",
  "s/[/]/b/",
  "s/[]/]/b/",
  "s/[^]/]/b/",
  "s|a|b\\|c|",
  "s/a/b\\\nc/",
  "s/[\\/]/x/",
  "s/[\\]/x/",
  "y/a[/b]/",
  "a text",
  "a\\\ntext",
  "a\\",
  "i one\\",
  "{p;p}",
  "{",
  "}",
  "b",
  ":x",
  "#c",
  "1",
  "/[/]/",
  "\\|a|",
  "/a\\/w/",
  "!",
  "w made",
  "W made",
  "s/a/b/w made",
  "e touch made",
  "s/.*/touch made/e",
  "s/a/w made/",
  "#w made",
  "aw made",
  "s/[[:alpha:]/]/x/",
  ",",
  "$",
];
const sedGlue = [";", "\n", "}", " ", "", "\\\n", "g", "/"];

test("whatever is made of such pieces and called read-only leaves a real folder as it was", async (t) => {
  const folder = await temporaryFolder(t);
  await writeFile(join(folder, "a"), "a/b\n[x]\n");
  const random = createRandom(20_260_111);
  const pick = (pieces: readonly string[]): string => pieces[random(pieces.length)] ?? "";
  const runs = count({ quick: 200, full: 4000 });
  const seen = new Set<string>();
  for (let tried = 0; seen.size < runs && tried < runs * 1000; tried++) {
    const isAwk = tried % 2 === 0;
    const { before, printed, between, written, after } = awkPieces;
    const text = isAwk
      ? `BEGIN{${pick(before)}${pick(["print ", "printf "])}${[printed, between, written, after].map(pick).join("")}}`
      : Array.from({ length: 1 + random(4) }, () => pick(sedPieces) + pick(sedGlue)).join("");
    const isCalledReadOnly = (isAwk ? isReadOnlyAwk : isReadOnlySed)([{ kind: "literal", text, prefix: text }]);
    if (!isCalledReadOnly || !text.includes("made") || seen.has(text)) continue;
    seen.add(text);
    spawnSync(isAwk ? "awk" : "sed", [text, "a"], { cwd: folder, timeout: 5000, stdio: "ignore" });
    assert.deepEqual(await readdir(folder), ["a"], JSON.stringify(text));
  }
  assert.equal(seen.size, runs);
  assert.equal(await readFile(join(folder, "a"), "utf8"), "a/b\n[x]\n");
});

/** The same numbers each time. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
