import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { countProcesses, uniqueSeconds } from "./support/count-processes.ts";
import { openDashboard } from "./support/open-dashboard.ts";

interface Task {
  readonly id: string;
  readonly state: string;
  readonly result: string | null;
  readonly order: { readonly agent: string; readonly message: string; readonly resume: string | null };
}

test(
  "a task is started on the page, its output is shown as it comes, and when it is cancelled its process is gone [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, { path: "/tasks" });
    await page.getByText("No task yet.").waitFor();
    await page.getByRole("button", { name: "Start a task" }).click();
    const dialog = page.getByRole("dialog", { name: "Start a task" });
    await dialog.getByRole("combobox", { name: "Agent" }).selectOption("shell");
    await dialog.getByRole("button", { name: "Start", exact: true }).click();
    await dialog.getByText("Say what the agent should do.").waitFor();
    const seconds = uniqueSeconds();
    const message = `echo first line; until [ -e go ]; do sleep 0.1; done; echo second line; sleep ${seconds}`;
    await dialog.getByLabel("What it should do").fill(message);
    await dialog.getByRole("button", { name: "Start", exact: true }).click();

    await page.waitForURL(/\/tasks\/task_/);
    const task = page.getByRole("article", { name: "Task of shell" });
    const output = task.getByRole("group", { name: "Output of the task" });
    await output.filter({ hasText: "first line" }).waitFor();
    assert.equal(await output.innerText(), "first line\n");
    await writeFile(join(machine.workdir, "go"), "");
    await output.filter({ hasText: "first line\nsecond line\n" }).waitFor();
    await page.getByRole("list", { name: "Tasks" }).getByText("second line", { exact: true }).waitFor();
    await until("the command runs", () => countProcesses(seconds) > 0, 30_000);

    await task.getByRole("button", { name: "Cancel" }).click();
    await task.getByText("cancelled", { exact: true }).waitFor();
    assert.equal(countProcesses(seconds), 0);
    const { items } = await machine.api<{ items: Task[] }>("/api/tasks");
    assert.deepEqual(
      items.map(({ state, order }) => [state, order.agent, order.message]),
      [["cancelled", "shell", message]],
    );
    assert.equal(await task.getByRole("button", { name: "Cancel" }).count(), 0);
    assertQuiet();
  },
);

test("a task that has ended is gone on with on the page, in the same session [D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  const first = await machine.api<Task>("/api/tasks", { agent: "talker", message: "Count the ropes." });
  await page.goto(`${machine.origin}/tasks/${first.id}`);
  const task = page.getByRole("article", { name: "Task of talker" });
  const answer = task.getByRole("group", { name: "the answer" });
  await answer.filter({ hasText: "new: Count the ropes." }).waitFor();
  await task.getByRole("button", { name: "Go on" }).click();
  const dialog = page.getByRole("dialog", { name: "Go on with talker" });
  await dialog.getByLabel("Message").fill("And the anchors.");
  await dialog.getByRole("button", { name: "Go on" }).click();

  await answer.filter({ hasText: "talk-7: And the anchors." }).waitFor();
  assert.ok(!page.url().endsWith(first.id), "it is a task of its own");
  const { items } = await machine.api<{ items: Task[] }>("/api/tasks");
  assert.deepEqual(
    items.map(({ state, order, result }) => [state, order.resume, result?.trim()]),
    [
      ["completed", "talk-7", "talk-7: And the anchors."],
      ["completed", null, "new: Count the ropes."],
    ],
  );

  // What is listed follows the filter.
  const rows = page.getByRole("list", { name: "Tasks" }).getByRole("listitem");
  await page.getByRole("button", { name: "Not completed" }).click();
  await page.getByText("No such task.").waitFor();
  await page.getByRole("button", { name: "Completed", exact: true }).click();
  await rows.nth(1).waitFor();
  assertQuiet();
});
