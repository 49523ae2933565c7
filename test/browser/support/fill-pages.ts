import { createRuntime } from "../../../src/runtime/create-runtime.ts";
import { afterTest } from "../../support/after-test.ts";
import { until } from "../../support/runtime.ts";
import type { ServedMachine } from "./served-machine.ts";

type Context = { after(hook: () => Promise<void>): void };

/** Something for every page: calls that run and that ended, a conversation, tasks, jobs, and what waits for the person. */
export async function fillPages(t: Context, machine: ServedMachine): Promise<void> {
  await machine.run(["run", "--model", "script:talk.json", "How are prices rounded?"]);
  await addJobs(machine);
  await machine.api("/api/tasks", { agent: "reviewer", message: "Review what changed today." });
  await machine.api("/api/tasks", { agent: "shell", message: watching });
  await machine.api("/api/tools/bash/call", { input: { command: building }, wait_ms: 0 });
  await machine.api("/api/tools/bash/call", { input: { command: "echo 'lint: 2 problems'; exit 1" } });
  await machine.api("/api/tools/find_orders/call", { input: { customer: "Kim", state: "open" } });
  await openQuestions(t, machine);
  await until(
    "the pages have something to show",
    async () => {
      const { counts } = await machine.api<{ counts: Record<string, number> }>("/api/status");
      return counts["running_calls"]! > 0 && counts["running_tasks"]! > 0 && counts["waiting_inbox"] === 3;
    },
    60_000,
  );
}

const building = `for step in fetch compile bundle test; do echo "[$step] begins"; echo "[$step] done"; done; echo "watching for changes…"; sleep 900`;
const watching = "echo 'Reading the shop’s reports'; echo 'Summing up September'; sleep 900";

async function addJobs(machine: ServedMachine): Promise<void> {
  const input = { text: "tick tock" };
  await machine.api("/api/jobs", { name: "count the words", every: "2s", tool: "word_count", input });
  await machine.api("/api/jobs", {
    name: "weekly review",
    cron: "0 9 * * 1",
    time_zone: "America/New_York",
    agent: "reviewer",
    message: "Review what changed this week.",
  });
  await machine.api("/api/jobs", {
    name: "morning figures",
    cron: "30 7 * * 1-5",
    time_zone: "Asia/Seoul",
    prompt: "Write yesterday’s figures into reports/.",
  });
  await machine.api("/api/jobs", {
    name: "look for stock",
    cron: "*/20 * * * *",
    time_zone: "UTC",
    tool: "find_orders",
    input: { customer: "" },
  });
  await machine.api("/api/jobs/look%20for%20stock/pause", { reason: "The warehouse counts until Friday." });
}

/** Another process of the workdir, whose calls wait for the person until the end. */
async function openQuestions(t: Context, { workdir, env }: ServedMachine): Promise<void> {
  const runtime = await createRuntime({ workdir, env });
  afterTest(t, () => runtime.close());
  await runtime.call("read", { file_path: "src/price.js" }, { door: "agent" });
  const change = { file_path: "src/price.js", old_string: "pieces * 4.2", new_string: "pieces * 4.5" };
  const waiting = [
    runtime.call("ask_user", {
      question: "Are prices rounded to the cent, or to five cents?",
      options: ["to the cent", "to five cents"],
      other: true,
    }),
    runtime.call("edit", change, { door: "agent" }),
    runtime.call("bash", { command: "rm -rf reports/old" }, { door: "agent" }),
  ];
  // They end when the runtime does.
  void Promise.allSettled(waiting);
}
