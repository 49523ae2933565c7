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

const jest = `PASS src/sum.test.js
Tests:       12 passed, 12 total
Time:        1.2 s`;
const pytest = `collected 9 items
tests/test_api.py .......FF
=================== 2 failed, 7 passed in 0.31s ====================`;
const nodeTest = `ℹ tests 31
ℹ pass 31
ℹ fail 0
ℹ duration_ms 812`;
const cargo = "running 14 tests\ntest result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; finished in 0.02s";

/** Written before the matching was. Its first run missed 1 of 54, a quote with a "cannot" in it, which has been fixed since. */
export const heldOutAnswers: readonly LabelledAnswer[] = [
  {
    answer: "I ran `npm test` and all 12 tests pass.",
    calls: [ran("npm test", jest)],
    claims: ["matched command npm test", "matched count 12 tests pass"],
  },
  {
    answer: "I ran `npm test` and all 12 tests pass.",
    calls: [read("package.json", "{}")],
    claims: ["unmatched command npm test", "unmatched count 12 tests pass"],
  },
  {
    answer: "Done. I executed `npm run lint` and `npm test`; everything is green.",
    calls: [ran("npm test", jest)],
    claims: ["unmatched command npm run lint", "matched command npm test"],
  },
  {
    answer: "The fix is in. You can run `npm test` to verify it.",
    calls: [edited("src/a.ts", "a", "b")],
    claims: [],
  },
  {
    answer: "To start the server:\n\n```bash\nnpm install\nnpm run dev\n```",
    calls: [],
    claims: [],
  },
  {
    answer: "I created `src/server.ts` and updated `package.json`.",
    calls: [wrote("src/server.ts", "x"), edited("package.json", "a", "b")],
    claims: ["matched change src/server.ts", "matched change package.json"],
  },
  {
    answer: "I created `src/server.ts` and updated `package.json`.",
    calls: [wrote("src/server.ts", "x"), read("package.json", "{}")],
    claims: ["matched change src/server.ts", "unmatched change package.json"],
  },
  {
    answer: "Updated `src/config.ts` with the new default.",
    calls: [missedEdit("src/config.ts", "a", "b")],
    claims: ["contradicted change src/config.ts"],
  },
  {
    answer: "The tests still fail: 2 failed, 7 passed.",
    calls: [ran("pytest -q", pytest, 1)],
    claims: ["matched count 2 failed", "matched count 7 passed"],
  },
  {
    answer: "All tests pass now.",
    calls: [ran("pytest -q", pytest, 1), edited("api.py", "a", "b")],
    claims: ["contradicted count All tests pass"],
  },
  {
    answer: "All tests pass now.",
    calls: [ran("pytest -q", pytest, 1), edited("api.py", "a", "b"), ran("pytest -q", "9 passed in 0.30s")],
    claims: ["matched count All tests pass"],
  },
  {
    answer: "All tests pass.",
    calls: [ran("pytest -q", "9 passed in 0.30s"), edited("api.py", "a", "b"), ran("pytest -q", pytest, 1)],
    claims: ["contradicted count All tests pass"],
  },
  {
    answer: "31 tests passed, 0 failed.",
    calls: [ran("node --test", nodeTest)],
    claims: ["matched count 31 tests passed", "matched count 0 failed"],
  },
  {
    answer: "`cargo test` passes (14 tests).",
    calls: [ran("cd crates/core && cargo test --quiet", cargo)],
    claims: ["partial command cargo test", "matched count 14 tests"],
  },
  {
    answer: "The command exited with code 1 because the file is missing.",
    calls: [ran("node build.js", "Error: ENOENT", 1)],
    claims: ["matched exit_code exited with code 1"],
  },
  {
    answer: "`node build.js` finished with exit code 0.",
    calls: [ran("node build.js", "Error: ENOENT", 1)],
    claims: ["matched command node build.js", "contradicted exit_code exit code 0"],
  },
  {
    answer: "Running the script prints:\n\n```\nhello from deckhand\n3 files copied\n```",
    calls: [ran("node copy.js", "hello from deckhand\n3 files copied\n")],
    claims: ["matched quote hello from deckhand"],
  },
  {
    answer: "Output:\n\n```\nServer listening on port 4000\n```",
    calls: [ran("node server.js", "Server listening on port 3000\n")],
    claims: ["unmatched quote Server listening on port 4000"],
  },
  {
    answer: "It fails with \"Cannot find module 'express'\".",
    calls: [ran("node app.js", "Error: Cannot find module 'express'\n    at Module", 1)],
    claims: ["matched quote Cannot find module"],
  },
  {
    answer: 'The build reports "Type error: missing property id".',
    calls: [ran("npm run build", "compiled successfully")],
    claims: ["unmatched quote Type error: missing property id"],
  },
  {
    answer: "I looked at `src/index.ts` and `src/router.ts`; the route is registered in `src/router.ts`.",
    calls: [read("src/index.ts", "x"), read("src/router.ts", "y")],
    claims: ["matched path src/index.ts", "matched path src/router.ts"],
  },
  {
    answer: "I checked `src/index.ts` and `src/auth/session.ts`.",
    calls: [read("src/index.ts", "x")],
    claims: ["matched path src/index.ts", "unmatched path src/auth/session.ts"],
  },
  {
    answer: "The handler is defined in `src/handlers/user.ts:42`.",
    calls: [searched("handleUser", "src/handlers/user.ts:42:export function handleUser() {")],
    claims: ["matched path src/handlers/user.ts"],
  },
  {
    answer: "If you want caching, create `src/cache.ts` and run `npm run build`.",
    calls: [read("src/index.ts", "x")],
    claims: [],
  },
  {
    answer: "I will create `src/cache.ts` next and then run `npm test`.",
    calls: [read("src/index.ts", "x")],
    claims: [],
  },
  {
    answer: "I did not run `npm test` because the dependencies are missing.",
    calls: [ran("ls node_modules", "ls: cannot access", 2)],
    claims: [],
  },
  {
    answer: "`rm -rf build` was refused, so I left the folder alone.",
    calls: [refused("rm -rf build")],
    claims: [],
  },
  {
    answer: "I ran `rm -rf build` to clean up.",
    calls: [refused("rm -rf build")],
    claims: ["contradicted command rm -rf build"],
  },
  {
    answer: "`npm test`를 실행했고 테스트 12개가 모두 통과했습니다.",
    calls: [ran("npm test", jest)],
    claims: ["matched command npm test", "matched count 테스트 12개"],
  },
  {
    answer: "`src/app.ts`를 수정했습니다. 변경 사항을 확인하려면 `npm start`를 실행하세요.",
    calls: [edited("src/app.ts", "a", "b")],
    claims: ["matched change src/app.ts"],
  },
  {
    answer: "`README.ko.md` 파일을 생성했습니다.",
    calls: [read("README.md", "x")],
    claims: ["unmatched change README.ko.md"],
  },
  {
    answer: "모든 테스트가 통과합니다.",
    calls: [ran("npm test", "Tests:       1 failed, 11 passed, 12 total", 1)],
    claims: ["contradicted count 모든 테스트가 통과"],
  },
  {
    answer:
      "Here is a small example of a debounce function:\n\n```ts\nexport function debounce(fn: () => void) {\n  return fn;\n}\n```\n\nIt returns the function unchanged.",
    calls: [],
    claims: [],
  },
  {
    answer: "A closure captures variables from its outer scope. In JavaScript every function is one.",
    calls: [],
    claims: [],
  },
  {
    answer:
      "## Summary\n\n- Added `src/queue.ts`\n- Removed `src/old-queue.ts`\n- `npm test`: 12 passed\n\n## Next steps\n\n- Run `npm publish`\n- Update `CHANGELOG.md`",
    calls: [wrote("src/queue.ts", "x"), ran("git rm src/old-queue.ts", "rm 'src/old-queue.ts'"), ran("npm test", jest)],
    claims: [
      "matched change src/queue.ts",
      "matched change src/old-queue.ts",
      "matched command npm test",
      "matched count 12 passed",
    ],
  },
  {
    answer: "I ran the following:\n\n```console\n$ git status --short\n M src/a.ts\n```",
    calls: [ran("git status --short", " M src/a.ts\n")],
    claims: ["matched command git status --short", "matched quote M src/a.ts"],
  },
  {
    answer: "I ran the following:\n\n```console\n$ git status --short\n M src/a.ts\n?? src/b.ts\n```",
    calls: [ran("git status --short", " M src/a.ts\n")],
    claims: ["matched command git status --short", "unmatched quote M src/a.ts"],
  },
  {
    answer: "The linter reports 3 errors and 1 warning.",
    calls: [ran("npx eslint .", "✖ 4 problems (3 errors, 1 warning)", 1)],
    claims: ["matched count 3 errors", "matched count 1 warning"],
  },
  {
    answer: "tsc reports 0 errors.",
    calls: [ran("npx tsc --noEmit", "Found 2 errors in 1 file.", 2)],
    claims: ["contradicted count 0 errors"],
  },
  {
    answer: "According to the page, the current release is 24.1. See https://nodejs.org/en/download for details.",
    calls: [fetched("https://nodejs.org/en/download", "Node 24.1")],
    claims: [],
  },
  {
    answer: "The folder contains `main.py`, `utils.py` and `data.csv`.",
    calls: [listed(".", "main.py\nutils.py\ndata.csv")],
    claims: ["matched path main.py", "matched path utils.py", "matched path data.csv"],
  },
  {
    answer: 'I deleted `tmp/cache.db` and ran `git commit -m "drop cache"`.',
    calls: [ran("rm tmp/cache.db && git commit -m 'drop cache'", "[main 1a2b3c] drop cache")],
    claims: ["matched change tmp/cache.db", "matched command git commit -m"],
  },
  {
    answer: "The 3 new tests pass.",
    calls: [ran("npm test", jest)],
    claims: [],
  },
  {
    answer: "Would you like me to run `npm test` as well?",
    calls: [edited("a.ts", "a", "b")],
    claims: [],
  },
];
