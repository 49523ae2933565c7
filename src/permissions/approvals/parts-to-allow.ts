import { relative, resolve } from "node:path";
import type { CommandAnalysis } from "../../../packages/command-analysis/src/analyse-command.ts";
import { bareCommand, type SimpleCommand, type Word } from "../../../packages/command-analysis/src/simple-command.ts";
import type { Judges } from "../open-decide.ts";

export interface CommandPlace {
  /** Where the command starts. */
  readonly cwd: string;
  readonly workdir: string;
}

interface Question extends CommandPlace {
  readonly judges: Pick<Judges, "isInherited">;
  /** Parts that only read need no rule: nothing of theirs leads outside or to secrets. */
  readonly isProved: boolean;
}

/**
 * The parts of a command line that a rule must allow. What decides where and with which variables the others run is among them:
 * `npm test` is something else after `cd evil` or `HOME=evil`.
 */
export function partsToAllow({ commands, changing }: CommandAnalysis, question: Question): SimpleCommand[] {
  const { judges, isProved } = question;
  const needed = new Set(isProved ? changing : commands);
  for (const command of commands) {
    if (!isBareAssignment(command)) continue;
    const reachesPrograms = command.assignments.some(({ name }) => judges.isInherited(name));
    if (reachesPrograms) needed.add(command);
    else if (!changing.includes(command)) needed.delete(command);
  }
  const last = commands.findLastIndex((command) => needed.has(command));
  if (last < 0) return [];
  for (const command of commands.slice(0, last)) if (leadsAway(command, question)) needed.add(command);
  const start = question.cwd === resolve(question.workdir) ? [] : [moveTo(question)];
  return [...start, ...commands.filter((command) => needed.has(command))];
}

export function isMove({ name }: SimpleCommand): boolean {
  return name === "cd" || name === "pushd" || name === "popd";
}

function isBareAssignment({ words, redirects }: SimpleCommand): boolean {
  return words.length === 0 && redirects.length === 0;
}

/** `cd /the/workdir` goes nowhere. */
function leadsAway(command: SimpleCommand, { cwd, workdir }: Question): boolean {
  if (!isMove(command)) return false;
  const [target, ...rest] = command.words.slice(1);
  return target?.kind !== "literal" || rest.length > 0 || resolve(cwd, target.text) !== resolve(workdir);
}

/** The folder that the call names, as a command that goes there. */
function moveTo({ cwd, workdir }: CommandPlace): SimpleCommand {
  const words = ["cd", relative(workdir, cwd)].map((text): Word => ({ text, kind: "literal", prefix: text }));
  return { ...bareCommand, name: "cd", words, source: words.map(({ text }) => text).join(" ") };
}
