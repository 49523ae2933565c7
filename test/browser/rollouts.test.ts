import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "../support/runtime.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";
import { tryVersions } from "./support/sample-work.ts";

interface Rollout {
  readonly view: {
    readonly status: string;
    readonly percent: number;
    readonly is_held: boolean;
    readonly reason: string;
  };
  readonly series: readonly { readonly route: string; readonly calls: number; readonly errors: number }[];
  readonly history: readonly {
    readonly type: string;
    readonly by: string;
    readonly who: string | null;
    readonly reason: string;
  }[];
}

test(
  "one canary is promoted and another rolled back on the page, after it said what comes of it [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, {
      prepare: (each) => tryVersions(each, { calls: 40 }),
      path: "/rollouts",
    });
    const read = (tool: string): Promise<Rollout> => machine.api(`/api/rollouts/${tool}`);
    const before = await read("word_count");
    assert.deepEqual([before.view.status, before.view.percent], ["running", 10]);

    await page.getByRole("link", { name: /word_count/ }).click();
    await page.getByRole("heading", { level: 1, name: "word_count" }).waitFor();
    // How long it still takes is estimated anew at each look.
    const withoutEstimate = (sentence: string | null): string => (sentence ?? "").replace(/; about \d+ \w+ more$/, "");
    const shown = await page.locator(".rollout-sentence").textContent();
    assert.equal(withoutEstimate(shown), withoutEstimate(before.view.reason));
    assert.equal(await page.locator('[aria-current="step"] .stage-percent').innerText(), "10 %");
    await page.getByText("As a table").first().click();
    const calls = before.series
      .filter(({ route }) => route === "stable")
      .reduce((sum, bucket) => sum + bucket.calls, 0);
    await page.getByRole("row", { name: new RegExp(`^stable ${calls} `) }).waitFor();
    await page.getByText("+  const words = input.text.trim()").waitFor();

    await page.getByRole("button", { name: "Promote to 30 %…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/30 % of the conversations get word_count@/).waitFor();
    await dialog.getByLabel("Reason").fill("The counts were checked by hand.");
    await dialog.getByRole("button", { name: "Promote to 30 %" }).click();
    await page.locator('[aria-current="step"]', { hasText: "30 %" }).waitFor();
    await dialog.waitFor({ state: "detached" });
    const after = await read("word_count");
    assert.deepEqual([after.view.status, after.view.percent], ["running", 30]);
    const [step] = after.history;
    assert.deepEqual([step?.type, step?.by], ["advanced", "person"]);
    assert.match(step!.reason, /The counts were checked by hand/);

    await page.getByRole("button", { name: "Hold…" }).click();
    assert.equal(await dialog.getByRole("button", { name: "Hold" }).getAttribute("aria-disabled"), "true");
    await dialog.getByLabel("Reason").fill("The shop is closed today.");
    await dialog.getByRole("button", { name: "Hold" }).click();
    await page.getByRole("button", { name: "Let it go on…" }).waitFor();
    assert.equal((await read("word_count")).view.is_held, true);

    await page.getByRole("link", { name: "All rollouts" }).click();
    await page.getByRole("link", { name: /price_quote/ }).click();
    await page.getByRole("button", { name: "Roll back…", exact: true }).click();
    await dialog.getByText(/^Everybody gets price_quote@\w+ again\./).waitFor();
    await dialog.getByRole("button", { name: "Roll back" }).click();
    await page.getByRole("button", { name: "Try it again…" }).waitFor();
    const back = await read("price_quote");
    assert.deepEqual(
      [back.view.status, back.history[0]?.type, back.history[0]?.by],
      ["rolled_back", "rolled_back", "person"],
    );
    assertQuiet();
  },
);

