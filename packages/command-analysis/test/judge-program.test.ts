import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";
import { dangerousCommands } from "./dangerous-commands.ts";
import { ordinaryCommands } from "./ordinary-commands.ts";
import { ordinaryTools } from "./ordinary-tools.ts";
import { ordinaryWork } from "./ordinary-work.ts";

const places = [{ cwd: "/home/me/project", home: "/home/me" }, {}];

for (const [family, commands] of Object.entries(dangerousCommands)) {
  test(`every dangerous command of the family ${family} is found, wherever it runs [L8]`, () => {
    const missed = places.flatMap((place) =>
      commands.filter((command) => analyseCommand(command, place).verdict === "safe"),
    );
    assert.deepEqual(missed, []);
  });
}

test("ordinary commands raise no alarm [L8]", () => {
  const alarms = places.flatMap((place) =>
    [...ordinaryCommands, ...ordinaryWork, ...ordinaryTools].flatMap((command) =>
      analyseCommand(command, place).findings.map(({ rule }) => `${command}: ${rule}`),
    ),
  );
  assert.deepEqual(alarms, []);
});

test("a finding names its rule, one sentence for a person, and the exact part [L8]", () => {
  const { findings } = analyseCommand("ls && rm -r build", places[0]);
  assert.deepEqual(findings, [
    {
      verdict: "danger",
      rule: "delete.recursive",
      reason: "It deletes a folder with everything in it.",
      command: "rm -r build",
    },
  ]);
});

test("options that are not written out make a dangerous program unknown, not safe [L8]", () => {
  const verdicts = ["rm $FLAGS build", "git push $OPTS", "git $CMD", "systemctl $ACTION nginx", "docker $X"].map(
    (command) => analyseCommand(command, places[0]).verdict,
  );
  assert.deepEqual(verdicts, ["unknown", "unknown", "unknown", "unknown", "unknown"]);
});

test("the same relative name is judged by where the command runs [L8]", () => {
  assert.equal(analyseCommand("echo x > hosts", { cwd: "/home/me/project" }).verdict, "safe");
  assert.equal(analyseCommand("echo x > hosts", { cwd: "/etc" }).verdict, "danger");
  assert.equal(analyseCommand("rm ../other/notes.txt", { cwd: "/home/me/project" }).verdict, "danger");
  assert.equal(analyseCommand("rm ../project/notes.txt", { cwd: "/home/me/project" }).verdict, "safe");
});
