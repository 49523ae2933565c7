import type { CommandAnalysis } from "../../packages/command-analysis/src/analyse-command.ts";
import type { Finding } from "../../packages/command-analysis/src/finding.ts";

type Analyse = (text: string, cwd: string) => CommandAnalysis;
type JudgeCode = (language: "python", text: string, cwd: string) => readonly Finding[];

export interface Analysis {
  /** Gets ready; the parser costs time that most commands of the program never need. */
  load(): Promise<void>;
  command(text: string, cwd: string): CommandAnalysis | Promise<CommandAnalysis>;
  code(language: "python", text: string, cwd: string): readonly Finding[] | Promise<readonly Finding[]>;
  /** Proved now; false also while it is not loaded. */
  isReadOnly(text: string): boolean;
}

/** The same command is asked about when a batch is planned and again when it may run. */
const remembered = 64;

export function openAnalysis(place: { readonly workdir: string; readonly home: string }): Analysis {
  let loaded: { readonly analyse: Analyse; readonly judge: JudgeCode } | undefined;
  let loading: Promise<void> | undefined;

  async function importParts(): Promise<void> {
    const [{ analyseCommand }, { judgeScript }] = await Promise.all([
      import("../../packages/command-analysis/src/analyse-command.ts"),
      import("../../packages/command-analysis/src/code/judge-script.ts"),
    ]);
    const recent = new Map<string, CommandAnalysis>();
    loaded = {
      analyse(text, cwd) {
        const key = `${cwd}\0${text}`;
        const known = recent.get(key);
        if (known) return known;
        const analysis = analyseCommand(text, { cwd, home: place.home });
        const [oldest] = recent.keys();
        if (recent.size >= remembered && oldest !== undefined) recent.delete(oldest);
        recent.set(key, analysis);
        return analysis;
      },
      judge: (language, text, cwd) => judgeScript(language, text, { cwd, home: place.home }),
    };
  }

  const load = (): Promise<void> => (loading ??= importParts());

  return {
    load,
    command: (text, cwd) => loaded?.analyse(text, cwd) ?? load().then(() => loaded!.analyse(text, cwd)),
    code: (language, text, cwd) =>
      loaded?.judge(language, text, cwd) ?? load().then(() => loaded!.judge(language, text, cwd)),
    isReadOnly: (text) => loaded?.analyse(text, place.workdir).isReadOnly ?? false,
  };
}
