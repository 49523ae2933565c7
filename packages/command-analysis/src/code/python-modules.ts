import { type OptionTable, optionTable, parseOptions } from "../parse-options.ts";
import type { Word } from "../simple-command.ts";

interface ModuleCode {
  readonly codes: readonly Word[];
  readonly script: Word | null;
  readonly readsStdin: boolean;
}

/** What `python -m NAME …` runs as Python code besides the module. Null: nothing that could be seen here. */
export function findModuleCode(words: readonly Word[]): ModuleCode | null {
  const at = words.findIndex((word) => /^-[A-Za-z]*m/.test(word.text));
  const attached = words[at]?.text.replace(/^-[A-Za-z]*?m/, "") ?? "";
  const name = (attached === "" ? words[at + 1]?.text : attached) ?? "";
  const rest = words.slice(at + (attached === "" ? 2 : 1));
  if (name === "timeit") {
    const options = parseOptions(rest, timerOptions);
    return { codes: [...options.values("s"), ...options.operands], script: null, readsStdin: false };
  }
  const table = Object.hasOwn(runners, name) ? runners[name] : undefined;
  if (table === undefined) return null;
  const options = parseOptions(rest, table);
  const [script = null] = options.operands;
  const isModule = options.has("m");
  const codes = options.values("c");
  // A console reads its commands from stdin even when it has a script.
  const readsStdin = !isModule && (script === null ? codes.length === 0 : script.text === "-") && name !== "coverage";
  return { codes, script: isModule || script?.text === "-" ? null : script, readsStdin };
}

const timerOptions = optionTable("s|setup= n|number= r|repeat= u|unit= p|process v|verbose", { stopsAtOperand: true });
const profiler = optionTable("o= s= m", { stopsAtOperand: true });
const console = optionTable("c= m= q i", { stopsAtOperand: true });

const runners: Readonly<Record<string, OptionTable>> = {
  pdb: optionTable("c|command= m=", { stopsAtOperand: true }),
  ipdb: optionTable("c|command= m=", { stopsAtOperand: true }),
  cProfile: profiler,
  profile: profiler,
  trace: optionTable("t|trace c|count l|listfuncs T|trackcalls f|file= C|coverdir= m|missing module", {
    stopsAtOperand: true,
  }),
  code: console,
  asyncio: console,
  IPython: console,
  bpython: console,
  ptpython: console,
};
