import type { Finding } from "../finding.ts";
import type { Place } from "../place.ts";
import { allRules } from "../rules/all-rules.ts";
import { applyRule, type Rule } from "../rules/command-rule.ts";
import { onlyShows } from "../rules/previews.ts";
import { judgeAssignments, judgeHistory } from "../rules/environment.ts";
import { judgeInterpreter } from "../rules/interpreter.ts";
import { judgeWrites } from "../rules/writes.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";

/** What one program would do by its own words, redirects, variables and inline code. */
export function judgeProgram(command: SimpleCommand, place: Place): Finding[] {
  const findings = [...judgeWrites(command, place), ...judgeAssignments(command), ...judgeHistory(command)];
  if (command.name === "" || isVersion(command) || onlyShows(command)) return findings;
  const given = withoutRefusedPreview(command);
  for (const rule of findRules(command.name)) {
    const finding = applyRule(rule, given, place);
    if (finding !== null) findings.push(finding);
  }
  const module = findModule(command);
  if (module !== null) findings.push(...judgeProgram(module, place));
  return [...findings, ...judgeInterpreter(command, place)];
}

/** `--dry-run=false` is no preview. */
function withoutRefusedPreview(command: SimpleCommand): SimpleCommand {
  const isRefused = ({ text }: Word): boolean => /^--dry-?run=(?:false|none|no|off|0)$/i.test(text);
  if (!command.words.some(isRefused)) return command;
  return { ...command, words: command.words.filter((word) => !isRefused(word)) };
}

function isVersion({ words }: SimpleCommand): boolean {
  return words.length === 2 && words[1]!.text === "--version";
}

/** `python -m twine upload` is the program `twine`. */
function findModule(command: SimpleCommand): SimpleCommand | null {
  if (/^(?:yarn|pnpm|npm|bun)$/.test(command.name)) return findScript(command);
  if (!/^(?:python|pypy)[0-9.]*$/.test(command.name)) return null;
  const index = command.words.findIndex((word) => /^-[A-Za-z]*m$/.test(word.text));
  const name = command.words[index + 1];
  if (
    index < 0 ||
    name === undefined ||
    name.kind !== "literal" ||
    command.words.slice(1, index).some((word) => !word.text.startsWith("-"))
  )
    return null;
  return { ...command, name: name.text, words: command.words.slice(index + 1), redirects: [], assignments: [] };
}

/** Programs that projects call through a script of the same name. Any other script is named as its project likes. */
const scriptPrograms =
  /^(?:prisma|typeorm(?:-.*)?|sequelize(?:-cli)?|knex|drizzle-kit|mikro-orm|supabase|firebase|serverless|sls|cdk|cdktf|sst|wrangler|vercel|netlify|amplify|rimraf|del-cli|lerna|changeset|semantic-release|np|release-it|adonis|ace|dbmate|vsce|ovsx|node|tsx|ts-node)$/;

/** `yarn prisma migrate reset`, `npm run typeorm -- schema:drop`: the program of that name. */
function findScript(command: SimpleCommand): SimpleCommand | null {
  const operands = command.words.slice(1).filter((word) => !word.text.startsWith("-"));
  const name =
    operands[0]?.text === "run" || operands[0]?.text === "run-script"
      ? operands[1]
      : command.name === "npm"
        ? undefined
        : operands[0];
  if (name === undefined || name.kind !== "literal" || !scriptPrograms.test(name.text)) return null;
  const words = command.words.slice(command.words.indexOf(name)).filter((word) => word.text !== "--");
  return { ...command, name: name.text, words, redirects: [], assignments: [] };
}

const byName = new Map<string, Rule[]>();
const byPrefix: (readonly [string, Rule])[] = [];
for (const rule of allRules) {
  for (const program of rule.programs.split(" ")) {
    if (program.endsWith("*")) byPrefix.push([program.slice(0, -1), rule]);
    else byName.set(program, [...(byName.get(program) ?? []), rule]);
  }
}

function findRules(name: string): readonly Rule[] {
  const lower = name.toLowerCase().replace(/\.(?:exe|cmd|bat|ps1)$/, "");
  const exact = byName.get(lower) ?? [];
  const prefixed = byPrefix.filter(([prefix]) => lower.startsWith(prefix)).map(([, rule]) => rule);
  return prefixed.length === 0 ? exact : [...exact, ...prefixed];
}
