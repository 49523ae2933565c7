import { analyseCommand } from "../packages/command-analysis/src/analyse-command.ts";
import type { Bench } from "./bench.ts";

const ordinary = [
  "npm test",
  "git add -A && git commit -m 'fix: a thing' && git push",
  "find . -name '*.ts' -not -path './node_modules/*' | xargs grep -l TODO | sort | head -20",
  'for f in src/*.ts; do wc -l "$f"; done',
  "docker compose exec web python manage.py test --keepdb",
  `timeout 60 bash -c 'until curl -sf http://localhost:3000/health; do sleep 1; done'`,
];

/** Words, quotes, variables and pipes, up to the number of commands that is analysed at all. */
function longCommand(bytes: number): string {
  const word = `file-"$NAME"-'a b'/{x,y} `;
  return `grep -l pattern ${word.repeat(Math.ceil(bytes / word.length))}`.slice(0, bytes).replace(/ \S*$/, "");
}

function millisecondsEach(rounds: number, text: string): number {
  const begin = performance.now();
  for (let n = 0; n < rounds; n += 1) analyseCommand(text);
  return (performance.now() - begin) / rounds;
}

const [short, long] = [longCommand(1_000), longCommand(30_000)];

export const benches: readonly Bench[] = [
  {
    name: "analysis of an ordinary command",
    unit: "ms",
    budget: 1,
    measure: () => ordinary.reduce((sum, text) => sum + millisecondsEach(200, text), 0) / ordinary.length,
  },
  {
    name: "analysis per byte, 30 kB against 1 kB",
    unit: "×",
    budget: 2,
    measure: () => millisecondsEach(20, long) / long.length,
    baseline: () => millisecondsEach(400, short) / short.length,
  },
  {
    name: "analysis of 1 MB, refused",
    unit: "ms",
    budget: 5,
    measure: () => millisecondsEach(10, "$(".repeat(500_000)),
  },
];
