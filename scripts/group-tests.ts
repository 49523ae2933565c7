// Which test files share a process. Starting one and loading the sources takes longer than most files' tests; node:test would
// give each file its own.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { pathToFileURL } from "node:url";

/** The folders whose tests mostly call functions. */
const grouped = [
  [
    "agent",
    "config",
    "core",
    "daemon",
    "doctor",
    "engine",
    "guard",
    "http",
    "mcp/server",
    "models",
    "permissions",
    "records",
  ],
  ["runtime", "schedule", "tool-files/improve", "tool-files/rollout", "tools", "web"],
]
  .flat()
  .map((folder) => join("test", folder, "/"))
  .concat("packages/");

const mostFiles = 12;

/** What is the whole process's: a test that sets or measures it has one of its own. */
const processWide =
  /process\.(on|once|chdir|umask|memoryUsage|getActiveResourcesInfo)\b|process\.env\[[^\]]+\] = |setFlagsFromString|mock\.|\/proc\/self\/fd/;

export interface TestPrograms {
  /** What `node --test` is given, the longest first. */
  readonly programs: string[];
  /** The test files that are in a program with others. */
  readonly shared: string[];
}

/** Writes a program into `folder` for each group. Each file is a suite of it, named by its path. */
export function groupTests(files: readonly string[], folder: string): TestPrograms {
  const sharable = (file: string): boolean =>
    grouped.some((start) => file.startsWith(start)) && !processWide.test(readFileSync(file, "utf8"));
  const byFolder = Object.groupBy(files.filter(sharable), (file) => file.split("/")[1]!);
  const groups = Object.entries(byFolder).flatMap(([name, members = []]) =>
    Array.from({ length: Math.ceil(members.length / mostFiles) }, (_, index) => ({
      name: `${name}-${index + 1}`,
      members: members.slice(index * mostFiles, (index + 1) * mostFiles),
    })),
  );
  const programs = groups.map(({ name, members }) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(path, programOf(members));
    return path;
  });
  const shared = groups.flatMap(({ members }) => members);
  return { programs: [...files.filter((file) => !shared.includes(file)), ...programs], shared };
}

export interface EndOfFile {
  readonly path: string;
  readonly seconds: number;
  readonly success: boolean;
}

/** For the reporters: an event that says that a test file has ended, which is the end of its suite where several share a process. */
export function endOfFile({ type, data }: TestEvent): EndOfFile | undefined {
  if (type === "test:summary" && data.file !== undefined && !isProgramOfSeveral(data.file)) {
    return { path: relative(process.cwd(), data.file), seconds: data.duration_ms / 1000, success: data.success };
  }
  if (type !== "test:pass" && type !== "test:fail") return undefined;
  if (data.nesting > 0 || data.details.type !== "suite" || !isProgramOfSeveral(data.file)) return undefined;
  return { path: data.name, seconds: data.details.duration_ms / 1000, success: type === "test:pass" };
}

function isProgramOfSeveral(file: string | undefined): boolean {
  return file !== undefined && dirname(file) === process.env["DECKHAND_TEST_SHARED"];
}

function programOf(files: readonly string[]): string {
  const suites = files.map((file) => {
    const url = pathToFileURL(file).href;
    return `suite(${JSON.stringify(file)}, async () => { await import(${JSON.stringify(url)}); });`;
  });
  return ['import { suite } from "node:test";', ...suites, ""].join("\n");
}
