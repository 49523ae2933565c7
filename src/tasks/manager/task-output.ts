import { join } from "node:path";
import { cutMiddle } from "../../core/text.ts";
import type { Task } from "../../core/task.ts";
import { readErrorText } from "./read-agent.ts";
import { readFilePart, runFolderOf } from "./task-folder.ts";
import type { TaskManagerOptions } from "./task-parts.ts";

export interface OutputRange {
  /** In bytes; a negative one counts from the end. */
  readonly from?: number;
  readonly limit?: number;
  /** False: `answer` may be empty. To find it in what a task of another process printed, all of that is read. */
  readonly wantsAnswer?: boolean;
  /** Of a longer answer only its beginning and its end. */
  readonly answerCharacters?: number;
}

export interface TaskOutput {
  /** What the agent printed, masked; whole lines where there are such. */
  readonly text: string;
  readonly from: number;
  /** Where to go on reading. */
  readonly next: number;
  readonly totalBytes: number;
  /** The end of what it printed as errors. */
  readonly errorText: string;
  /** Its answer as far as it has come. */
  readonly answer: string;
}

const usualBytes = 64 * 1024;
const mostBytes = 4 * 1024 * 1024;
const newline = 10;

interface Reading extends OutputRange {
  /** The answer so far, of a task that has so much output. */
  readonly findAnswer: (totalBytes: number) => Promise<string> | string;
}

export async function readTaskOutput(
  options: TaskManagerOptions,
  task: Task,
  { from = 0, limit = usualBytes, wantsAnswer = true, answerCharacters, findAnswer }: Reading,
): Promise<TaskOutput> {
  const folder = runFolderOf(task);
  const wanted = Math.trunc(Math.min(Math.max(1, limit), mostBytes)) || usualBytes;
  const part = await readFilePart(join(folder, "stdout"), Math.trunc(from) || 0, wanted);
  const start = firstCharacter(part.bytes);
  const end = wholeLines(part.bytes, part.from + part.bytes.length >= part.totalBytes);
  return {
    text: options.mask(part.bytes.toString("utf8", start, end)),
    from: part.from + start,
    next: part.from + end,
    totalBytes: part.totalBytes,
    errorText: options.mask(await readErrorText(folder)),
    answer: wantsAnswer ? await readAnswer() : "",
  };

  async function readAnswer(): Promise<string> {
    // Masked as a whole: half a secret would not be known for one.
    const answer = task.result ?? options.mask(await findAnswer(part.totalBytes));
    return answerCharacters === undefined ? answer : cutMiddle(answer, answerCharacters);
  }
}

/** A secret in two pieces would be found in neither, so a piece ends with a line. */
function wholeLines(bytes: Buffer, isAtEnd: boolean): number {
  if (isAtEnd) return bytes.length;
  const end = bytes.lastIndexOf(newline) + 1;
  if (end > 0) return end;
  let at = bytes.length;
  while (at > 0 && bytes.length - at < 4 && (bytes[at - 1]! & 0xc0) === 0x80) at -= 1;
  return at > 0 && (bytes[at - 1]! & 0xc0) === 0xc0 ? at - 1 : bytes.length;
}

function firstCharacter(bytes: Buffer): number {
  let at = 0;
  while (at < Math.min(bytes.length, 3) && (bytes[at]! & 0xc0) === 0x80) at += 1;
  return at;
}
