// A second reporter of `npm test`: writes as JSON what the runner prints at the end.
import { relative } from "node:path";
import { endOfFile } from "./group-tests.ts";
import type { TestEvent } from "node:test/reporters";

export interface TestSummary {
  readonly files: { readonly path: string; readonly seconds: number }[];
  readonly skipped: { readonly path: string; readonly name: string; readonly reason: string }[];
}

export default async function* summaryReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const summary: TestSummary = { files: [], skipped: [] };
  for await (const event of events) {
    const ended = endOfFile(event);
    if (ended) {
      summary.files.push({ path: ended.path, seconds: ended.seconds });
    } else if ((event.type === "test:pass" || event.type === "test:fail") && event.data.skip) {
      const { name, file, skip } = event.data;
      const reason = typeof skip === "string" ? skip : "no reason given";
      summary.skipped.push({ path: shortPath(file), name, reason });
    }
  }
  yield JSON.stringify(summary);
}

function shortPath(file: string | undefined): string {
  return file === undefined ? "(no file)" : relative(process.cwd(), file);
}
