import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

interface JobDocument {
  readonly paused: object | null;
  readonly when: object;
  readonly next: readonly { readonly at: string }[];
  readonly runs: readonly {
    readonly state: string;
    readonly trigger: string;
    readonly summary: string | null;
    readonly reason: string | null;
  }[];
}

test(
  "a job is added with its next times shown, run, paused, resumed and removed on the page [D1 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet, forget } = await openDashboard(t, {
      path: "/schedule",
      options: { timezoneId: "Europe/Berlin" },
    });
    await page.getByText("Nothing is scheduled.").waitFor();
    await page.getByRole("button", { name: "Add a job…" }).click();
    const dialog = page.getByRole("dialog");
    const cron = dialog.getByRole("textbox", { name: /^Cron/ });
    await dialog.getByLabel("Name").fill("count words");
    await cron.fill("61 9 * * *");
    await dialog
      .getByText(/minute/i)
      .first()
      .waitFor();
    await dialog.locator(".preview .field-error").waitFor();
    await cron.fill("30 9 * * *");
    await dialog.getByLabel("Time zone").fill("Asia/Seoul");
    const preview = dialog.locator(".preview li");
    // 09:30 in Seoul is 00:30 UTC, which is 01:30 or 02:30 in Berlin. Until that is there, the times of the zone before stand.
    await preview
      .filter({ hasText: /09:30\s*\w+ \d+ \w+, 0[12]:30 here/ })
      .nth(4)
      .waitFor();
    assert.equal(await preview.count(), 5);
    // A refused cron is a failed request on purpose.
    forget();

    await dialog.getByRole("combobox", { name: "Tool" }).fill("word_count");
    await dialog.getByLabel("Input, as JSON").fill("[1]");
    await dialog.getByRole("button", { name: "Add it" }).click();
    await dialog.getByText("The input is a JSON object").waitFor();
    await dialog.getByLabel("Input, as JSON").fill('{"text": "one two three"}');
    await dialog.getByRole("button", { name: "Add it" }).click();
    await page.getByRole("heading", { level: 1, name: "count words" }).waitFor();
    const read = (): Promise<JobDocument> => machine.api("/api/jobs/count%20words");
    assert.deepEqual((await read()).when, { cron: "30 9 * * *", time_zone: "Asia/Seoul" });
    const times = page.locator(".times li");
    await times.first().waitFor();
    assert.equal(await times.count(), (await read()).next.length);

    await page.getByRole("button", { name: "Run now" }).click();
    await page.locator(".runs li", { hasText: "succeeded" }).waitFor();
    await page.getByText("1 run: 1 succeeded").waitFor();
    const [run] = (await read()).runs;
    assert.deepEqual([run?.state, run?.trigger, run?.summary], ["succeeded", "person", "3"]);

    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByText(/^Paused by /).waitFor();
    assert.notEqual((await read()).paused, null);
    await page.getByRole("button", { name: "Resume" }).press("Enter");
    await page.getByRole("button", { name: "Pause" }).waitFor();
    // What took the place of the button that was pressed has the focus.
    const focused = (): Promise<string> => page.evaluate("document.activeElement.textContent");
    await until("the focus is on Pause", async () => (await focused()) === "Pause", 30_000);
    assert.equal((await read()).paused, null);

    await page.getByRole("button", { name: "Remove…" }).click();
    await dialog.getByRole("button", { name: "Remove", exact: true }).click();
    await page.getByText("Nothing is scheduled.").waitFor();
    assert.deepEqual((await machine.api<{ items: object[] }>("/api/jobs")).items, []);
    assertQuiet();
  },
);

