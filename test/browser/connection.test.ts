import assert from "node:assert/strict";
import { test } from "node:test";
import { browserLane } from "./support/chromium.ts";
import { shareBrowser } from "./support/shared-browser.ts";
import { openDashboard } from "./support/open-dashboard.ts";
import { openServedMachine } from "./support/served-machine.ts";
import { openPage } from "./support/watched-page.ts";

test("a login code works once: the second browser is told how to get another [G6]", browserLane(), async (t) => {
  const machine = await openServedMachine(t);
  const browser = await shareBrowser(t);
  const link = await machine.loginLink("/tools");
  const first = await openPage(browser, machine.origin);
  await first.page.goto(link);
  await first.page.getByRole("heading", { level: 1, name: "Tools" }).waitFor();
  assert.equal(new URL(first.page.url()).hash, "", "the code is gone from the address");
  const [cookie] = await first.page.context().cookies();
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, "Strict"]);
  first.assertQuiet();

  const second = await openPage(browser, machine.origin);
  await second.page.goto(link);
  await second.page.getByText("deckhand serve open").first().waitFor();
  await second.page.getByText(/not valid any more/).waitFor();
  assert.equal(await second.page.getByRole("navigation").count(), 0);
  await second.page.getByLabel(/^One-time code/).fill("000000");
  await second.page.getByRole("button", { name: "Sign in" }).click();
  await second.page.getByText(/not valid any more/).waitFor();
  assert.deepEqual(await second.page.context().cookies(), []);

  await first.page.getByRole("button", { name: "Sign out" }).click();
  await first.page.getByRole("heading", { name: "Sign in to this machine" }).waitFor();
  await first.page.reload();
  await first.page.getByRole("heading", { name: "Sign in to this machine" }).waitFor();
});

test(
  "a page that is open while the daemon is killed says so, comes back, and shows what came meanwhile [D6 E9]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet, forget } = await openDashboard(t);
    await page.getByText("No call has ended here yet.").waitFor();
    await machine.kill();
    await page.getByText(/^Reconnecting…/).waitFor();
    // While nobody serves, a call is made on the command line.
    const { code } = await machine.run(["tool", "word_count", '{"text": "made meanwhile"}']);
    assert.equal(code, 0);
    await machine.start();
    await page.getByText(/^Reconnecting…/).waitFor({ state: "detached" });
    forget();
    await page.getByRole("list", { name: "Calls that ended" }).getByText("made meanwhile").waitFor();
    // And it is live again.
    await machine.api("/api/tools/word_count/call", { input: { text: "made afterwards" } });
    await page.getByRole("list", { name: "Calls that ended" }).getByText("made afterwards").waitFor();
    assertQuiet();
  },
);

test("the theme is as the system's until the button chooses another, which stays [D6]", browserLane(), async (t) => {
  const { page, assertQuiet } = await openDashboard(t, { options: { colorScheme: "dark" } });
  const background = (): Promise<string> =>
    page.evaluate<string>("getComputedStyle(document.documentElement).backgroundColor");
  const dark = await background();
  await page.getByRole("button", { name: "Theme: as the system. Switch to light" }).click();
  const button = page.getByRole("button", { name: "Theme: light. Switch to dark" });
  await button.waitFor();
  const light = await background();
  assert.notEqual(light, dark);
  await page.reload();
  await button.waitFor();
  assert.equal(await background(), light);
  await button.click();
  await page.emulateMedia({ colorScheme: "light" });
  await page.getByRole("button", { name: "Theme: dark. Switch to system" }).click();
  await page.getByRole("button", { name: /^Theme: as the system/ }).waitFor();
  assert.equal(await background(), light, "the system's is light by now");
  assertQuiet();
});

test(
  "that the daemon is away is seen wherever the page is scrolled to, and a page that was asked for meanwhile comes when it is back [D6 E9]",
  browserLane(),
  async (t) => {
    const { machine, page, assertQuiet, forget } = await openDashboard(t, { path: "/log" });
    for (let round = 0; round < 20; round++) {
      await machine.api("/api/tools/word_count/call", { input: { text: `round ${round}` } });
    }
    await page.getByRole("list", { name: "Lines of the log" }).getByRole("listitem").nth(60).waitFor();
    await page.evaluate("scrollTo(0, 900)");
    await machine.kill();
    const banner = page.getByText(/^Reconnecting…/);
    await banner.waitFor();
    assert.ok(((await banner.boundingBox())?.y ?? -1) >= 0, "it is on the screen");
    await page.getByRole("link", { name: /^Rollouts/ }).click();
    await page.getByText("A part of the dashboard could not be loaded.").waitFor();
    await machine.start();
    await page.getByRole("heading", { level: 1, name: "Rollouts" }).waitFor();
    await banner.waitFor({ state: "detached" });
    forget();
    await page.getByRole("link", { name: /word_count/ }).waitFor();
    assertQuiet();
  },
);
