import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { messageOf } from "../../../core/errors.ts";
import type { Environment } from "../../../core/process.ts";
import { sampleProject } from "./sample-project.ts";

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
