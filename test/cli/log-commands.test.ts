import assert from "node:assert/strict";
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { systemClock } from "../../src/core/clock.ts";
import { defaultJournalSettings } from "../../src/records/audit-log/log-entry.ts";
import { openJournal } from "../../src/records/audit-log/open-log.ts";
import { createJournalLedger } from "../../src/records/ledger.ts";
import { complete, makeExecution } from "../contract/make-execution.ts";
import { until } from "../support/runtime.ts";
import { openMachine, type Machine } from "./run-deckhand.ts";

const callId = "call_019b76da-a802-7255-b759-6ce0c468a897";

/** A machine with one call in its log. */
async function withLog(t: TestContext): Promise<Machine & { readonly file: string }> {
  const machine = await openMachine(t);
  const folder = join(machine.workdir, ".deckhand", "logs");
  mkdirSync(join(machine.workdir, ".deckhand"));
  const journal = openLogIn(folder);
  const ledger = createJournalLedger(journal);
  const call = makeExecution({
    id: callId,
    toolId: "bash",
    toolName: "bash",
    toolInput: { command: "echo \u001b[31m" },
  });
  await ledger.opened(call, "never");
  await ledger.settled(complete(call), "never");
  await journal.append({ type: "user_input", text: "red \u001b]0;x\u0007 alert" });
  await journal.close();
  return { ...machine, file: join(folder, "chat_log.jsonl") };
}

function openLogIn(folder: string): ReturnType<typeof openJournal> {
  return openJournal({
    folder,
    clock: systemClock,
    heads: null,
    settings: { ...defaultJournalSettings, fsync: "never" },
    mask: (text) => text,
    onFailed: ({ error }) => assert.fail(error),
    writer: `w${Math.random().toString(36).slice(2, 10)}`,
  });
}

