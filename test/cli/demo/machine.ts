import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { openMachine, type Machine } from "../run-deckhand.ts";

/** A machine without a model, whose temporary files can be looked at. */
export interface DemoMachine extends Machine {
  readonly temporary: string;
  /** All files and folders of the person: workdir, home, state, configuration, cache. */
  belongings(): Promise<string[]>;
}

export async function openDemoMachine(t: { after(hook: () => Promise<void>): void }): Promise<DemoMachine> {
  const machine = await openMachine(t);
  const folder = join(machine.workdir, "..");
  const temporary = join(folder, "temporary");
  await mkdir(temporary);
  // Nobody listens at this port: an Ollama of the machine that runs the test is not found.
  Object.assign(machine.env, { TMPDIR: temporary, OLLAMA_HOST: "127.0.0.1:9" });
  return {
    ...machine,
    temporary,
    async belongings() {
      const all = await readdir(folder, { recursive: true });
      return all.filter((path) => !path.startsWith("temporary/")).toSorted();
    },
  };
}
