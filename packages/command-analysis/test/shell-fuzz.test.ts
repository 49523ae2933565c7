import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";
import { count } from "../../../test/support/counts.ts";
import samples from "./command-samples.json" with { type: "json" };

const seeds = Object.values(samples).flat();
const fragments =
  "$( ) ` ' \" ${ } $(( )) ; & | && || < > << <<< <( >( { ( [[ ]] [ ] * ? ~ \\ \n if then fi for do done while case esac in function () eval exec X=rm $X ${X[@]} ${X:-a} @ ! # = rm -rf sudo sh -c base64 \u0000 \u200b é 😀 \ud800".split(
    " ",
  );

test("random and mutated commands never throw, and none is slow for its length", () => {
  const random = createRandom(20_261_115);
  let slowest = { perKilobyte: 0, text: "" };
  for (let n = count({ quick: 4000, full: 1_000_000 }); n > 0; n -= 1) {
    const text = [bytes, mutate, nest][n % 3]?.(random) ?? "";
    const begin = performance.now();
    const { verdict, commands, findings } = analyseCommand(text);
    const perKilobyte = (performance.now() - begin) / (1 + text.length / 1024);
    assert.match(verdict, /^(?:safe|danger|unknown)$/);
    assert.ok(commands.length <= 201);
    // An exception inside becomes this finding, so it would hide here.
    const failure = findings.find(({ rule }) => rule === "analysis.failed");
    assert.equal(failure, undefined, `${failure?.reason} ${JSON.stringify(text)}`);
    if (perKilobyte > slowest.perKilobyte) slowest = { perKilobyte, text };
  }
  // Generous, for a busy machine: a case that is slow by its nature takes seconds.
  assert.ok(
    slowest.perKilobyte < 1000,
    `${slowest.perKilobyte} ms per kB: ${JSON.stringify(slowest.text.slice(0, 300))}`,
  );
});

type Random = (below: number) => number;

function bytes(random: Random): string {
  return Array.from({ length: random(300) }, () =>
    String.fromCharCode(random(8) === 0 ? random(0x3000) : 32 + random(95)),
  ).join("");
}

function mutate(random: Random): string {
  let text = pick(seeds, random);
  for (let n = 1 + random(4); n > 0; n -= 1) {
    const [from, to] = [random(text.length + 1), random(text.length + 1)];
    const kind = random(4);
    if (kind === 0) text = text.slice(0, from) + pick(fragments, random) + text.slice(from);
    else if (kind === 1) text = text.slice(0, Math.min(from, to)) + text.slice(Math.max(from, to));
    else if (kind === 2) text = text + text.slice(Math.min(from, to), Math.max(from, to));
    else text = `${text.slice(0, from)}${pick(seeds, random)}${text.slice(from)}`;
  }
  return text;
}

function nest(random: Random): string {
  let text = pick(seeds, random);
  for (let n = random(12); n > 0; n -= 1) {
    const [open, close] = pick(pairs, random);
    text = open + text + close;
  }
  const repeated = pick(fragments, random).repeat(random(20) === 0 ? random(2000) : 1);
  return random(4) === 0 ? text + repeated : text;
}

const pairs: readonly (readonly [string, string])[] = [
  ["$(", ")"],
  ["`", "`"],
  ['"', '"'],
  ["( ", " )"],
  ["{ ", "; }"],
  ["if ", "; then x; fi"],
  ["while ", "; do y; done"],
  ["f() { ", "; }"],
  ["echo ${x:-", "}"],
  ["cat <( ", " )"],
  ["bash -c '", "'"],
  ["cat <<E\n", "\nE\n"],
  ["case x in y) ", ";; esac"],
  ["X=", "; $X"],
  ["echo $((", "))"],
  ["[[ ", " ]]"],
];

function pick<Item>(items: readonly Item[], random: Random): Item {
  return items[random(items.length)] as Item;
}

/** The same numbers each time, so that a failure can be repeated. */
function createRandom(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
