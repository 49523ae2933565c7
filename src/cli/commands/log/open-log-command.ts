import { nearest } from "../../../core/text.ts";
import {
  entryTypes,
  openJournalReader,
  type FoundCall,
  type JournalReader,
} from "../../../records/audit-log/log-reader.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { chooseWorkdir } from "../../open-runtime.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export function openLog(invocation: Invocation, { env }: Terminal): JournalReader {
  return openJournalReader(chooseWorkdir(invocation, env), env);
}

/** The lines that an ID means; undefined, after saying so, when there are none. Throws a UsageError when it means several. */
export async function findInLog(
  log: JournalReader,
  given: string,
  terminal: Terminal,
): Promise<Exclude<FoundCall, { kind: "none" | "several" }> | undefined> {
  if (given.trim().length < 4) {
    throw new UsageError(`"${given}" is too short for an id: give at least 4 characters of its end, or WRITER:NUMBER.`);
  }
  const found = await log.find(given);
  if (found.kind === "several") {
    const shown = found.ids.slice(0, 3).join(", ");
    throw new UsageError(`"${given}" could be ${found.ids.length}: ${shown}, … Give more of the id.`);
  }
  if (found.kind !== "none") return found;
  terminal.tell(`deckhand: The log ${log.path} has nothing about "${given}". See deckhand log tail.`);
  return undefined;
}

export function readTypes(invocation: Invocation): string[] {
  return invocation
    .values("type")
    .flatMap((value) => value.split(","))
    .map((value) => {
      const type = value.trim().toLowerCase();
      if (entryTypes.some((each) => each === type)) return type;
      const [meant] = nearest(type, entryTypes, 1);
      const hint = meant === undefined ? `There are: ${entryTypes.join(", ")}.` : `Did you mean ${meant}?`;
      throw new UsageError(`"${value}" is not a type of line. ${hint}`);
    });
}
