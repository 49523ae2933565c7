import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/core/clock.ts";
import type { JournalHeads } from "../../../src/core/stores.ts";
import { defaultJournalSettings } from "../../../src/records/audit-log/log-entry.ts";
import { openJournal, type Journal, type JournalOptions } from "../../../src/records/audit-log/open-log.ts";
import type { VerifyReport } from "../../../src/records/audit-log/verify/verify-report.ts";
import { verifyJournal } from "../../../src/records/audit-log/verify/verify-log.ts";
import { createMemoryJournalHeads } from "../../../src/records/memory/memory-stores.ts";
import { temporaryFolder } from "../../support/temporary.ts";

interface After {
  after(hook: () => Promise<void>): void;
}

/** A place for a journal, with the heads of its writers. */
export interface LogPlace {
  readonly folder: string;
  readonly file: string;
  readonly heads: JournalHeads;
  readonly failures: { readonly id: string; readonly error: string }[];
  open(given?: Partial<JournalOptions>): Journal;
  verify(head?: string): Promise<VerifyReport>;
  lines(name?: string): string[];
  entries(name?: string): Record<string, unknown>[];
  rewrite(lines: readonly string[], name?: string): void;
}

export async function openPlace(t: After, parent?: string): Promise<LogPlace> {
  const folder = join(parent ?? (await temporaryFolder(t)), "logs");
  const heads = createMemoryJournalHeads();
  const failures: { readonly id: string; readonly error: string }[] = [];
  const place: LogPlace = {
    folder,
    file: join(folder, "chat_log.jsonl"),
    heads,
    failures,
    open: (given = {}) =>
      openJournal({
        folder,
        clock: systemClock,
        heads,
        settings: { ...defaultJournalSettings, fsync: "never" },
        mask: (text) => text,
        onFailed: (failure) => failures.push(failure),
        ...given,
      }),
    async verify(head) {
      const memory = { heads: await heads.list(), prunes: await heads.listPrunes() };
      return verifyJournal({ folder, recall: () => memory, ...(head === undefined ? {} : { head }) });
    },
    lines: (name = "chat_log.jsonl") => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1),
    entries: (name) => place.lines(name).map((line) => JSON.parse(line) as Record<string, unknown>),
    rewrite: (lines, name = "chat_log.jsonl") =>
      writeFileSync(join(folder, name), lines.map((line) => `${line}\n`).join("")),
  };
  return place;
}

/** What was found, in short: kind, file, line, and the line of which writer. */
export function found({ problems }: VerifyReport): string[] {
  return problems.map(({ kind, segment, line, seq }) => `${kind} ${segment}:${line ?? "-"} #${seq ?? "-"}`);
}