describe("deckhand log", () => {
  test("shows the end of the log, filtered, harmless for a terminal, and as JSON lines [D4 G9]", async (t) => {
    const machine = await withLog(t);
    const plain = await machine.run(["log"]);
    assert.equal(plain.code, 0);
    const types = plain.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => line.slice(21).split(" ", 1)[0]);
    assert.deepEqual(types, ["opened", "tool_call", "tool_result", "audit", "user_input", "closed"]);
    // eslint-disable-next-line no-control-regex -- finding them is what this is for
    assert.doesNotMatch(plain.stdout, /[\u0000-\u0009\u000b-\u001f]/);
    const json = await machine.run(["log", "tail", "-n", "1", "--type", "tool_result", "--tool", "bash", "--json"]);
    assert.equal(JSON.parse(json.stdout).id, callId);
    const alias = await machine.run([
      "log",
      "tail",
      "-n",
      "1",
      "--type",
      "tool_result",
      "--tool",
      "Run-Shell",
      "--json",
    ]);
    assert.equal(alias.stdout, json.stdout);
    assert.equal((await machine.run(["log", "--conversation", "ses_none"])).stdout, "");
    const every =
      "opened closed user_input assistant_output tool_call tool_result tool_error decision question answer audit workflow rollout schedule note " +
      "rotated pruned repaired gap";
    const all = await machine.run(["log", ...every.split(" ").flatMap((type) => ["--type", type])]);
    assert.deepEqual([all.code, all.stderr, all.stdout], [0, "", plain.stdout]);
    const wrong = await machine.run(["log", "--type", "tol_call"]);
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, 'deckhand: "tol_call" is not a type of line. Did you mean tool_call?\n'],
    );
  });

  test("follows until Ctrl-C, and ends with 130", async (t) => {
    const machine = await withLog(t);
    const following = machine.start(["log", "tail", "--follow", "-n", "1", "--json"]);
    await until("the last line", () => following.stdout().includes('"type":"closed"'));
    await until("a new line", async () => {
      const journal = openLogIn(join(machine.workdir, ".deckhand", "logs"));
      await journal.append({ type: "note", text: "fresh" });
      await journal.close();
      return following.stdout().includes("fresh");
    });
    following.child.kill("SIGINT");
    assert.equal((await following.ended).code, 130);
  });

  test("shows and proves one call; a changed line is no evidence [D4]", async (t) => {
    const machine = await withLog(t);
    const shown = await machine.run(["log", "show", "a897"]);
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, new RegExp(`tool_call[^]*${callId}[^]*tool_result[^]*audit`));
    const evidence = await machine.run(["log", "evidence", callId, "--json"]);
    const document = JSON.parse(evidence.stdout);
    assert.equal(evidence.code, 0);
    assert.deepEqual(
      [document.sound, document.has_intent, document.has_outcome, document.log_is_whole],
      [true, true, true, false],
    );
    assert.equal(document.store_asked, false);
    assert.deepEqual(
      document.lines.map((line: { line: number }) => line.line),
      [2, 3],
    );
    writeFileSync(machine.file, readFileSync(machine.file, "utf8").replace('"summary":"done"', '"summary":"fake"'));
    const forged = await machine.run(["log", "evidence", "a897"]);
    assert.equal(forged.code, 1);
    assert.match(forged.stdout, /edited: chat_log\.jsonl:3 .*\nThis is no sound evidence\.\n$/);
    const none = await machine.run(["log", "show", "nothing"]);
    assert.deepEqual(
      [none.code, none.stderr],
      [1, `deckhand: The log ${machine.file} has nothing about "nothing". See deckhand log tail.\n`],
    );
    assert.equal((await machine.run(["log", "show", "abc"])).code, 2);
  });

  test("verifies, writes nothing, and ends with 1 when something does not fit [D4]", async (t) => {
    const machine = await withLog(t);
    const before = readFileSync(machine.file);
    const alone = await machine.run(["log", "verify", "--json"]);
    const report = JSON.parse(alone.stdout);
    assert.deepEqual(
      [alone.code, report.ok, report.lines, report.heads_checked, report.problems],
      [1, false, 6, null, []],
    );
    assert.deepEqual(readFileSync(machine.file), before);
    assert.equal(existsSync(join(machine.workdir, ".deckhand", "deckhand.db")), false);
    const noted = await machine.run(["log", "verify", "--head", report.head]);
    assert.deepEqual(
      [noted.code, noted.stdout.split("\n")[0]],
      [0, "The log is whole up to the line that --head names; what came after that line can't be verified."],
    );
    assert.equal((await machine.run(["log", "verify", "--head", "0".repeat(64)])).code, 1);
    assert.equal((await machine.run(["log", "verify", "--head", "x"])).code, 2);
    appendFileSync(machine.file, "intruder\n");
    const broken = await machine.run(["log", "verify"]);
    assert.equal(broken.code, 1);
    assert.match(
      broken.stdout,
      /^The log is NOT whole: 1 problem\.\n {2}unreadable: chat_log\.jsonl:7 8 bytes are no line of the log\n/,
    );
  });

  test("a log whose store and end were removed is not called whole, and the exit code is 1 [D4]", async (t) => {
    const machine = await openMachine(t);
    const call = await machine.run(["tool", "list_files"]);
    assert.equal(call.code, 0, call.stderr);
    assert.match(
      (await machine.run(["log", "verify"])).stdout,
      /^The log is whole\.\n\d+ lines by 1 writer in 1 file, [\d,]+ bytes\n1 end of a chain compared with the store\n/,
    );
    const data = join(machine.workdir, ".deckhand");
    for (const name of readdirSync(data)) if (name.startsWith("deckhand.db")) rmSync(join(data, name));
    const file = join(data, "logs", "chat_log.jsonl");
    writeFileSync(file, `${readFileSync(file, "utf8").split("\n").slice(0, -4).join("\n")}\n`);
    const verified = await machine.run(["log", "verify"]);
    assert.equal(verified.code, 1);
    assert.match(
      verified.stdout,
      /^The log cannot be verified to its end\. What is there fits together, but the store can't be asked \(there is no store\), so neither a cut end nor lines of a forged writer are found\.\n/,
    );
    const { ok, problems, heads_checked } = JSON.parse((await machine.run(["log", "verify", "--json"])).stdout);
    assert.deepEqual([ok, problems, heads_checked], [false, [], null]);
  });

  test("counts by tool and day [V8]", async (t) => {
    const machine = await withLog(t);
    const { tools } = JSON.parse((await machine.run(["log", "stats", "--json"])).stdout);
    assert.deepEqual(tools, [
      {
        tool: "bash",
        calls: 1,
        ok: 1,
        errors: 0,
        refused: 0,
        invalid: 0,
        blocked: 0,
        recovered: 0,
        p50_ms: 4.25,
        p95_ms: 4.25,
      },
    ]);
    assert.match(
      (await machine.run(["log", "stats"])).stdout,
      /^TOOL +CALLS +OK +ERRORS +REFUSED +INVALID +BLOCKED +RECOVERED +P50 +P95\nbash +1 +1 +0 +0 +0 +0 +0 +4 ms +4 ms\n/,
    );
  });

  test("says so when there is no log, and makes none", async (t) => {
    const machine = await openMachine(t);
    for (const args of [["log"], ["log", "verify"], ["log", "stats"]]) {
      const { code, stdout, stderr } = await machine.run(args);
      assert.deepEqual([code, stdout], [0, ""], args.join(" "));
      assert.match(stderr, /log/);
    }
    assert.equal(existsSync(join(machine.workdir, ".deckhand")), false);
  });
});
