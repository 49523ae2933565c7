import { analyseCommand } from "../analyse-command.ts";
import type { Finding } from "../finding.ts";
import type { Language } from "./interpreters.ts";
import { judgeCode, shellTextsIn } from "./judge-code.ts";
import type { Place } from "../place.ts";

/** What a program text would do: its own calls, and the shell commands it holds. */
export function judgeScript(language: Language, text: string, place: Place): Finding[] {
  const commands = shellTextsIn(language, text).flatMap((command) => analyseCommand(command, place).findings);
  return [...judgeCode(language, text, place), ...commands];
}
