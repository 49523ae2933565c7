import { readFile, writeFile } from "node:fs/promises";
import { openJournalReader, type VerifyReport } from "../../../records/audit-log/log-reader.ts";
import { tellFinding } from "../log/log-verify-command.ts";
import type { Observation } from "./scene.ts";
import type { Scratch } from "./scratch.ts";

/** Verifies the log as it is, and once more with one command in it made harmless. Leaves it as it was. */
export async function observeLog({ workdir, env }: Pick<Scratch, "workdir" | "env">): Promise<Observation> {
  const log = openJournalReader(workdir, env);
  const { ok, lines, head } = await log.verify();
  const text = await readFile(log.path, "utf8");
  const forged = await verifyWith(text.replace("rm -rf backups", "ls     backups"));
  await writeFile(log.path, text);

  async function verifyWith(changed: string): Promise<VerifyReport> {
    await writeFile(log.path, changed);
    return log.verify();
  }

  const [problem] = forged.problems;
  return {
    sentences: [
      ok ? `The log is whole: ${lines} lines, head ${head?.slice(0, 12)}….` : "The log is NOT whole.",
      problem === undefined
        ? "Then one command in it was changed, and nobody noticed."
        : `Then one command in it was changed from rm to ls, and that shows. ${tellFinding(problem)}`,
    ],
    facts: { ok, lines, head, forgeryFound: !forged.ok },
  };
}
