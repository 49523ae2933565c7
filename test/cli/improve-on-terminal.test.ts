import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { mended, recordCalls, replying } from "../tool-files/improve/improve-bench.ts";
import { openTmux, tmuxLane } from "../support/tmux.ts";
import { openMachine, deckhand } from "./run-deckhand.ts";

test(
  "on a terminal the person sees what it would reach, then what passed, and has the last word [V7]",
  tmuxLane(),
  async (t) => {
    const { workdir, env } = await openMachine(t);
    await recordCalls({ workdir, env });
    const mark = join(workdir, "ran");
    const reaching = `import { writeFileSync } from "node:fs";\nwriteFileSync(${JSON.stringify(mark)}, "");\n${mended}`;
    const tmux = await openTmux(t, { columns: 120, rows: 60, env });
    let attempts = 0;
    /** Gives what the screen starts with then: what it showed before may still be there for a moment. */
    const improve = async (reply: string): Promise<string> => {
      await writeFile(join(workdir, "script.json"), JSON.stringify({ turns: [reply] }));
      const words = [
        process.execPath,
        ...deckhand,
        "improve",
        "initials",
        "--attempts",
        "1",
        "--model",
        "script:script.json",
      ];
      const attempt = ++attempts;
      await tmux.type(`clear; cd ${workdir}; echo "attempt $((${attempt}))"; ${words.join(" ")}; echo "ended with $?"`);
      await tmux.press("Enter");
      return `attempt ${attempt}`;
    };
    await improve(replying(reaching));
    await tmux.see("It would newly reach fs, and is not run before you say so. Allow that? [y/N]");
    await assert.rejects(stat(mark), { code: "ENOENT" });
    await tmux.press("Enter");
    await tmux.see("ended with 3");
    await assert.rejects(stat(mark), { code: "ENOENT" });
    await improve(replying(mended));
    await tmux.see(/failures +passed +3 of 3 recorded failures[\s\S]*Begin to try it\? \[y\/N\]/);
    await tmux.type("n");
    await tmux.press("Enter");
    await tmux.see(/Nothing was started: initials@[0-9a-f]{12} was declined\.[\s\S]*ended with 3/);
    const start = await improve(replying(mended));
    await tmux.see(new RegExp(`${start}[\\s\\S]*Begin to try it\\? \\[y/N\\]`));
    await tmux.type("y");
    await tmux.press("Enter");
    await tmux.see(/is tried from now on \(roll_[\s\S]*ended with 0/);
  },
);
