import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { createRuntime, type Runtime } from "../../src/runtime/create-runtime.ts";
import type { Machine } from "../cli/run-deckhand.ts";
import { afterTest } from "../support/after-test.ts";
import { browserLane } from "./support/chromium.ts";
import { openDashboard } from "./support/open-dashboard.ts";

/** Another process of the same workdir, whose calls wait for the person. */
async function openAsker(t: TestContext, { workdir, env }: Pick<Machine, "workdir" | "env">): Promise<Runtime> {
  const runtime = await createRuntime({ workdir, env });
  afterTest(t, () => runtime.close());
  return runtime;
}

test(
  "a question is answered on the page, and the call that waits gets the answer [L7 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, { path: "/inbox" });
    await page.getByText("Nothing waits for you.").waitFor();
    const runtime = await openAsker(t, machine);
    const asked = runtime.call("ask_user", {
      question: "How are prices rounded? <b>Really</b>",
      options: ["to the cent", "to five cents"],
      other: true,
    });
    await page.getByRole("heading", { name: "How are prices rounded? <b>Really</b>" }).waitFor();
    await page.getByRole("link", { name: /Inbox.*1 waiting for you/ }).waitFor();
    await page.getByText("by library", { exact: true }).waitFor();
    await page.getByText("tool ask_user", { exact: true }).waitFor();
    assert.match(await page.title(), /^\(1\) Inbox/);
    await page.getByRole("radio", { name: "to five cents" }).check();
    await page.getByRole("button", { name: "Answer" }).click();
    const execution = await asked;
    assert.equal(execution.state, "completed");
    assert.match(execution.result?.output ?? "", /to five cents/);
    await page.getByText("Nothing waits for you.").waitFor();

    const again = runtime.call("ask_user", { question: "Anything else?" });
    await page.getByRole("heading", { name: "Anything else?" }).waitFor();
    await page.getByLabel(/^Your answer/).fill("No, thank you.");
    await page.keyboard.press("Control+Enter");
    assert.match((await again).result?.output ?? "", /No, thank you\./);
    assertQuiet();
  },
);

test(
  "one diff is approved and another denied on the page, and the files are as decided [L7 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, { path: "/inbox" });
    const runtime = await openAsker(t, machine);
    const file = join(machine.workdir, "src", "price.js");
    const edit = (from: string, to: string) =>
      runtime.call("edit", { file_path: "src/price.js", old_string: from, new_string: to }, { door: "agent" });

    await runtime.call("read", { file_path: "src/price.js" }, { door: "agent" });
    const wanted = edit("pieces * 4.2", "pieces * 4.5");
    await page.locator(".diff-line.removed", { hasText: "-  const sum = pieces * 4.2;" }).waitFor();
    await page.locator(".diff-line.added", { hasText: "+  const sum = pieces * 4.5;" }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    assert.equal((await wanted).state, "completed");
    assert.match(await readFile(file, "utf8"), /pieces \* 4\.5/);

    await runtime.call("read", { file_path: "src/price.js" }, { door: "agent" });
    const unwanted = edit("// to the cent", "// who cares");
    await page.locator(".diff-line.added", { hasText: "who cares" }).waitFor();
    await page.getByLabel(/^Reason for a no/).fill("Comments stay.");
    await page.getByRole("button", { name: "Deny" }).click();
    const denied = await unwanted;
    assert.notEqual(denied.state, "completed");
    assert.equal(denied.note, "The person said: Comments stay.");
    assert.match(await readFile(file, "utf8"), /\/\/ to the cent/);
    assert.deepEqual([denied.permission?.decision, denied.permission?.by], ["deny", "person"]);
    assertQuiet();
  },
);

test(
  "what is open in the inbox stays open, with what was typed, when something newer comes [L7 D6]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet } = await openDashboard(t, { path: "/inbox" });
    const runtime = await openAsker(t, machine);
    const first = runtime.call("bash", { command: "touch first" }, { door: "agent" });
    const heading = page.locator(".split-detail h2");
    const rows = page.getByRole("list", { name: "Inbox" }).getByRole("listitem");
    await page.getByRole("group", { name: "what would run" }).filter({ hasText: "touch first" }).waitFor();
    await page.getByLabel("Reason for a no").fill("Because of ");
    const second = runtime.call("ask_user", { question: "Something newer?" });
    await rows.nth(1).waitFor();
    assert.match(await rows.first().innerText(), /Something newer/);
    assert.equal(await heading.innerText(), "Run a command");
    await page.getByLabel("Reason for a no").pressSequentially("reasons.");
    await page.getByRole("button", { name: "Deny" }).click();
    assert.equal((await first).note, "The person said: Because of reasons.");

    // The one that is left is open then, and the focus is there.
    await heading.filter({ hasText: "Something newer?" }).waitFor();
    assert.equal(await page.evaluate<string>("document.activeElement.textContent"), "Something newer?");
    await page.getByLabel("Your answer").fill("No.");
    await page.getByRole("button", { name: "Answer" }).click();
    assert.match((await second).result?.output ?? "", /No\./);
    await page.getByText("Nothing waits for you.").waitFor();
    assertQuiet();
  },
);

test("a key that is held down decides about one entry, not about all of them [L7 D6]", browserLane(), async (t) => {
  const { machine, page, assertQuiet } = await openDashboard(t, { path: "/inbox" });
  const runtime = await openAsker(t, machine);
  const shown = page.getByRole("group", { name: "what would run" });
  const below = runtime.call("bash", { command: "touch below" }, { door: "agent" });
  await shown.filter({ hasText: "touch below" }).waitFor();
  const above = runtime.call("bash", { command: "touch above" }, { door: "agent" });
  await page.getByRole("link", { name: /touch above/ }).click();
  await shown.filter({ hasText: "touch above" }).waitFor();
  await page.keyboard.down("a");
  assert.equal((await above).state, "completed");
  await shown.filter({ hasText: "touch below" }).waitFor();
  await page.keyboard.down("a");
  await page.keyboard.down("a");
  await page.keyboard.up("a");
  await page.keyboard.press("d");
  const denied = await below;
  assert.deepEqual([denied.permission?.decision, denied.permission?.by], ["deny", "person"]);
  assertQuiet();
});
