import assert from "node:assert/strict";
import { test } from "node:test";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { afterTest } from "../support/after-test.ts";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { countProcesses, uniqueSeconds } from "./support/count-processes.ts";
import { openDashboard } from "./support/open-dashboard.ts";

interface Call {
  readonly id: string;
  readonly state: string;
  readonly stop_proof: string | null;
  readonly survivors: readonly unknown[];
}

interface Answer {
  readonly report: { readonly claims: readonly { readonly text: string; readonly verdict: string }[] } | null;
}

test(
  "a running command is watched and stopped on the page, and its process is gone [E9 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const seconds = uniqueSeconds();
    const command = `echo began; sleep ${seconds}; echo never`;
    const { id } = await machine.api<Call>("/api/tools/bash/call", { input: { command }, wait_ms: 0 });
    const card = page.getByRole("article", { name: "bash, running" });
    await card.getByText("began", { exact: true }).waitFor();
    await until("the command runs", () => countProcesses(seconds) > 0, 30_000);

    await card.getByRole("button", { name: /^Stop bash/ }).click();
    await page.getByRole("status").getByText("It is being stopped.").waitFor();
    await card.waitFor({ state: "detached" });
    await until("the process is gone", () => countProcesses(seconds) === 0, 30_000);
    const call = await machine.api<Call>(`/api/calls/${id}`);
    assert.deepEqual([call.state, call.survivors], ["cancelled", []]);
    await page.getByRole("list", { name: "Calls that ended" }).getByText("cancelled", { exact: true }).waitFor();
    assertQuiet();
  },
);

test(
  "who stops calls by the keyboard goes on at the next one, and then at the heading [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const start = (name: string): Promise<Call> =>
      machine.api<Call>("/api/tools/bash/call", { input: { command: `: ${name}; sleep 600` }, wait_ms: 0 });
    await start("first");
    await start("second");
    await start("third");
    const stopOf = (name: string) => page.getByRole("button", { name: `Stop bash: : ${name}; sleep 600` });
    const focused = (): Promise<string> =>
      page.evaluate<string>(
        "`${document.activeElement.tagName} ${document.activeElement.ariaLabel ?? document.activeElement.textContent}`",
      );
    for (const name of ["first", "second", "third"]) await stopOf(name).waitFor();
    await stopOf("first").focus();
    for (const [name, next] of [
      ["first", "BUTTON Stop bash: : second; sleep 600"],
      ["second", "BUTTON Stop bash: : third; sleep 600"],
      ["third", "H2 Running"],
    ] as const) {
      await page.keyboard.press("Enter");
      await stopOf(name).waitFor({ state: "detached" });
      await until(`${next} has the focus`, async () => (await focused()) === next, 30_000);
    }
    const { id } = await start("alone");
    await page.goto(`${machine.origin}/calls/${id}`);
    await stopOf("alone").focus();
    await page.keyboard.press("Enter");
    await stopOf("alone").waitFor({ state: "detached" });
    await until("the heading has the focus", async () => (await focused()) === "H1 bash", 30_000);
    assertQuiet();
  },
);

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

test("what ran is on the timeline, a bar for each call, and a bar leads to its call [D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  await page.getByRole("img", { name: "Timeline of the last 2 minutes. Nothing ran." }).waitFor();
  await machine.api("/api/tools/word_count/call", { input: { text: "one two" } });
  const failed = await machine.api<Call>("/api/tools/bash/call", { input: { command: "exit 3" } });
  await machine.api("/api/tools/bash/call", { input: { command: "sleep 600" }, wait_ms: 0 });
  await page.locator("svg rect.bar.running").waitFor();
  // Other minutes hold the same calls, however slow this machine is.
  await page.getByRole("button", { name: "60 min" }).click();
  const timeline = page.getByRole("img", { name: /^Timeline of the last 60 minutes\. 3 calls, .*, 1 failed\.$/ });
  await timeline.waitFor();
  const bars = timeline.locator("rect");
  const classes: string[] = await bars.evaluateAll((all) => all.map((bar) => bar.getAttribute("class")));
  assert.deepEqual(classes.toSorted(), ["bar completed", "bar failed", "bar running"]);
  assert.match((await timeline.locator("rect.failed title").textContent()) ?? "", /^bash · failed · .*\nexit 3/);
  await timeline.locator("rect.failed").dispatchEvent("click");
  await page.waitForURL(`**/calls/${failed.id}`);
  assertQuiet();
});

test("a conversation is listed with its log and with what its answer claims [D5 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  await page.getByText("No conversation yet.").waitFor();
  const question = "How are prices <i>rounded</i>?";
  await machine.run(["run", "--model", "script:talk.json", question]);
  await page.reload();
  const row = page.getByRole("listitem").filter({ hasText: question });
  await row.getByText(/1 prompt · 2 calls/).waitFor();
  await row.getByText("script:talk.json", { exact: true }).waitFor();

  await row.getByRole("link", { name: `Log of ${question}` }).click();
  const lines = page.getByRole("list", { name: "Lines of the log" });
  await lines.getByText(question).first().waitFor();
  await page.getByRole("button", { name: "Only one conversation; show all again" }).waitFor();
  await page.goBack();
  await row.getByRole("link", { name: `Evidence of ${question}` }).click();
  const evidence = page.getByRole("region", { name: "Evidence" });
  await evidence.getByText("Prices are rounded to the cent; src/price.js says so as well.").waitFor();
  const [session] = (await machine.api<{ items: { id: string }[] }>("/api/sessions")).items;
  const answer = await machine.api<Answer | Answer[]>(`/api/log/evidence/${session!.id}`);
  const claims = [answer].flat().flatMap(({ report }) => report?.claims ?? []);
  assert.deepEqual(
    (await evidence.locator(".claims code").allInnerTexts()).map((text) => text.trim()),
    claims.map(({ text }) => text),
  );
  assertQuiet();
});

test(
  "a question that waits longer than calls may take does not count against a limit [L7 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t);
    const runtime = await createRuntime({ workdir: machine.workdir, env: machine.env });
    afterTest(t, () => runtime.close());
    void runtime.call("ask_user", { question: "Are you there?" }).catch(() => undefined);
    const card = page.getByRole("article", { name: "ask_user, running" });
    await card.getByText(/\d+ s of 2 min/).waitFor();
    await page.clock.setFixedTime(Date.now() + 600_000);
    await card.locator(".running-facts", { hasText: /^10 min( \d+ s)? · library$/ }).waitFor();
    assertQuiet();
  },
);
