import { relative, resolve } from "node:path";
import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";
import type { PathOperation, PathVerdict } from "../guard/path/judge-path.ts";

export type JudgedPath = PathVerdict & {
  /** Relative to the workdir: as written, and where links lead when that is another place. */
  readonly names: readonly string[];
};

/** The judgement that the gate asks for. What is costly to load is loaded when first needed. */
export interface Judges {
  command(text: string, cwd: string): CommandAnalysis | Promise<CommandAnalysis>;
  code(language: "python", text: string, cwd: string): readonly Finding[] | Promise<readonly Finding[]>;
  path(path: string, operation: PathOperation): JudgedPath;
  /** Whether commands get this variable from the start: then setting it, without a word of export, reaches what they start. */
  isInherited(name: string): boolean;
}

export function namesOf(workdir: string, given: string, resolved: string | null): string[] {
  const names = [relative(workdir, resolve(workdir, given))];
  if (resolved !== null) names.push(relative(workdir, resolved));
  return [...new Set(names)];
}
