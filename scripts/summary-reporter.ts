// A second reporter of `npm test`: writes as JSON what the runner prints at the end.
import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";

export interface TestSummary {
  readonly files: { readonly path: string; readonly seconds: number }[];
  readonly skipped: { readonly path: string; readonly name: string; readonly reason: string }[];
}

export default async function* summaryReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const summary: TestSummary = { files: [], skipped: [] };
  for await (const event of events) {
    if (event.type === "test:summary" && event.data.file !== undefined) {
      summary.files.push({ path: shortPath(event.data.file), seconds: event.data.duration_ms / 1000 });
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
