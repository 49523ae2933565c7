import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../src/core/clock.ts";
import type { Replay } from "../src/core/tool.ts";
import { defaultJournalSettings } from "../src/records/audit-log/log-entry.ts";
import { openJournal, type Journal } from "../src/records/audit-log/open-log.ts";
import { verifyJournal } from "../src/records/audit-log/verify/verify-log.ts";
import { createJournalLedger } from "../src/records/ledger.ts";
import { createMemoryJournalHeads } from "../src/records/memory/memory-stores.ts";
import { complete, makeExecution } from "../test/contract/make-execution.ts";
import type { Bench } from "./bench.ts";

export const benches: readonly Bench[] = [
  ledgerBench("safe"),
  ledgerBench("never"),
  {
    name: "journal: append one line of 300 bytes",
    unit: "µs",
    measure: () =>
      withJournal(async (journal) => {
        const began = performance.now();
        for (let index = 0; index < 5000; index++) await journal.append({ type: "note", text: "x".repeat(100) });
        return ((performance.now() - began) / 5000) * 1000;
      }),
  },
  {
    name: "journal: verify 100,000 lines of 600 bytes",
    unit: "ms",
    rounds: 3,
    measure: () =>
      withJournal(async (journal, folder) => {
        const ledger = createJournalLedger(journal);
        for (let lines = 0; lines < 100_000; lines++) {
          const execution = makeExecution();
          void ledger.opened(execution, "safe");
          void ledger.settled(complete(execution), "safe");
        }
        await ledger.flush();
        const began = performance.now();
        const report = await verifyJournal({ folder: join(folder, "logs"), recall: () => "it is in memory" });
        if (!report.ok) throw new Error("The log is not whole.");
        return (performance.now() - began) * (100_000 / report.lines);
      }),
  },
];

/** The journal's share of one call that does nothing. The budget is the whole's: `tracking`. */
function ledgerBench(replay: Replay): Bench {
  return {
    name: `journal: opened + settled, ${replay === "safe" ? "safe to repeat" : "written first"}`,
    unit: "µs",
    measure: () =>
      withJournal(async (journal) => {
        const calls = replay === "safe" ? 20_000 : 5000;
        const executions = Array.from({ length: calls }, () => makeExecution());
        const settled = executions.map((execution) => complete(execution));
        const ledger = createJournalLedger(journal);
        const began = performance.now();
        for (let index = 0; index < calls; index++) {
          await ledger.opened(executions[index]!, replay);
          await ledger.settled(settled[index]!, replay);
        }
        await ledger.flush();
        return ((performance.now() - began) / calls) * 1000;
      }),
  };
}

async function withJournal(work: (journal: Journal, folder: string) => Promise<number>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "deckhand-bench-"));
  const journal = openJournal({
    folder: join(folder, "logs"),
    clock: systemClock,
    heads: createMemoryJournalHeads(),
    settings: defaultJournalSettings,
    mask: (text) => text,
    onFailed: ({ error }) => console.error(error),
  });
  try {
    return await work(journal, folder);
  } finally {
    await journal.close();
    rmSync(folder, { recursive: true });
  }
}