test("runs that were skipped are counted in the list, and the job says why [D1 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  const read = (name: string): Promise<JobDocument> => machine.api(`/api/jobs/${name}`);
  const input = { command: "sleep 600" };
  await machine.api("/api/jobs", { name: "long", every: "1s", tool: "bash", input });
  await until(
    "a run is skipped",
    async () => (await read("long")).runs.some(({ state }) => state === "skipped"),
    60_000,
  );
  // What it counts stays when its run has no good end.
  await machine.api("/api/jobs/long/pause", {});
  const { items } = await machine.api<{ items: { id: string }[] }>("/api/calls?tool=bash&state=pending,running");
  for (const { id } of items) await machine.api(`/api/calls/${id}/cancel`, {});
  await page.goto(`${machine.origin}/schedule`);
  const row = page.getByRole("list", { name: "Jobs" }).getByRole("link", { name: /^long/ });
  await row.getByText(/^\d+ missed or skipped$/).waitFor();
  await row.click();
  const history = page.locator(".runs li");
  await history.filter({ hasText: "skipped" }).first().waitFor();
  const run = (await read("long")).runs.find(({ state }) => state === "skipped");
  await history.getByText(run!.reason!).first().waitFor();
  await page.getByText(/^\d+ runs: .*\d+ skipped/).waitFor();
  assertQuiet();
});

test(
  "a zone can be typed letter by letter, and nothing is wrong before a time is given [D1 D6]",
  browserLane(),
  async (t) => {
    const { page, assertQuiet, forget } = await openDashboard(t, { path: "/schedule" });
    await page.getByRole("button", { name: "Add a job…" }).click();
    const dialog = page.getByRole("dialog");
    const times = dialog.locator(".preview li");
    await times.nth(4).waitFor();
    assertQuiet();
    const zone = dialog.getByLabel("Time zone");
    await zone.fill("");
    await zone.pressSequentially("Asia/", { delay: 20 });
    await dialog.locator(".preview .field-error").waitFor();
    await zone.pressSequentially("Seoul", { delay: 20 });
    await times.filter({ hasText: "here" }).nth(4).waitFor();
    // Half a name is refused on purpose; but nothing broke over it.
    forget();
    await dialog.getByRole("combobox", { name: "When" }).selectOption("once");
    await dialog.getByText("Its next times stand here.").waitFor();
    assert.equal(await dialog.locator(".preview .field-error").count(), 0);
    await dialog.getByLabel("At", { exact: true }).fill("2031-05-06T07:08");
    await times.filter({ hasText: "6 May, 07:08" }).waitFor();
    assertQuiet();
  },
);

test(
  "who adds a job that could not do its work is told on the page, and an interval has no zone [D1 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, { path: "/schedule" });
    await page.getByRole("button", { name: "Add a job…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("tidy up");
    await dialog.getByRole("combobox", { name: "When" }).selectOption("every so often");
    await dialog.locator(".preview li").nth(4).waitFor();
    await dialog.getByRole("combobox", { name: "Tool" }).fill("word_count");
    await dialog.getByLabel("Input, as JSON").fill('{"text": "one two three"}');
    await dialog.getByLabel(/^May do without asking/).fill("bahs");
    await dialog.getByRole("button", { name: "Add it" }).click();
    await dialog.getByRole("heading", { name: "tidy up is scheduled" }).waitFor();
    await dialog.getByText('there is none named "bahs". Did you mean bash?').waitFor();
    const { when } = await machine.api<JobDocument>("/api/jobs/tidy%20up");
    assert.deepEqual(Object.keys(when), ["every_ms", "anchor_at"]);
    await dialog.getByRole("button", { name: "Show the job" }).click();
    await page.getByRole("heading", { level: 1, name: "tidy up" }).waitFor();
    assert.equal(await dialog.count(), 0);
    assertQuiet();
  },
);

test("older runs of a job stay listed without a hole while new ones come [D1 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  const job = { name: "often", every: "1d", tool: "word_count", input: { text: "a b" } };
  await machine.api("/api/jobs", job);
  const run = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round++) {
      const before = await total();
      await machine.api("/api/jobs/often/run", {});
      await until("it has run", async () => (await total()) > before, 60_000);
    }
  };
  const total = async (): Promise<number> => {
    const { items } = await machine.api<{ items: { state: string }[] }>("/api/jobs/often/history?limit=200");
    return items.filter(({ state }) => state === "succeeded").length;
  };
  await run(53);
  await page.goto(`${machine.origin}/schedule/often`);
  const rows = page.locator(".runs li");
  await rows.nth(49).waitFor();
  await page.getByRole("button", { name: "Older runs" }).click();
  await rows.nth(52).waitFor();
  await run(3);
  await rows.nth(55).waitFor();
  assert.equal(await rows.count(), 56);
  assertQuiet();
});
