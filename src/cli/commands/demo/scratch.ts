import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Clock } from "../../../core/clock.ts";
import { messageOf } from "../../../core/errors.ts";
import type { Environment } from "../../../core/process.ts";
import type { Key } from "../../repl/input/keys.ts";

/** A place of its own for the demo: nothing of it lands anywhere else, and nothing of the person's changes it. */
export interface Scratch {
  readonly folder: string;
  readonly workdir: string;
  readonly env: Environment;
  /** A file beside the workdir, where no tool sees it. */
  write(name: string, text: string): Promise<string>;
  remove(): Promise<void>;
}

export async function openScratch(env: Environment): Promise<Scratch> {
  const folder = await makeFolder();
  const workdir = join(folder, "till");
  for (const [path, text] of Object.entries(sampleProject)) {
    const file = join(workdir, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  await mkdir(join(folder, "home"));
  await mkdir(join(folder, "scripts"));
  return {
    folder,
    workdir,
    env: { ...kept(env), ...ownHomes(folder) },
    async write(name, text) {
      const path = join(folder, "scripts", name);
      await writeFile(path, text);
      return path;
    },
    remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
}

async function makeFolder(): Promise<string> {
  try {
    return await realpath(await mkdtemp(join(tmpdir(), "deckhand-demo-")));
  } catch (thrown) {
    const why = `none could be made in ${tmpdir()} (${messageOf(thrown)})`;
    throw new Error(`The demo needs a temporary folder, and ${why}: set TMPDIR to one that can be written.`, {
      cause: thrown,
    });
  }
}

/** What programs need to run. Keys, and settings of the person's own, are not among it. */
function kept(env: Environment): Environment {
  const path = [dirname(process.execPath), env["PATH"] ?? ""].filter(Boolean).join(delimiter);
  const names = Object.keys(env).filter((name) => needed.has(name) || name.startsWith("LC_"));
  return { ...Object.fromEntries(names.map((name) => [name, env[name]])), PATH: path };
}

const needed = new Set(["USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ", "TMPDIR", "DECKHAND_SANDBOX"]);

function ownHomes(folder: string): Environment {
  const home = join(folder, "home");
  return {
    HOME: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local", "share"),
  };
}

/** The project of the demo: a till that adds up wrongly, with tests that show it. */
const sampleProject: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "till", "private": true, "type": "module", "scripts": { "test": "node --test" } }
`,
  "src/price.js": `/** What one line of a receipt costs. */
export function lineTotal({ price, count }) {
  return price * count;
}
`,
  "src/receipt.js": `import { lineTotal } from "./price.js";

/** What the customer pays. */
export function receiptTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line), 0);
}
`,
  "test/receipt.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { lineTotal } from "../src/price.js";
import { receiptTotal } from "../src/receipt.js";

test("two coffees", () => assert.equal(lineTotal({ price: 2.5, count: 2 }), 5));
test("three sweets", () => assert.equal(lineTotal({ price: 0.1, count: 3 }), 0.3));
test("nothing costs nothing", () => assert.equal(receiptTotal([]), 0));
`,
  "backups/monday.txt": "12 receipts\n",
  "backups/tuesday.txt": "9 receipts\n",
  "soak.sh": `# Keeps the till busy until somebody stops it. Its helper ignores the request to end.
trap "" TERM HUP
sleep 600 &
trap - TERM HUP
echo "helper is up"
round=0
while :; do
  round=$((round + 1))
  echo "round $round: all well"
  sleep 1
done
`,
};

/** What a person may choose, and what it means in code. */
export const roundings = [
  { label: "To the nearest cent", code: "Math.round(price * count * 100) / 100" },
  { label: "Down to the cent", code: "Math.floor(price * count * 100) / 100" },
  { label: "To four decimals", code: "Math.round(price * count * 1e4) / 1e4" },
] as const;

/** How fast the demo goes. */
export interface Pace {
  /** Between two pieces of what the model says; null: it says each part at once. */
  readonly pieceMs: number | null;
  /** Between two characters that somebody types. */
  readonly typeMs: number;
  /** To read what was shown. */
  readonly pauseMs: number;
}

export const forReaders: Pace = { pieceMs: 45, typeMs: 22, pauseMs: 2500 };
/** Nobody watches, or nobody wants to wait. */
export const withoutPauses: Pace = { pieceMs: null, typeMs: 0, pauseMs: 0 };

/** Ends early when the signal fires. */
export function pauseFor(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  if (delayMs <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const stop = clock.after(delayMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** What a key means where nothing is typed. `interrupt` leaves as well, unless there is something to stop. */
export function meaningOf(key: Key): "go on" | "leave" | "interrupt" | null {
  if (key.kind === "text") return key.text.toLowerCase() === "q" ? "leave" : null;
  if (key.kind === "paste") return null;
  return meanings[key.name] ?? null;
}

const meanings: Readonly<Record<string, "go on" | "leave" | "interrupt">> = {
  enter: "go on",
  escape: "leave",
  "ctrl-d": "leave",
  "ctrl-c": "interrupt",
};
