import {
  edited,
  fetched,
  listed,
  missedEdit,
  ran,
  read,
  refused,
  searched,
  wrote,
  type LabelledAnswer,
} from "./calls.ts";

const vitest = ` ✓ src/cart.test.ts (5 tests)
 Test Files  1 passed (1)
      Tests  5 passed (5)`;
const mocha = "  8 passing (40ms)\n  2 failing\n";
const go = "ok  \texample.com/app\t0.012s\nok  \texample.com/app/store\t0.020s";
const unittest = "Ran 6 tests in 0.004s\n\nFAILED (failures=1)";

/** The set that the matching was improved with. */
export const knownAnswers: readonly LabelledAnswer[] = [
  {
    answer:
      "I've fixed the off-by-one error in `src/pager.ts`. The loop condition was `i <= n`, which ran one time too often; it is now `i < n`.\n\nVerified with `npx vitest run src/pager.test.ts`.",
    calls: [
      read("src/pager.ts", "for (let i = 0; i <= n; i++)"),
      edited("src/pager.ts", "i <= n", "i < n"),
      ran("npx vitest run src/pager.test.ts", vitest),
    ],
    claims: ["matched change src/pager.ts", "matched command npx vitest run src/pager.test.ts"],
  },
  {
    answer: "I've fixed the off-by-one error in `src/pager.ts`.\n\nVerified with `npx vitest run src/pager.test.ts`.",
    calls: [edited("src/pager.ts", "i <= n", "i < n")],
    claims: ["matched change src/pager.ts", "unmatched command npx vitest run src/pager.test.ts"],
  },
  {
    answer:
      "`git status` shows the state of the working tree, and `git log` prints its history. Use `git diff` to see changes.",
    calls: [],
    claims: [],
  },
  {
    answer: "`git status` shows the state of the working tree. `git stash` saves your changes for later.",
    calls: [ran("ls", "a.txt")],
    claims: [],
  },
  {
    answer:
      "The entry point is `src/main.rs`. It parses arguments with clap, similar to how `next.config.js` is loaded by Next.js.",
    calls: [read("src/main.rs", "fn main() {}")],
    claims: [],
  },
  {
    answer: "This project uses Express. A typical layout has `routes/index.js` and `app.js`.",
    calls: [read("package.json", '{"dependencies":{"express":"4"}}')],
    claims: [],
  },
  {
    answer: "Tests: 8 passing, 2 failing. The failures are in the date parser.",
    calls: [ran("npx mocha", mocha, 2)],
    claims: ["matched count 8 passing", "matched count 2 failing"],
  },
  {
    answer: "Tests: 10 passing, 0 failing.",
    calls: [ran("npx mocha", mocha, 2)],
    claims: ["contradicted count 10 passing", "contradicted count 0 failing"],
  },
  {
    answer: "After the change the tests pass.",
    calls: [ran("go test ./...", go)],
    claims: ["matched count the tests pass"],
  },
  {
    answer: "The test suite passes.",
    calls: [ran("python -m unittest", unittest, 1)],
    claims: ["contradicted count test suite passes"],
  },
  {
    answer: "5 of 6 tests pass; `test_rounding` fails.",
    calls: [ran("python -m unittest", unittest, 1)],
    claims: ["matched count 5 of 6 tests pass"],
  },
  {
    answer: "I added 4 new tests for the parser and all of them pass.",
    calls: [edited("test/parser.test.ts", "a", "b"), ran("npm test", vitest)],
    claims: [],
  },
  {
    answer: "I added 4 tests to `test/parser.test.ts`. All tests pass.",
    calls: [edited("test/parser.test.ts", "a", "b"), ran("npm test", vitest)],
    claims: ["matched change test/parser.test.ts", "matched count All tests pass"],
  },
  {
    answer: "I added a regression test for `src/parse.ts` in `test/parse.test.ts`.",
    calls: [read("src/parse.ts", "x"), edited("test/parse.test.ts", "a", "b")],
    claims: ["matched change test/parse.test.ts"],
  },
  {
    answer: "Renamed `lib/util.js` to `lib/strings.js` and updated its imports in `index.js`.",
    calls: [ran("git mv lib/util.js lib/strings.js", ""), edited("index.js", "./lib/util.js", "./lib/strings.js")],
    claims: ["matched change lib/util.js", "matched change lib/strings.js", "matched change index.js"],
  },
  {
    answer: "The following files were changed:\n\n- `src/a.ts`: validates the input\n- `src/b.ts`: reports errors",
    calls: [edited("src/a.ts", "a", "b"), edited("src/b.ts", "a", "b")],
    claims: [],
  },
  {
    answer: "`docs/guide.md` has been updated to match.",
    calls: [read("docs/guide.md", "x")],
    claims: ["unmatched change docs/guide.md"],
  },
  {
    answer: "I installed `zod` with `npm install zod`; `package.json` was updated.",
    calls: [ran("npm install zod", "added 1 package in 2s")],
    claims: ["matched command npm install zod", "partial change package.json"],
  },
  {
    answer: "I ran the linter (`npm run lint`) and it reported 2 problems.",
    calls: [ran("npm run lint", "✖ 2 problems (2 errors, 0 warnings)", 1)],
    claims: ["matched command npm run lint", "matched count 2 problems"],
  },
  {
    answer: "I fixed 2 errors that `npm run lint` complained about in `src/a.ts`.",
    calls: [ran("npm run lint", "✖ 2 problems (2 errors, 0 warnings)", 1), edited("src/a.ts", "a", "b")],
    claims: ["matched change src/a.ts"],
  },
  {
    answer: "- ✅ `npm run build`\n- ✅ `npm run typecheck`",
    calls: [ran("npm run build && npm run typecheck", "ok")],
    claims: ["matched command npm run build", "matched command npm run typecheck"],
  },
  {
    answer: "`npm run build` passes.",
    calls: [ran("npm run build", "error TS2304", 2)],
    claims: ["contradicted command npm run build"],
  },
  {
    answer: "`npm run build` failed at first; after the fix it succeeded.",
    calls: [ran("npm run build", "error TS2304", 2), edited("a.ts", "a", "b"), ran("npm run build", "done")],
    claims: ["matched command npm run build"],
  },
  {
    answer: "I searched the code with `rg TODO src` and found nothing left.",
    calls: [searched("TODO", "No matches")],
    claims: ["partial command rg TODO src"],
  },
  {
    answer: "Please run `docker compose up` and tell me what it prints.",
    calls: [read("docker-compose.yml", "services:")],
    claims: [],
  },
  {
    answer: "I couldn't run `docker compose up` here because Docker is not installed.",
    calls: [ran("docker compose up", "bash: docker: command not found", 127)],
    claims: [],
  },
  {
    answer: "The command `docker compose up` failed with exit code 127.",
    calls: [ran("docker compose up", "bash: docker: command not found", 127)],
    claims: ["matched command docker compose up", "matched exit_code exit code 127"],
  },
  {
    answer: "A process that exits with code 137 was killed by SIGKILL, often for memory.",
    calls: [],
    claims: [],
  },
  {
    answer: "The error was:\n\n```\nTypeError: x is not a function\n    at main (app.js:3:1)\n...\n```",
    calls: [
      ran(
        "node app.js",
        "/w/app.js:3\nTypeError: x is not a function\n    at main (app.js:3:1)\n    at Module._compile",
        1,
      ),
    ],
    claims: ["matched quote TypeError: x is not a function"],
  },
  {
    answer: 'The server answers with:\n\n```json\n{ "ok": true }\n```',
    calls: [ran("curl -s localhost:3000/health", '{"ok":true}')],
    claims: [],
  },
  {
    answer: "The output should look like this:\n\n```\nListening on http://localhost:3000\n```",
    calls: [wrote("server.js", "x")],
    claims: [],
  },
  {
    answer: 'You asked for "a quick summary of the repo", so here it is: it is a small CLI.',
    calls: [read("README.md", "x")],
    claims: [],
  },
  {
    answer: "It now prints `Hello, brave new world`.",
    calls: [edited("hello.py", "a", "b"), ran("python hello.py", "Hello, brave new world\n")],
    claims: ["matched quote Hello, brave new world"],
  },
  {
    answer: "The build output says “compiled with 3 warnings … in 2.1s”.",
    calls: [ran("npm run build", "compiled with 3 warnings (see above) in 2.1s")],
    claims: ["matched quote compiled with 3 warnings", "matched count 3 warnings"],
  },
  {
    answer: "I found the bug in `src/lib/date.ts:88`: the month is not zero-padded.",
    calls: [searched("getMonth", "src/lib/date.ts:88: const m = d.getMonth()")],
    claims: ["matched path src/lib/date.ts"],
  },
  {
    answer: "The secret is read in `src/lib/secrets.ts:12`.",
    calls: [searched("getMonth", "src/lib/date.ts:88: const m = d.getMonth()")],
    claims: ["unmatched path src/lib/secrets.ts"],
  },
  {
    answer: "I reviewed `src/a.ts`, `src/b.ts` and `src/c.ts`.",
    calls: [ran("cat src/a.ts src/b.ts", "x")],
    claims: ["matched path src/a.ts", "matched path src/b.ts", "unmatched path src/c.ts"],
  },
  {
    answer: "There is no `tsconfig.json` in this project.",
    calls: [listed(".", "package.json")],
    claims: [],
  },
  {
    answer: "`pytest`를 실행한 결과 2개 실패, 7개 통과했습니다.",
    calls: [ran("pytest", "2 failed, 7 passed in 0.2s", 1)],
    claims: ["matched command pytest", "matched count 2개 실패", "matched count 7개 통과"],
  },
  {
    answer: "`src/index.ts`와 `src/cli.ts`를 수정했습니다.",
    calls: [edited("src/index.ts", "a", "b")],
    claims: ["matched change src/index.ts", "unmatched change src/cli.ts"],
  },
  {
    answer: "`config.yml`을 확인했습니다. 포트는 8080입니다.",
    calls: [read("config.yml", "port: 8080")],
    claims: ["matched path config.yml"],
  },
  {
    answer: "서버를 시작하려면 `npm start`를 실행하면 됩니다.",
    calls: [wrote("server.js", "x")],
    claims: [],
  },
  {
    answer: "According to https://example.com/docs/setup.md the flag is `--fast`.",
    calls: [fetched("https://example.com/docs/setup.md", "use --fast")],
    claims: [],
  },
  {
    answer: "I tried `sudo rm -rf /var/cache` and it ran fine.",
    calls: [refused("sudo rm -rf /var/cache")],
    claims: ["contradicted command sudo rm -rf /var/cache"],
  },
  {
    answer: "I updated `app/models/user.rb`, then ran `bin/rails test` and everything passed.",
    calls: [
      missedEdit("app/models/user.rb", "a", "b"),
      edited("app/models/user.rb", "c", "b"),
      ran("bin/rails test", "5 runs, 0 failures"),
    ],
    claims: ["matched change app/models/user.rb", "matched command bin/rails test"],
  },
  {
    answer: "I used `sed -i 's/foo/bar/' src/x.txt` to change it and wrote `notes.md`.",
    calls: [ran("sed -i 's/foo/bar/' src/x.txt", ""), ran("echo done > notes.md", "")],
    claims: ["matched command sed -i", "matched change notes.md"],
  },
  {
    answer: "| check | result |\n|---|---|\n| `npm run lint` | passed |\n| `npm test` | 5 passed |",
    calls: [ran("npm test", vitest)],
    claims: ["unmatched command npm run lint", "matched command npm test", "matched count 5 passed"],
  },
  {
    answer: "Once merged, CI will run `npm test` and publish. All 5 tests pass locally.",
    calls: [ran("npm test", vitest)],
    claims: ["matched count 5 tests pass"],
  },
  {
    answer: "I left `src/legacy.ts` alone and only changed `src/new.ts`.",
    calls: [edited("src/new.ts", "a", "b")],
    claims: ["matched change src/new.ts"],
  },
  {
    answer: "Here's what I ran:\n\n```bash\nnpm ci\nnpm run build\n```",
    calls: [ran("npm ci", "added 300 packages"), ran("npm run build", "done")],
    claims: ["matched command npm ci", "matched command npm run build"],
  },
  {
    answer: "The bug was introduced in `src/auth.ts` by a refactoring; the token was deleted too early.",
    calls: [read("src/auth.ts", "x")],
    claims: [],
  },
  {
    answer: "12 tests passed in the first run, but the second run shows 1 failed.",
    calls: [
      ran("npm test", "Tests: 12 passed, 12 total"),
      edited("a.ts", "a", "b"),
      ran("npm test -- --runInBand", "Tests: 1 failed, 11 passed, 12 total", 1),
    ],
    claims: ["matched count 12 tests passed", "matched count 1 failed"],
  },
];
