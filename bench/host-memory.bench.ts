import { readdirSync, readFileSync } from "node:fs";
import type { Language } from "../src/tool-files/host/tool-host.ts";
import type { Bench } from "./bench.ts";
import { echoTool, openHosts } from "./tool-hosts.ts";

/** As many as live at once. */
const mostHosts = 16;

/** Starts so many hosts, one call in each, and looks at them with their sandboxes. */
async function memoryOf(language: Language, hostCount: number): Promise<number> {
  const { hosts, call } = openHosts();
  for (let copy = 1; copy <= hostCount; copy++) {
    const { result } = await hosts.call(echoTool(language, copy), { text: "hi" }, call);
    if (!result.ok) throw new Error(`The call ended as ${JSON.stringify(result)}.`);
  }
  const alive = hosts.list();
  if (alive.length !== hostCount) throw new Error(`${alive.length} of ${hostCount} hosts live.`);
  const kilobytes = alive.flatMap(({ pid }) => treeOf(pid)).reduce((sum, pid) => sum + shareOf(pid), 0);
  await hosts.close();
  return kilobytes / 1024;
}

function treeOf(root: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => [Number(pid), parentOf(pid)] as const);
  const tree = [root];
  for (const each of tree) tree.push(...parents.flatMap(([pid, parent]) => (parent === each ? [pid] : [])));
  return tree;
}

function parentOf(pid: string): number | undefined {
  try {
    // The name before it may hold anything but ends with the last ")".
    return Number(/^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1]);
  } catch {
    return undefined; // It has ended.
  }
}

/** Pages that several processes share count for each by its share. */
function shareOf(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
}

export const benches: readonly Bench[] = [
  {
    name: "custom tool: memory of one host, typescript",
    unit: "MB",
    rounds: 2,
    measure: () => memoryOf("typescript", 1),
  },
  { name: "custom tool: memory of one host, python", unit: "MB", rounds: 2, measure: () => memoryOf("python", 1) },
  {
    name: `custom tool: memory of ${mostHosts} hosts, typescript`,
    unit: "MB",
    rounds: 1,
    measure: () => memoryOf("typescript", mostHosts),
  },
];
