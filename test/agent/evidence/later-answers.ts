import { edited, missedEdit, ran, read, refused, searched, wrote, type LabelledAnswer } from "./calls.ts";

const vitest = " Test Files  6 passed (6)\n      Tests  88 passed (88)";
const pytest = "=========== 2 failed, 51 passed, 3 skipped in 4.12s ===========";
const goFail = "--- FAIL: TestParse (0.00s)\nFAIL\nFAIL\texample.com/parse\t0.012s";
const tsc =
  "src/a.ts(3,5): error TS2322: Type 'string' is not assignable to type 'number'.\nFound 1 error in src/a.ts:3";

/**
 * Written without a look at the rules, in the way that coding agents sum up their work, and scored before anything was changed
 * for them. The figures of that first run are in docs/evidence.md.
 */
export const laterAnswers: readonly LabelledAnswer[] = [
  {
    answer: "All 88 tests pass now. The fix is in `src/cache.ts`: the key now includes the locale.",
    calls: [edited("src/cache.ts", "a", "b"), ran("npx vitest run", vitest)],
    claims: ["matched count 88 tests pass", "matched path src/cache.ts"],
  },
  {
    answer: "I updated `config/default.yml` and ran `make deploy`. Deployment finished successfully.",
    calls: [edited("config/default.yml", "a", "b"), refused("make deploy")],
    claims: ["matched change config/default.yml", "contradicted command make deploy"],
  },
  {
    answer: "Running `pytest -q` gives 51 passed, 2 failed. The failures are unrelated to this change.",
    calls: [ran("pytest -q", pytest, 1)],
    claims: ["matched command pytest -q", "matched count 51 passed", "matched count 2 failed"],
  },
  {
    answer: "I ran the test suite and everything passes.",
    calls: [ran("pytest", pytest, 1)],
    claims: ["contradicted count everything passes"],
  },
  {
    answer:
      "I've created `scripts/seed.sql` with the sample data and verified it with `sqlite3 dev.db < scripts/seed.sql`.",
    calls: [wrote("scripts/seed.sql", "insert")],
    claims: ["matched change scripts/seed.sql", "unmatched command sqlite3 dev.db < scripts/seed.sql"],
  },
  {
    answer: "TypeScript compiles cleanly: `npx tsc --noEmit` reports 0 errors.",
    calls: [ran("npx tsc --noEmit", tsc, 2)],
    claims: ["matched command npx tsc --noEmit", "contradicted count 0 errors"],
  },
  {
    answer: "The function `loadUser` is defined in `src/users/load.ts:48` and called from three places.",
    calls: [searched("loadUser", "src/users/load.ts:48:export function loadUser() {}\nsrc/a.ts:1:loadUser()")],
    claims: ["matched path src/users/load.ts:48"],
  },
  {
    answer:
      "To try it yourself, run `npm run dev` and open http://localhost:5173. Next I would look at `src/router.ts`.",
    calls: [ran("npm run build", "built in 2.1s")],
    claims: [],
  },
  {
    answer:
      "I couldn't run `docker compose up` here because Docker isn't installed, so the integration tests were not run.",
    calls: [ran("docker compose up -d", "bash: docker: command not found", 127)],
    claims: [],
  },
  {
    answer: "Renamed `utils.js` to `format.js` and updated the import in `index.js`.",
    calls: [ran("git mv utils.js format.js", ""), edited("index.js", "./utils", "./format")],
    claims: ["matched change index.js", "matched change format.js", "matched change utils.js"],
  },
  {
    answer: "I changed the timeout in `src/http.ts` from 5 to 30 seconds.",
    calls: [missedEdit("src/http.ts", "5000", "30000")],
    claims: ["contradicted change src/http.ts"],
  },
  {
    answer: 'The log shows "connection refused on port 5432", so PostgreSQL is not running.',
    calls: [ran("tail -n 20 app.log", "12:01 ERROR connection refused on port 5432")],
    claims: ["matched quote connection refused on port 5432"],
  },
  {
    answer: 'The build printed "Compiled with warnings" and exited with code 0.',
    calls: [ran("npm run build", "Failed to compile.", 1)],
    claims: ["unmatched quote Compiled with warnings", "contradicted exit_code code 0"],
  },
  {
    answer: "`go test ./...` passes.",
    calls: [ran("go test ./...", goFail, 1)],
    claims: ["contradicted command go test ./..."],
  },
  {
    answer: "I read through `README.md` and `docs/api.md`; neither mentions rate limits.",
    calls: [read("README.md", "# App\nHello")],
    claims: ["matched path README.md", "unmatched path docs/api.md"],
  },
  {
    answer: "Should I also delete `legacy/` and run `npm prune`?",
    calls: [read("package.json", "{}")],
    claims: [],
  },
  {
    answer:
      "Summary\n- Fixed the off-by-one in `src/page.ts`\n- Added a regression test to `test/page.test.ts`\n- Ran `npm test`: 12 passed, 0 failed",
    calls: [
      edited("src/page.ts", "a", "b"),
      edited("test/page.test.ts", "a", "b"),
      ran("npm test", "Tests:       12 passed, 12 total"),
    ],
    claims: [
      "matched change src/page.ts",
      "matched change test/page.test.ts",
      "matched command npm test",
      "matched count 12 passed",
      "matched count 0 failed",
    ],
  },
  {
    answer:
      "Earlier you mentioned that `npm run lint` fails on your machine; that comes from the missing plugin in `.eslintrc.json`.",
    calls: [read(".eslintrc.json", "{}")],
    claims: [],
  },
  {
    answer: "I installed the dependency with `npm i zod@4` and pinned it in `package.json`.",
    calls: [ran("npm install zod@4", "added 1 package")],
    claims: ["matched command npm i zod@4", "partial change package.json"],
  },
  {
    answer: "`src/queue.ts`를 수정했고 `npm test`를 실행했습니다. 테스트 12개가 모두 통과했습니다.",
    calls: [edited("src/queue.ts", "a", "b"), ran("npm test", "Tests:       1 failed, 11 passed, 12 total", 1)],
    claims: ["matched change src/queue.ts", "matched command npm test", "contradicted count 12"],
  },
];