test(
  "failures and latency of both versions are drawn, each with its band, and are there as tables [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, {
      prepare: (each) => tryVersions(each, { calls: 80, spanMs: 20 * 60_000 }),
      path: "/rollouts/price_quote",
    });
    const { series } = await machine.api<Rollout>("/api/rollouts/price_quote");
    assert.ok(series.length > 3, "there are points to draw lines through");
    for (const title of ["Failed calls", "Latency (p95)"]) {
      const chart = page.getByRole("figure").filter({ hasText: title });
      await chart.locator("canvas").waitFor();
      await chart.evaluate((element) => element.setAttribute("data-chart", "here"));
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await until(
          `what is known of ${title} is drawn in the ${colorScheme} theme's colours`,
          async () => {
            const drawn = await page.evaluate<Record<string, number>>(countColours);
            // Which conversations get the canary is chance: there may be one call of it, or none.
            return ["stable", "canary"].every((arm) => drawn[arm]! > 5 === series.some(({ route }) => route === arm));
          },
          30_000,
        );
      }
      await chart.evaluate((element) => element.removeAttribute("data-chart"));
      await chart.getByText("As a table").click();
    }
    const latency = page.getByRole("table", { name: "Latency by time, newest first" });
    assert.equal(await latency.getByRole("row").count(), 1 + Math.min(series.length, 20));
    // So few calls a minute do not tell how slow the slowest ones are.
    assert.match(await latency.getByRole("row").nth(1).innerText(), /\d+ ms\s+\d+ ms\s+\d+ ms or more$/);
    const failed = page.getByRole("table", { name: /^Failed calls in all/ });
    for (const arm of ["stable", "canary"]) {
      const own = series.filter(({ route }) => route === arm);
      const sum = (key: "calls" | "errors"): number => own.reduce((total, bucket) => total + bucket[key], 0);
      await failed.getByRole("row", { name: new RegExp(`^${arm} ${sum("calls")} ${sum("errors")} `) }).waitFor();
    }
    assertQuiet();
  },
);

/** How many pixels of the chart have the colour of a line, which their bands are too pale for. */
const countColours = `(() => {
  const figure = document.querySelector("[data-chart]");
  const canvas = figure.querySelector("canvas");
  // A copy: the browser warns of a canvas that is read as often as this.
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  const probe = figure.appendChild(document.createElement("span"));
  const counts = {};
  for (const arm of ["stable", "canary"]) {
    probe.style.color = "var(--chart-" + arm + ")";
    const [red, green, blue] = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
    counts[arm] = 0;
    for (let at = 0; at < data.length; at += 4) {
      const isNear = [red, green, blue].every((part, index) => Math.abs(data[at + index] - part) < 48);
      if (isNear && data[at + 3] > 128) counts[arm] += 1;
    }
  }
  probe.remove();
  return counts;
})()`;

test("whoever may only look is offered no orders [G6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, {
    prepare: (each) => tryVersions(each, { calls: 4 }),
    path: "/rollouts/word_count",
    kind: "looking",
  });
  await page.getByText("This sign-in may look, not decide.").waitFor();
  assert.equal(await page.getByRole("button", { name: /Promote|Roll back/ }).count(), 0);
  assertQuiet();
});

test(
  "a version that was stable is gone back to on the page, after it said what comes of it [D6 V11]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, {
      prepare: (each) => tryVersions(each, { calls: 20 }),
      path: "/rollouts/word_count",
    });
    const read = async () =>
      machine.api<Rollout & { readonly release: { readonly stable: { readonly hash: string } } }>(
        "/api/rollouts/word_count",
      );
    const { hash } = (await read()).release.stable;
    await machine.api("/api/rollouts/word_count/promote", { to: "all" });
    const { hash: newer } = (await read()).release.stable;
    assert.notEqual(newer, hash);

    const before = page.getByRole("list", { name: "Stable before" });
    await before.getByRole("button", { name: `Go back to this version: ${hash.slice(0, 12)}` }).click();
    const dialog = page.getByRole("dialog");
    const consequence = `Everybody gets word_count@${hash.slice(0, 12)} at once. What was stable after it stays out.`;
    await dialog.getByText(consequence, { exact: true }).waitFor();
    await dialog.getByLabel("Reason").fill("The counts are wrong.");
    await dialog.getByRole("button", { name: "Go back to this version" }).click();
    await dialog.waitFor({ state: "detached" });
    await before.getByText(", rolled back").waitFor();
    const after = await read();
    assert.equal(after.release.stable.hash, hash);
    assert.deepEqual([after.history[0]?.type, after.history[0]?.by], ["rolled_back", "person"]);
    assert.match(after.history[0]!.reason, /The counts are wrong/);
    assertQuiet();
  },
);

test("a page without tool files says what becomes of an edit in the mode that is on [D6]", browserLane(), async (t) => {
  for (const [settings, sentence] of [
    [{}, "When you edit it, the new version is live at the next call; with"],
    [{ rollout: { mode: "canary" } }, "When you edit it, a few conversations try the new version first."],
  ] as const) {
    const { page, assertQuiet } = await openDashboard(t, {
      async prepare({ workdir, env }) {
        await rm(join(workdir, "tools"), { recursive: true });
        await writeFile(join(env["XDG_CONFIG_HOME"]!, "deckhand", "deckhand.json"), JSON.stringify(settings));
      },
      path: "/rollouts",
    });
    await page.getByText("No tool file has been used here yet.").waitFor();
    assert.ok((await page.getByRole("main").innerText()).includes(sentence), sentence);
    assertQuiet();
  }
});
