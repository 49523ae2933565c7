import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PathCase, Step } from "./read-corpus.ts";

export interface LaidOut {
  readonly workdir: string;
  readonly path: string;
}

/** Makes what a path case starts from in an empty folder, and says what to ask. */
export function layOut({ setup, path, workdir = "work" }: PathCase, sandbox: string): LaidOut {
  mkdirSync(join(sandbox, "work"), { recursive: true });
  mkdirSync(join(sandbox, "outside"), { recursive: true });
  for (const step of setup) take(step, sandbox);
  return { workdir: join(sandbox, workdir), path: path.replaceAll("{{sandbox}}", sandbox) };
}

function take(step: Step, sandbox: string): void {
  if ("mkdir" in step) mkdirSync(join(sandbox, step.mkdir), { recursive: true });
  else if ("link" in step) symlinkSync(step.to.replaceAll("{{sandbox}}", sandbox), join(sandbox, step.link));
  else if ("fifo" in step) execFileSync("mkfifo", [join(sandbox, step.fifo)]);
  else {
    mkdirSync(dirname(join(sandbox, step.file)), { recursive: true });
    writeFileSync(join(sandbox, step.file), step.text);
  }
}
