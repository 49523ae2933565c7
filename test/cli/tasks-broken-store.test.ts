import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { afterTest } from "../support/after-test.ts";
import { openTasksMachine } from "./tasks-machine.ts";

const breakages: readonly (readonly [string, (file: string) => void, RegExp])[] = [
  ["belongs to a newer version", makeNewer, /^deckhand: The store \S+ was written by a newer Deckhand/m],
  ["is damaged", (file) => writeFileSync(file, "garbage ".repeat(1000)), /^deckhand: The store \S+ /m],
];

for (const [what, damage, sentence] of breakages) {
  test(`a store that ${what} is told by every command, and no agent runs without a record [T4] [T6]`, async (t) => {
    const machine = await openTasksMachine(t);
    const { stdout } = await machine.run(["tasks", "start", "shell", "echo kept", "--follow", "--json"]);
    const { task } = JSON.parse(stdout.trim().split("\n").at(-1)!) as { task: { id: string } };
    const file = join(machine.workdir, ".deckhand", "deckhand.db");
    damage(file);
    afterTest(t, async () => rmSync(file));
    for (const args of [
      ["start", "shell", "touch ran; echo ran", "--follow"],
      ["start", "shell", "touch ran; echo ran"],
      ["list"],
      ["show", task.id],
      ["follow", "last"],
      ["cancel", task.id],
      ["resume", task.id, "go on"],
    ]) {
      const { code, stdout: said, stderr } = await machine.run(["tasks", ...args]);
      assert.deepEqual([code, said], [1, ""], `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, sentence);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }
    const calls = [
      { name: "use_agent", arguments: { cli_name: "shell", message: "touch ran; echo ran" } },
      { name: "get_task_status", arguments: { task_id: task.id } },
      { name: "list_tasks", arguments: {} },
    ];
    const requests = calls.map((params, id) => JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }));
    const served = await machine.run(["mcp"], { stdin: `${requests.join("\n")}\n` });
    const answers = served.stdout.trim().split("\n");
    assert.equal(answers.length, calls.length, served.stdout);
    for (const line of answers) {
      const { isError, content } = (JSON.parse(line) as { result: { isError?: true; content: { text: string }[] } })
        .result;
      assert.equal(isError, true, "what can't be known is no state of a task");
      assert.match(`deckhand: ${content[0]!.text}`, sentence);
    }
    assert.equal(existsSync(join(machine.workdir, "ran")), false);
    assert.deepEqual(readdirSync(join(machine.workdir, ".deckhand", "tasks")), [task.id]);
  });
}

function makeNewer(file: string): void {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA user_version = 99");
  database.close();
}
