import { linuxProcessTable } from "./linux-process-table.ts";
import { psProcessTable } from "./ps-process-table.ts";

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** 0 where the system does not tell. */
  readonly sessionId: number;
  /** Equal text and equal pid = same process. */
  readonly startTime: string;
  /** The start time as a number that grows; only for comparing. */
  readonly startOrder: number;
  /** False for zombies: they run nothing any more. */
  readonly alive: boolean;
  /** Part of the operating system itself: nobody started it. */
  readonly kernel: boolean;
  /** Held by SIGSTOP: it takes no SIGTERM before SIGCONT. */
  readonly stopped: boolean;
}

/**
 * The processes of this machine as the operating system shows them now. Every answer is read afresh, and a process
 * that ends while it is looked at is simply not there.
 */
export interface ProcessTable {
  /** Tells apart boots and, where there are such, PID namespaces: a pid means something only inside one. */
  readonly bootId: string;
  /** False where the environment and the open files of other processes can't be read. */
  readonly seesEnvironment: boolean;
  processIds(): number[];
  /**
   * Ids are given in rising order, and from a low one again after the highest: the last one given, and all since an earlier answer.
   * Undefined where the system does not tell, or when they are too many to look at.
   */
  idsSince(earlier: number | null): { readonly last: number; readonly ids: readonly number[] } | undefined;
  /** True when the id is that of a thread, which has one as well, and not of a process. */
  isThread(id: number): boolean;
  find(pid: number): ProcessEntry | undefined;
  /** The living children of one process; cheaper than a whole list. */
  childrenOf(pid: number): ProcessEntry[];
  /** True when a process of that other boot id could still be running. */
  mayBeRunningElsewhere(bootId: string): boolean;
  /** Makes start times comparable, see `startOrder`. */
  orderOf(startTime: string): number;
  /** `NAME=value`, exactly. Undefined when the process shows no environment, for now or for good. */
  hasVariable(pid: number, assignment: string): boolean | undefined;
  /** True when the process could write to one of these files. Undefined when it went before it could be asked. */
  writesTo(pid: number, paths: ReadonlySet<string>): boolean | undefined;
  /** The command line, for people; cut. */
  describe(pid: number): string;
}

export function openProcessTable(platform: NodeJS.Platform): ProcessTable {
  return platform === "linux" ? linuxProcessTable() : psProcessTable();
}
