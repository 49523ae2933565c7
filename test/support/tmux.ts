import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { afterTest } from "./after-test.ts";
import { lane } from "./require.ts";
import { temporaryFolder } from "./temporary.ts";

const run = promisify(execFile);
/** How long a slow machine may take to show something; nothing waits this long when it works. */
const deadlineMs = 60_000;

/** A real terminal: keys are sent, the screen is read. */
export interface Tmux {
  readonly folder: string;
  /** Keys by tmux's names: `Enter`, `C-c`, `M-Enter`, `Up`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Text, character by character as typed. */
  type(text: string): Promise<void>;
  /** As the terminal pastes: in brackets if the program asked for them. */
  paste(text: string): Promise<void>;
  resize(size: { readonly columns: number; readonly rows: number }): Promise<void>;
  /** The visible rows without spaces at their ends; empty rows at the end are left out. */
  screen(): Promise<string>;
  /** The same with what has scrolled away. */
  scrollback(): Promise<string>;
  cursor(): Promise<{ readonly column: number; readonly row: number; readonly isVisible: boolean }>;
  /** To the program that has the terminal, not to the shell behind it. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** The visible rows with the sequences that colour them. */
  colours(): Promise<string>;
  /** Has a bell rung since it was opened? */
  hasRung(): Promise<boolean>;
  /** As if its window was closed: whoever runs in it gets a hangup. */
  close(): Promise<void>;
  /** Waits until the screen has it; the last screen is in the error. */
  see(wanted: string | RegExp): Promise<string>;
}

export function tmuxLane(): { skip?: string } {
  return lane("tmux", findTmux());
}

function findTmux(): boolean | string {
  try {
    execFileSync("tmux", ["-V"], { stdio: "ignore" });
    return true;
  } catch {
    return "tmux is not installed";
  }
}

/** A shell in a terminal of its own, ended after the test. Its prompt is `ready> `. */
export async function openTmux(
  t: { after(hook: () => Promise<void>): void },
  options: { readonly columns?: number; readonly rows?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Tmux> {
  const folder = await temporaryFolder(t);
  const { columns = 80, rows = 24 } = options;
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: folder,
    LANG: "C.UTF-8",
    TERM: "xterm-256color",
    ...options.env,
  };
  const tmux = async (...args: string[]): Promise<string> =>
    (await run("tmux", ["-u", "-f", "/dev/null", "-S", join(folder, "socket"), ...args], { env, cwd: folder })).stdout;
  afterTest(t, () => tmux("kill-server").catch(() => undefined));
  await tmux("new-session", "-d", "-x", `${columns}`, "-y", `${rows}`, "sh");
  const capture = async (...from: string[]): Promise<string> =>
    (await tmux("capture-pane", "-p", ...from))
      .split("\n")
      .map((row) => row.trimEnd())
      .join("\n")
      .trimEnd();
  const screen = (): Promise<string> => capture();
  const see = async (wanted: string | RegExp): Promise<string> => {
    for (const until = performance.now() + deadlineMs; ; await wait(30)) {
      const shown = await screen();
      if (typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown)) return shown;
      if (performance.now() > until) assert.fail(`The screen never had ${String(wanted)}:\n${shown}`);
    }
  };
  await see(/[#$]$/);
  // Shells choose their own prompt by who runs them; this one can be waited for.
  await tmux("send-keys", "PS1='ready> '; clear", "Enter");
  await see(/^ready>$/);
  return {
    folder,
    screen,
    scrollback: () => capture("-S", "-"),
    see,
    press: async (...keys) => void (await tmux("send-keys", ...keys)),
    type: async (text) => void (await tmux("send-keys", "-l", text)),
    async paste(text) {
      await tmux("set-buffer", text);
      await tmux("paste-buffer", "-p");
    },
    resize: async (size) => void (await tmux("resize-window", "-x", `${size.columns}`, "-y", `${size.rows}`)),
    async signal(signal) {
      const shell = Number(await tmux("display-message", "-p", "#{pane_pid}"));
      const { stdout } = await run("pgrep", ["-P", `${shell}`]);
      for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), signal);
    },
    colours: () => capture("-e"),
    // Noted because nobody looks at the window.
    hasRung: async () => (await tmux("display-message", "-p", "#{window_bell_flag}")).trim() === "1",
    close: async () => void (await tmux("kill-server")),
    async cursor() {
      const [column, row, flag] = (await tmux("display-message", "-p", "#{cursor_x} #{cursor_y} #{cursor_flag}")).split(
        " ",
      );
      return { column: Number(column), row: Number(row), isVisible: flag?.trim() === "1" };
    },
  };
}
