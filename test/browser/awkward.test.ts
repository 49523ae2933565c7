import assert from "node:assert/strict";
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createRuntime } from "../../src/runtime/create-runtime.ts";
import { createTrust } from "../../src/permissions/trust/open-trust.ts";
import type { Machine } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { browserLane } from "./support/chromium.ts";
import { findViolations } from "./support/find-violations.ts";
import { openDashboard } from "./support/open-dashboard.ts";
import { switchPage } from "./support/show-page.ts";

const longName = `a_name_${"without_an_end_".repeat(3)}in_sight`;

/** A tool with a name as long as names can be, one that takes either of two things, and one that is none. */
async function addOddTools({ workdir, env }: Machine): Promise<void> {
  const tool = (name: string, schema: object): string =>
    `export const TOOL_SPEC = ${JSON.stringify({
      name,
      description: "Odd.",
      input_schema: { type: "object", ...schema },
      traits: { read_only: true },
    })};\nexport const run = async (input) => ({ ok: true, output: JSON.stringify(input) });\n`;
  const field = { [`${longName}_of_a_field`]: { type: "string" } };
  await writeFile(join(workdir, "tools", "long.js"), tool(longName, { properties: field }));
  const either = { oneOf: [{ required: ["a"] }, { required: ["b"] }] };
  await writeFile(join(workdir, "tools", "either.js"), tool("either", either));
  await writeFile(join(workdir, "tools", "broken.js"), tool("no name!", {}));
  const trust = createTrust(workdir, env);
  trust.grant("kim", { files: trust.files().map(({ path }) => path), quarantined: trust.quarantined() });
}

