// Writes docs/requirements.md: every promise of docs/requirements.json with the tests that prove it.
// A test proves a promise by naming its id at the end of its title: `test("a cancelled call gives its slot back [P8]", …)`.
//
//   node scripts/requirements.ts           write the page
//   node scripts/requirements.ts --check   fail when it is stale
//
// Both fail when a title names an unknown id, or a claimed promise has no test.
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { titlesOf } from "./test-titles.ts";

interface RequirementPromise {
  readonly id: string;
  readonly promise: string;
  readonly claimed: boolean;
  readonly note?: string;
}
interface Family {
  readonly letter: string;
  readonly title: string;
  readonly promises: readonly RequirementPromise[];
}
interface Proof {
  readonly file: string;
  readonly title: string;
}

const page = "docs/requirements.md";
const { families } = JSON.parse(readFileSync("docs/requirements.json", "utf8")) as { families: Family[] };
const proofs = new Map<string, Proof[]>(families.flatMap(({ promises }) => promises.map(({ id }) => [id, []])));
const problems: string[] = [];

for (const file of globSync(["test/**/*.ts", "packages/*/test/**/*.ts"]).sort()) {
  for (const { title, ids, line } of titlesOf(file)) {
    for (const id of ids) {
      const found = proofs.get(id);
      if (found === undefined)
        problems.push(`${file}:${line} names ${id}, which docs/requirements.json does not have.`);
      else found.push({ file, title });
    }
  }
}
for (const { id, claimed } of families.flatMap(({ promises }) => promises)) {
  if (claimed && proofs.get(id)?.length === 0) problems.push(`${id} is claimed, but no test names it.`);
}

const content = render();
if (!process.argv.includes("--check")) writeFileSync(page, content);
else if (!existsSync(page) || readFileSync(page, "utf8") !== content) {
  problems.push(`${page} is stale: run \`npm run requirements\`.`);
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function render(): string {
  const all = families.flatMap(({ promises }) => promises);
  return `${[
    "# Requirements",
    "Every promise of the project, and the tests that prove it. Written by `npm run requirements` from `docs/requirements.json` and " +
      "from the titles of the tests: a test names the ids it proves in brackets at the end of its title.",
    `${all.filter(({ claimed }) => claimed).length} of ${all.length} promises are kept today; the others are planned.`,
    ...families.flatMap(renderFamily),
  ].join("\n\n")}\n`;
}

function renderFamily({ letter, title, promises }: Family): string[] {
  const rows = promises.map(({ id, promise, claimed, note }) => {
    const tests = proofs.get(id)?.map((proof) => `${cell(proof.title)} (\`${proof.file}\`)`) ?? [];
    const status = claimed ? `kept${note === undefined ? "" : `: ${cell(note)}`}` : "planned";
    return `| ${id} | ${cell(promise)} | ${status} | ${tests.join("<br>")} |`;
  });
  return [`## ${letter} · ${title}`, ["| id | promise | status | tests |", "|---|---|---|---|", ...rows].join("\n")];
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
