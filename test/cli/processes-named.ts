import { livingProcesses } from "../support/living-processes.ts";
import { until } from "../support/runtime.ts";

/** A text that no other process on this machine has in its command line. */
export function uniqueSeconds(): string {
  return `3${process.pid}.${Math.floor(Math.random() * 1e9)}`;
}

/** How many `sleep` processes have this text in their command line. */
export function countProcesses(text: string): number {
  return livingProcesses().filter(({ command }) => /^(?:\S*\/)?sleep /.test(command) && command.includes(text)).length;
}

export async function untilProcesses(text: string, count: number): Promise<void> {
  await until(`${count} processes named ${text} run`, () => countProcesses(text) === count);
}
