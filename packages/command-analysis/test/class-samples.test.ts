import assert from "node:assert/strict";
import { test } from "node:test";
import { analyseCommand } from "../src/analyse-command.ts";
import samples from "./class-samples.json" with { type: "json" };

const places = [{ cwd: "/home/me/project", home: "/home/me" }, {}];

for (const [name, commands] of Object.entries(samples.dangerous)) {
  test(`no dangerous command of the class ${name} is called safe [L8]`, () => {
    const missed = places.flatMap((place) =>
      commands.filter((command) => analyseCommand(command, place).verdict === "safe"),
    );
    assert.deepEqual(missed, []);
  });
}

test("commands of build files, pipelines and consoles raise no alarm [L8]", () => {
  const alarms = places.flatMap((place) =>
    samples.ordinary.flatMap((command) =>
      analyseCommand(command, place).findings.map(({ rule }) => `${command}: ${rule}`),
    ),
  );
  assert.deepEqual(alarms, []);
});

test("a task that a project names as it likes is no program of that name", () => {
  for (const command of ["npm run reboot", "npm run format", "yarn shutdown", "pnpm run halt", "make destroy"])
    assert.equal(analyseCommand(command).verdict, "safe", command);
});
