import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openMachine } from "./run-deckhand.ts";

const breakages: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ["belongs to a newer version", makeNewer, /^deckhand: The store \S+ was written by a newer Deckhand .+\n$/],
  [
    "is damaged",
    (file) => writeFileSync(file, "garbage ".repeat(1000)),
    /^deckhand: The store \S+ is damaged \(.+\): .+\n$/,
  ],
];

for (const [what, damage, sentence] of breakages) {
  test(`a store that ${what} is no empty one: every list refuses with the reason and exit code 1`, async (t) => {
    const machine = await openMachine(t);
    const add = ["schedule", "add", "tick", "--every", "1h", "--tool", "list_files", "--input", "{}"];
    const added = await machine.run(add);
    assert.equal(added.code, 0, added.stderr);
    damage(join(machine.workdir, ".deckhand", "deckhand.db"));
    for (const args of [
      ["schedule"],
      ["schedule", "--json"],
      ["schedule", "show", "tick"],
      ["schedule", "history", "--json"],
      ["schedule", "pause", "tick"],
      add,
      ["inbox"],
      ["inbox", "list", "--json"],
      ["inbox", "show", "0190a6b2"],
      ["rollout"],
      ["rollout", "status", "--json"],
      ["rollout", "history", "--json"],
    ]) {
      const { code, stdout, stderr } = await machine.run(args);
      assert.deepEqual([code, stdout], [1, ""], `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, sentence, args.join(" "));
    }
  });
}

function makeNewer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
}
