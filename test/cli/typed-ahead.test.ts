import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { openTmux, tmuxLane, type Tmux } from "../support/tmux.ts";
import { deckhand, openMachine } from "./run-deckhand.ts";

/** A terminal in a folder that holds `zz`, and a settings file that needs trust. */
async function openFolder(t: TestContext): Promise<Tmux & { readonly workdir: string }> {
  const { workdir, env } = await openMachine(t);
  await mkdir(join(workdir, "zz"), { recursive: true });
  await writeFile(join(workdir, "deckhand.json"), '{"permissions":{"allow":["bash"]}}');
  return { ...(await openTmux(t, { columns: 160, env })), workdir };
}

const command = [process.execPath, ...deckhand].join(" ");

test(
  "a yes that was typed before the question is not taken for an answer by deckhand tool [E7]",
  tmuxLane(),
  async (t) => {
    const terminal = await openFolder(t);
    const { workdir } = terminal;
    await terminal.type(`cd ${workdir}; ${command} tool bash '{"command":"rm -rf zz"}'; echo "ended with $?"`);
    await terminal.press("Enter");
    await terminal.type("yes");
    await terminal.press("Enter");
    await terminal.type("yes");
    await terminal.press("Enter");
    await terminal.see('Type "yes" to run it, anything else to refuse:');
    assert.ok(existsSync(join(workdir, "zz")));
    await terminal.type("no");
    await terminal.press("Enter");
    await terminal.see("ended with 3");
    assert.ok(existsSync(join(workdir, "zz")));
  },
);

test("nor by deckhand trust; one that is typed after it is [E7]", tmuxLane(), async (t) => {
  const terminal = await openFolder(t);
  const { workdir } = terminal;
  await terminal.type(`cd ${workdir}; ${command} trust; echo "ended with $?"`);
  await terminal.press("Enter");
  await terminal.type("yes");
  await terminal.press("Enter");
  await terminal.see("do you trust them as they are now? [y/N]");
  await terminal.press("Enter");
  await terminal.see("ended with 3");
  await terminal.type(`clear; ${command} trust; echo "ended again with $?"`);
  await terminal.press("Enter");
  await terminal.see("do you trust them as they are now? [y/N]");
  await terminal.type("yes");
  await terminal.press("Enter");
  await terminal.see("ended again with 0");
});
