import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

interface Call {
  readonly id: string;
  readonly state: string;
  readonly stop_proof: string | null;
  readonly survivors: readonly unknown[];
}

test(
  "a running command is watched and stopped on the page, and its process is gone [E9 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    // A number that no other process of this machine has in its arguments.
    const seconds = `${600 + process.pid}.${Date.now() % 100_000}`;
    const command = `echo began; sleep ${seconds}; echo never`;
    const { id } = await machine.api<Call>("/api/tools/bash/call", { input: { command }, wait_ms: 0 });
    const card = page.getByRole("article", { name: "bash, running" });
    await card.getByText("began", { exact: true }).waitFor();
    await until("the command runs", () => countProcesses(seconds) > 0, 30_000);

    await card.getByRole("button", { name: /^Stop bash/ }).click();
    await card.waitFor({ state: "detached" });
    await until("the process is gone", () => countProcesses(seconds) === 0, 30_000);
    const call = await machine.api<Call>(`/api/calls/${id}`);
    assert.deepEqual([call.state, call.survivors], ["cancelled", []]);
    await page.getByRole("list", { name: "Calls that ended" }).getByText("cancelled", { exact: true }).waitFor();
    assertQuiet();
  },
);

function countProcesses(argument: string): number {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(argument);
    } catch {
      return false; // it has just ended
    }
  }).length;
}

test(
  "a thousand lines with markup and control sequences are shown as the text they are [D6 G6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const attack = `<script>document.title="owned"</script><img src=x onerror=alert(1)>`;
    const escape = String.raw`\033[31mred\033]0;title\007\b\b\342\200\256`;
    const command = `for i in $(seq 1000); do printf '%s %s ${escape}\\n' "$i" '${attack}'; done`;
    const { id } = await machine.api<Call>("/api/tools/bash/call", { input: { command } });
    await page.goto(`${machine.origin}/calls/${id}`);
    const output = page.locator(".output pre");
    await output.filter({ hasText: /\b1000 <script>/ }).waitFor();
    const text = await output.innerText();
    assert.equal(text.match(/<script>document\.title="owned"<\/script><img src=x onerror=alert\(1\)>/g)?.length, 1000);
    assert.match(text.slice(0, 300), /␛\[31mred␛\]0;title␇␈␈\\u\{202e\}/);
    assert.equal(await page.locator("img, script:not([src])").count(), 0);
    assert.doesNotMatch(await page.title(), /owned/);
    // The same in lists, the log, and what is running.
    for (const path of ["/", `/log?call=${id}`]) {
      await page.goto(`${machine.origin}${path}`);
      await page.locator("li", { hasText: "<script>" }).first().waitFor();
      assert.equal(await page.locator("img").count(), 0);
    }
    assertQuiet();
  },
);
