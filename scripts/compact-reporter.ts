// The reporter of `npm test` where there is no terminal: one line per file, failures in full, skips with their reason, and
// node:test's closing counts.
import { relative } from "node:path";
import { inspect } from "node:util";
import { endOfFile } from "./group-tests.ts";
import type { TestEvent } from "node:test/reporters";

interface FileCounts {
  passed: number;
  failed: number;
}

export default async function* compactReporter(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts = new Map<string, FileCounts>();
  const failures: string[] = [];
  const closing: string[] = [];
  for await (const event of events) {
    const ended = endOfFile(event);
    if (event.type === "test:pass" || event.type === "test:fail") {
      const { name, file, skip, details } = event.data;
      const path = ended?.path ?? shortPath(file);
      const count = counts.get(path) ?? { passed: 0, failed: 0 };
      counts.set(path, count);
      if (skip) yield `- ${path}: ${name} # skipped: ${skip === true ? "no reason given" : skip}\n`;
      if (details.type !== "suite") count[event.type === "test:pass" ? "passed" : "failed"] += 1;
      if (event.type === "test:fail" && !isOnlyAboutItsSubtests(event.data.details.error)) {
        yield `✖ ${path}: ${name}\n`;
        failures.push(`✖ ${path}: ${name}\n${indent(describe(event.data.details.error))}\n`);
      }
    } else if (event.type === "test:diagnostic" && event.data.nesting === 0) {
      closing.push(`ℹ ${event.data.message}\n`);
    } else if (event.type === "test:stdout" || event.type === "test:stderr") {
      yield event.data.message;
    }
    if (ended) {
      const { passed, failed } = counts.get(ended.path) ?? { passed: 0, failed: 0 };
      const result = `${passed} passed${failed > 0 ? `, ${failed} failed` : ""}, ${ended.seconds.toFixed(1)} s`;
      yield `${ended.success ? "✔" : "✖"} ${ended.path} (${result})\n`;
    }
  }
  if (failures.length > 0) yield `\nFailed:\n\n${failures.join("\n")}\n`;
  yield closing.join("");
}

/** A suite or a file fails with each test in it: that test says why. */
function isOnlyAboutItsSubtests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
}

function describe(error: Error): string {
  return inspect(error.cause ?? error, { depth: 8 });
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "    ");
}

function shortPath(file: string | undefined): string {
  return file === undefined ? "(no file)" : relative(process.cwd(), file);
}
