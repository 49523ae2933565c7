import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openTmux, type Tmux } from "../support/tmux.ts";
import { openMachine, deckhand, type Machine } from "./run-deckhand.ts";

/** A person at a terminal, in front of a scripted model. */
export interface Talk extends Tmux {
  readonly machine: Machine;
  /** Types a line, waits until the prompt shows it, and sends it. */
  say(line: string): Promise<void>;
  /** Waits until the prompt is there to type in. */
  seePrompt(): Promise<string>;
  /** The shell has the terminal again, as it was; `code` is what the program ended with. */
  seeRestored(code: number): Promise<void>;
  /** Writes a file of the workdir. */
  put(name: string, content: string | Buffer): Promise<void>;
  read(name: string): Promise<string>;
  /** The entries of the conversation that was used last. */
  entries(): Promise<Record<string, unknown>[]>;
  /** Starts `deckhand …` at the shell, with the model of `script.json`. */
  start(...args: readonly string[]): Promise<void>;
}

export interface TalkOptions {
  /** What the model says: the script, or only its turns. */
  readonly script: unknown;
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  /** The person's own. */
  readonly settings?: object;
  /** Before it starts. */
  readonly files?: Readonly<Record<string, string>>;
}

export async function openTalk(t: TestContext, { script, args = ["agent"], ...options }: TalkOptions): Promise<Talk> {
  const machine = await openMachine(t);
  const { columns = 100, rows = 50 } = options;
  const tmux = await openTmux(t, { columns, rows, env: machine.env });
  const put = (name: string, content: string | Buffer): Promise<void> =>
    writeFile(join(machine.workdir, name), content);
  await put("script.json", JSON.stringify(script));
  for (const [name, content] of Object.entries(options.files ?? {})) await put(name, content);
  if (options.settings) {
    const folder = join(machine.env["XDG_CONFIG_HOME"]!, "deckhand");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "deckhand.json"), JSON.stringify(options.settings));
  }

  const talk: Talk = {
    ...tmux,
    machine,
    put,
    read: (name) => readFile(join(machine.workdir, name), "utf8"),
    async say(line) {
      await tmux.type(line);
      await tmux.see(`› ${line}`);
      await tmux.press("Enter");
    },
    // The row below the prompt is drawn with it, and not while the agent works.
    seePrompt: () => tmux.see(/^›\n\S[^\n]* · (?:ask|accept-edits|auto|plan|never)$/m),
    async seeRestored(code) {
      await tmux.see(new RegExp(`^code ${code}\nready>`, "m"));
      await tmux.type("clear; stty -a");
      await tmux.press("Enter");
      const shown = await tmux.see(/iexten/);
      assert.match(shown, /[^-]icanon/);
      assert.match(shown, /[^-]echo\b/);
      assert.equal((await tmux.cursor()).isVisible, true);
    },
    async entries() {
      const names = await readdir(join(machine.workdir, ".deckhand", "sessions"));
      const text = await readFile(join(machine.workdir, ".deckhand", "sessions", names.sort().at(-1)!), "utf8");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    async start(...words) {
      const command = [process.execPath, ...deckhand, ...words].map((word) => `'${word}'`).join(" ");
      await put("start.sh", `cd '${machine.workdir}' && ${command}\necho "code $?"\n`);
      await tmux.type(`clear; . '${machine.workdir}/start.sh'`);
      await tmux.press("Enter");
    },
  };
  await talk.start(...args, "--model", "script:script.json");
  return talk;
}