test(
  "the longest names and fields fit a phone, and a single warning is a sentence with nothing to open [D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, {
      prepare: addOddTools,
      options: { viewport: { width: 360, height: 740 }, hasTouch: true },
    });
    await machine.api(`/api/tools/${longName}/call`, { input: {} });
    const wide: string[] = [];
    const measure = async (path: string): Promise<void> => {
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll("main h1, main strong, main .field-label, main code")]
          .filter((each) => each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.textContent)`,
      );
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      if (width > 360 || cut.length > 0) wide.push(`${path}: ${width} ${cut.join()}`);
    };
    const pages = { "/": "Now", "/tools": "Tools", "/rollouts": "Rollouts", "/log": "Log" };
    const ofTheTool = { [`/tools/${longName}`]: longName, [`/rollouts/${longName}`]: longName };
    for (const [path, heading] of Object.entries({ ...pages, ...ofTheTool })) {
      await switchPage(page, path, heading);
      await page.getByText(longName).filter({ visible: true }).first().waitFor();
      await measure(path);
    }
    const answer = Promise.withResolvers<void>();
    await page.route("**/api/rollouts/*", (route) => answer.promise.then(() => route.continue()));
    await page.goto(`${machine.origin}/rollouts/${longName}`);
    await page.getByText(`Loading ${longName}`).waitFor();
    await measure("while it is loading");
    answer.resolve();
    await page.getByText("What is compared").or(page.getByText("Versions")).first().waitFor();
    assert.deepEqual(wide, []);
    await page.locator(".notice", { hasText: "broken.js" }).first().waitFor();
    assert.equal(await page.locator("details.notice").count(), 0);
    assertQuiet();
  },
);

test("with letters of one and a half times the size everything still fits a phone [D6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, {
    options: { viewport: { width: 390, height: 740 }, hasTouch: true },
  });
  const wide: string[] = [];
  const pages = { "/": "Now", "/inbox": "Inbox", "/tasks": "Tasks", "/schedule": "Schedule", "/tools": "Tools" };
  const others = { "/tools/find_orders": "find_orders", "/rollouts": "Rollouts", "/log": "Log" };
  for (const [path, heading] of Object.entries({ ...pages, ...others })) {
    await switchPage(page, path, heading);
    await page.evaluate('document.documentElement.style.fontSize = "24px"');
    assert.equal(await page.evaluate<string>("getComputedStyle(document.body).fontSize"), "21px");
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    const names = await page.evaluate<string[]>(
      `[...document.querySelectorAll("nav .area-name")]
        .filter((each) => each.getBoundingClientRect().width > each.parentElement.getBoundingClientRect().width + 1)
        .map((each) => each.textContent)`,
    );
    if (width > 390 || names.length > 0) wide.push(`${path}: ${width} ${names.join()}`);
  }
  assert.deepEqual(wide, []);
  assertQuiet();
});

test("a tool that takes one of several inputs is given it as JSON [D6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, { prepare: addOddTools, path: "/tools/either" });
  await page.getByLabel("Input, as JSON").fill('{"b": 1}');
  await page.getByRole("button", { name: "Run" }).click();
  await page.getByLabel("Result", { exact: true }).filter({ hasText: '{"b":1}' }).waitFor();
  assertQuiet();
});

test(
  "before something dangerous runs, all of it can be read, on a phone and by keyboard [L7 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, {
      path: "/inbox",
      options: { viewport: { width: 360, height: 740 }, hasTouch: true },
    });
    const runtime = await createRuntime({ workdir: machine.workdir, env: machine.env });
    afterTest(t, () => runtime.close());
    const command = `${"echo step\n".repeat(40)}rm -rf reports/${"old".repeat(60)}`;
    const asked = runtime.call("bash", { command }, { door: "agent" });
    await page.getByRole("link", { name: /echo step/ }).click();
    await page.getByRole("button", { name: "Approve…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    assert.deepEqual(await findViolations(page), []);
    const overflow = await dialog.evaluate((each) => each.scrollWidth - each.clientWidth);
    assert.equal(overflow, 0);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Deny" }).click();
    assert.notEqual((await asked).state, "completed");
    assertQuiet();
  },
);

test("a diff that is too long to be shown whole says so before it is approved [L7 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t, { path: "/inbox" });
  const runtime = await createRuntime({ workdir: machine.workdir, env: machine.env });
  afterTest(t, () => runtime.close());
  const content = Array.from({ length: 3000 }, (_, line) => `line ${line}\n`).join("");
  const asked = runtime.call("write", { file_path: "long.txt", content }, { door: "agent" });
  await page.getByText(/^Not all of it: \d+ more lines of the diff left out$/).waitFor();
  assert.equal(await page.locator(".diff-line").count(), 600);
  await page.getByRole("button", { name: /^Show the other/ }).click();
  await page.locator(".diff-line").nth(1999).waitFor();
  await page.getByRole("button", { name: "Deny" }).click();
  assert.notEqual((await asked).state, "completed");
  assertQuiet();
});

test("lines of the log that somebody put there are shown, whatever is in them [D4 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t);
  await machine.api("/api/tools/word_count/call", { input: { text: "a b" } });
  const log = join(machine.workdir, ".deckhand", "logs", "chat_log.jsonl");
  await appendFile(log, `{"at":"some day","type":"tool_call","id":5}\nno JSON <b>at all</b>\n{"at":1e99}\n[1]\nnull\n`);
  await page.goto(`${machine.origin}/log`);
  const lines = page.getByRole("list", { name: "Lines of the log" });
  await lines.getByText("some day").waitFor();
  await lines.getByText("word_count").first().waitFor();
  assertQuiet();
});

test("with the system's own colours, what is chosen still shows [D6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, { options: { forcedColors: "active" } });
  // Every ground becomes the system's; the letters tell.
  const letters = (path: string): Promise<string> =>
    page.evaluate<string>(`getComputedStyle(document.querySelector('nav a[href="${path}"]')).color`);
  await page.getByRole("heading", { level: 1, name: "Now" }).waitFor();
  assert.notEqual(await letters("/"), await letters("/tasks"));
  assertQuiet();
});
