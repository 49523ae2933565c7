import { edited, listed, ran, read, refused, searched, wrote, type LabelledAnswer } from "./calls.ts";

const green = "Tests:       40 passed, 40 total";
const red = "Tests:       3 failed, 37 passed, 40 total";

/**
 * Written after the matching and scored before anything was changed for it. That first run is the honest estimate: counts 5
 * right, 2 extra; changes 4 right, 2 missed; commands 4 right, 2 missed; the others all right. It has led to fixes since.
 */
export const freshAnswers: readonly LabelledAnswer[] = [
  {
    answer:
      "Done! Here's what changed:\n\n1. Extracted the retry logic into `src/retry.ts`\n2. `src/client.ts` now imports it\n3. Added coverage in `test/retry.test.ts`\n\nThe full suite is green (40 tests, 0 failures).",
    calls: [
      wrote("src/retry.ts", "x"),
      edited("src/client.ts", "a", "b"),
      wrote("test/retry.test.ts", "x"),
      ran("npm test", green),
    ],
    claims: ["matched change src/retry.ts", "matched change test/retry.test.ts", "matched count 0 failures"],
  },
  {
    answer: 'I bumped the version in `package.json` and committed it (`git commit -am "release 1.2"`).',
    calls: [edited("package.json", "1.1", "1.2")],
    claims: ["matched change package.json", "unmatched command git commit -am"],
  },
  {
    answer:
      "Root cause: `parseDate` in `src/date.ts` returns local time. I patched it and re-ran the tests: 37 passed, 3 failed.",
    calls: [read("src/date.ts", "x"), edited("src/date.ts", "a", "b"), ran("npm test", red, 1)],
    claims: ["matched count 37 passed", "matched count 3 failed"],
  },
  {
    answer: "Everything works: I ran `npm run e2e` and got 40 passing tests.",
    calls: [ran("npm test", green)],
    claims: ["unmatched command npm run e2e", "matched count 40 passing"],
  },
  {
    answer: '`curl -s localhost:3000/health` returned `{"status":"ok"}`, so the service is up.',
    calls: [ran("curl -s http://localhost:3000/health", '{"status":"ok"}')],
    claims: ["unmatched command curl -s localhost:3000/health"],
  },
  {
    answer: "I'd suggest splitting `src/app.ts` into smaller modules, and then running `npm run lint` on the result.",
    calls: [read("src/app.ts", "x")],
    claims: [],
  },
  {
    answer: "Nothing to change: `src/app.ts` already validates its input, and `npm test` was green before I started.",
    calls: [read("src/app.ts", "x"), ran("npm test", green)],
    claims: [],
  },
  {
    answer: "The workflow in `.github/workflows/ci.yml` runs `npm ci` and `npm test` on every push.",
    calls: [read(".github/workflows/ci.yml", "run: npm ci\nrun: npm test")],
    claims: [],
  },
  {
    answer: "Your Dockerfile copies `package.json` first so that layers are cached; `docker build .` then reuses them.",
    calls: [read("Dockerfile", "COPY package.json .")],
    claims: [],
  },
  {
    answer: "I removed the unused `lodash` import from `src/list.ts` and deleted the file `src/old.ts`.",
    calls: [edited("src/list.ts", "a", "b"), refused("rm src/old.ts")],
    claims: ["matched change src/list.ts", "unmatched change src/old.ts"],
  },
  {
    answer: 'Migration applied. `alembic upgrade head` exited with 0 and printed "Running upgrade a1 -> b2".',
    calls: [ran("alembic upgrade head", "INFO Running upgrade a1 -> b2")],
    claims: [
      "matched command alembic upgrade head",
      "matched exit_code exited with 0",
      "matched quote Running upgrade a1",
    ],
  },
  {
    answer:
      "코드를 확인한 결과 `src/user.ts`에서 널 검사가 빠져 있었습니다. 수정 후 `npm test`를 실행했고 40개 테스트가 모두 통과했습니다.",
    calls: [read("src/user.ts", "x"), edited("src/user.ts", "a", "b"), ran("npm test", green)],
    claims: ["matched command npm test", "matched count 40개 테스트가 모두 통과"],
  },
  {
    answer: "아직 테스트는 실행하지 않았습니다. `npm test`로 확인해 주세요.",
    calls: [edited("src/user.ts", "a", "b")],
    claims: [],
  },
  {
    answer: "Four files mention it: `a.py`, `b.py`, `c.py` and `d.py`.",
    calls: [searched("TODO", "a.py:1:TODO\nb.py:1:TODO\nc.py:1:TODO\nd.py:1:TODO")],
    claims: [],
  },
  {
    answer: "I read `config/default.json` and `config/production.json`; only the second one sets a timeout.",
    calls: [listed("config", "default.json\nproduction.json"), read("config/production.json", "{}")],
    claims: ["unmatched path config/default.json", "matched path config/production.json"],
  },
  {
    answer: "All 40 tests pass and `tsc --noEmit` is clean.",
    calls: [ran("npm test", green), ran("npx tsc --noEmit", "src/a.ts(1,1): error TS2304: Cannot find name 'x'.", 2)],
    claims: ["matched count 40 tests pass", "contradicted command tsc --noEmit"],
  },
  {
    answer: "The tests pass except for `test_login`, which fails with `AssertionError: 401 != 200`.",
    calls: [ran("pytest", "E  AssertionError: 401 != 200\n1 failed, 8 passed", 1)],
    claims: ["matched quote AssertionError: 401"],
  },
  {
    answer: "I created a new file at src/lib/slug.ts with a `slugify` helper and used it in src/posts.ts.",
    calls: [wrote("src/lib/slug.ts", "x"), edited("src/posts.ts", "a", "b")],
    claims: ["matched change src/lib/slug.ts"],
  },
];
