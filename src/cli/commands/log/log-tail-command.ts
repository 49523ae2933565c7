import type { EntryQuery, JournalReader, ReadEntry } from "../../../records/audit-log/log-reader.ts";
import { UsageError, type Invocation } from "../../parser/command.ts";
import { summarizeEntry } from "./describe-log-entry.ts";
import { codeOfSignal, exitCode } from "../../parser/exit-code.ts";
import { openLog, readTypes } from "./open-log-command.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { watchSignals } from "../../terminal/watch-signals.ts";

const defaultLines = 20;

/** `deckhand log [tail]` */
export async function runLogTail(invocation: Invocation, terminal: Terminal): Promise<number> {
  const limit = readLimit(invocation.value("lines"));
  const query = readQuery(invocation);
  const log = openLog(invocation, terminal);
  const show = ({ entry }: ReadEntry): void => {
    if (invocation.has("json")) terminal.printJsonLine(entry);
    else terminal.print(summarizeEntry(entry, terminal));
  };
  const last = await log.last(limit, query);
  last.forEach(show);
  if (invocation.has("follow")) return follow(log, query, { terminal, show });
  if (last.length === 0 && limit > 0) terminal.tell(`Nothing to show in the log ${log.path}.`);
  return exitCode.done;
}

/** Until Ctrl-C, or until whoever reads has gone. */
async function follow(
  log: JournalReader,
  query: EntryQuery,
  { terminal, show }: { readonly terminal: Terminal; readonly show: (read: ReadEntry) => void },
): Promise<number> {
  const enough = new AbortController();
  const stop = (): void => enough.abort();
  const watch = watchSignals(terminal, stop);
  process.stdout.once("error", stop);
  try {
    for await (const read of log.follow(query, enough.signal)) show(read);
    return watch.signal ? codeOfSignal[watch.signal] : exitCode.done;
  } finally {
    process.stdout.off("error", stop);
    watch.end();
  }
}

function readQuery(invocation: Invocation): EntryQuery {
  const types = readTypes(invocation);
  const tool = invocation.value("tool");
  const conversationId = invocation.value("conversation");
  return {
    ...(types.length === 0 ? {} : { types }),
    ...(tool === undefined ? {} : { tools: [tool] }),
    ...(conversationId === undefined ? {} : { conversationId }),
  };
}

function readLimit(given: string | undefined): number {
  if (given === undefined) return defaultLines;
  const limit = /^\d+$/.test(given) ? Number(given) : -1;
  if (limit >= 0 && Number.isSafeInteger(limit)) return limit;
  throw new UsageError(`--lines takes a whole number, got "${given}".`);
}
