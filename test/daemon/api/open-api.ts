import type { TestContext } from "node:test";
import { apiRoutes } from "../../../src/daemon/api/routes.ts";
import { createRouter } from "../../../src/daemon/server/answer-request.ts";
import { ApiAnswer, rights, type ApiParts, type ApiRequest, type Right } from "../../../src/daemon/server/route.ts";
import { toProblem } from "../../../src/daemon/server/send.ts";
import { openJournalReader } from "../../../src/records/audit-log/log-reader.ts";
import { followOutputs } from "../../../src/records/live-outputs.ts";
import type { Runtime } from "../../../src/runtime/runtime.ts";
import { afterTest } from "../../support/after-test.ts";
import { isolatedEnvironment } from "../../support/runtime.ts";

export interface Answer {
  readonly status: number;
  /** As it went through JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever the daemon said
  readonly body: any;
}

export interface Api {
  get(path: string): Promise<Answer>;
  post(
    path: string,
    body?: unknown,
    asked?: { readonly rights?: readonly Right[]; readonly who?: string },
  ): Promise<Answer>;
}

interface ApiOptions {
  /** Of the runtime; that of a person whose home is the workdir when left out. */
  readonly env?: Readonly<Record<string, string>>;
  readonly status?: Partial<ReturnType<ApiParts["status"]>>;
}

/** The routes over a real runtime, without a server: what it would do before them is tested with it. */
export function openApi(
  t: TestContext,
  runtime: Runtime,
  { env = isolatedEnvironment(runtime.workdir), status = {} }: ApiOptions = {},
): Api {
  const find = createRouter(apiRoutes);
  const outputs = followOutputs(runtime);
  afterTest(t, async () => outputs.close());
  const parts: ApiParts = {
    runtime,
    journal: openJournalReader(runtime.workdir, env),
    outputs,
    status: () => ({ ...plainStatus, ...status }),
    findWriteProblem: () => runtime.findWriteProblem(),
  };

  async function ask(method: string, target: string, request: Partial<ApiRequest>): Promise<Answer> {
    const { pathname, searchParams } = new URL(target, "http://127.0.0.1");
    const found = find(method, pathname);
    if (found.kind !== "found") throw new Error(`No route for ${method} ${pathname}`);
    const whole: ApiRequest = {
      params: found.params,
      query: searchParams,
      body: undefined,
      rights: new Set(rights),
      who: "kim",
      signal: new AbortController().signal,
      ...request,
    };
    try {
      const answer = await found.route.handle(whole, parts);
      return answer instanceof ApiAnswer ? through(answer.status, answer.body) : through(200, answer);
    } catch (thrown) {
      const { status: code, code: word, message } = toProblem(thrown);
      return through(code, { error: { code: word, message } });
    }
  }

  return {
    get: (path) => ask("GET", path, {}),
    post: (path, body = {}, { rights: given = rights, who = "kim" } = {}) =>
      ask("POST", path, { body, rights: new Set(given), who }),
  };
}

function through(status: number, body: unknown): Answer {
  return { status, body: JSON.parse(JSON.stringify(body)) };
}

const plainStatus = {
  version: "1.2.3",
  workdir: "/work",
  pid: 4711,
  startedAt: Date.UTC(2026, 10, 16, 9),
  url: "http://127.0.0.1:7433",
  isReady: true,
  isSafeMode: false,
  isWatched: false,
};

/** What differs from run to run, as a word. */
export function steady(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(steady);
  if (typeof value === "string") return steadyText(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      /(?:^|_)ms$/.test(key) && each !== null && isMeasured(key) ? "MS" : steady(each),
    ]),
  );
}

function isMeasured(key: string): boolean {
  return key === "duration_ms" || key === "latency_ms" || /^p\d\d_/.test(key);
}

function steadyText(text: string): string {
  return text
    .replaceAll(/\b(call|task|run|ses|ask|job|roll)_[0-9a-f]{8}-[0-9a-f-]{27}/g, "$1_ID")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "TIME")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "HASH")
    .replaceAll(/(\w)@[0-9a-f]{12}\b/g, "$1@HASH");
}
