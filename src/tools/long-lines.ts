import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { maxColumns } from "./grep-records.ts";
import type { GrepRecord } from "./grep-records.ts";
import { detectFormat } from "./text-format.ts";

const before = 100;
const length = 300;
const most = 100;

/** Of lines too long to print, ripgrep gives the start; this puts the part around the match in its place. */
export async function showMatchInLongLines(records: readonly GrepRecord[], root: string): Promise<GrepRecord[]> {
  let left = most;
  const shown: GrepRecord[] = [];
  for (const record of records) {
    if (!record.isCut) shown.push(record);
    else if (record.column <= maxColumns - 50 || left-- <= 0) shown.push({ ...record, text: `${record.text}…` });
    else shown.push({ ...record, text: (await readAround(join(root, record.path), record)) ?? `${record.text}…` });
  }
  return shown;
}

async function readAround(path: string, { offset, column }: GrepRecord): Promise<string | undefined> {
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const buffer = Buffer.alloc(length);
      await handle.read(buffer, 0, 4, 0);
      // Ripgrep counts in the UTF-8 that it made of other encodings.
      if (detectFormat(buffer).encoding !== "utf-8") return undefined;
      const { bytesRead } = await handle.read(buffer, 0, length, offset + column - 1 - before);
      const text = buffer.toString("utf8", 0, bytesRead);
      const end = text.search(/[\r\n]/);
      const line = end === -1 ? `${text}…` : text.slice(0, end);
      // Half a character at either end is no part of the line.
      return `…${line.replace(/^\uFFFD+/, "").replace(/\uFFFD+(…?)$/, "$1")}`;
    } finally {
      await handle.close();
    }
  } catch {
    // Gone or closed since it was searched: then the start of the line has to do.
    return undefined;
  }
}
