import { cutText } from "../../core/text.ts";
import type { AgentVerdict, OutputReader, ReaderNews } from "./agent-adapter.ts";
import { describeEnd, oneLine } from "./describe-end.ts";
import { readEvent, textAt, valueAt, type AgentEvent } from "./read-event.ts";

/** What one CLI's events mean. */
export interface EventReading {
  take(event: AgentEvent): ReaderNews | undefined;
  /** How its events say it ended; undefined when they say nothing. */
  verdict(): AgentVerdict | undefined;
  partial(): string;
}

/** The part of reading JSON lines that is the same for every CLI. */
export function createEventReader(name: string, reading: EventReading): OutputReader {
  /** The last lines that were no events: often the only word of what went wrong. */
  let stray = "";
  let sessionId: string | undefined;
  let progress: string | undefined;
  let isDone = false;
  return {
    line(text) {
      const event = readEvent(text);
      if (event) return onlyNew(reading.take(event));
      if (text.trim() !== "") stray = `${stray}\n${text.slice(-strayCharacters)}`.slice(-strayCharacters);
      return undefined;
    },
    end: (exit) => reading.verdict() ?? { ok: false, error: describeEnd(name, exit, stray) },
    partial: () => reading.partial(),
  };

  function onlyNew(news: ReaderNews | undefined): ReaderNews | undefined {
    if (!news) return undefined;
    const told: { -readonly [Key in keyof ReaderNews]: ReaderNews[Key] } = {};
    const line = news.progress === undefined ? "" : oneLine(news.progress, "start", progressCharacters);
    if (news.sessionId !== undefined && news.sessionId !== sessionId) told.sessionId = sessionId = news.sessionId;
    if (line !== "" && line !== progress) told.progress = progress = line;
    if (news.isDone !== undefined && news.isDone !== isDone) told.isDone = isDone = news.isDone;
    return Object.keys(told).length > 0 ? told : undefined;
  }
}

/** `Bash: npm test`: a call as one line. */
export function describeCall(tool: string, input: unknown): string {
  for (const key of tellingKeys) {
    const text = textAt(input, key);
    if (text !== undefined) return `${tool}: ${text}`;
  }
  const [part] = Array.isArray(valueAt(input, "command")) ? [(valueAt(input, "command") as unknown[]).join(" ")] : [];
  return part === undefined ? tool : `${tool}: ${part}`;
}

const strayCharacters = 4000;
const progressCharacters = 200;
const tellingKeys = "command file_path filePath path pattern query url description prompt title".split(" ");

/** What an agent says, as far as it is kept in memory: more than any model writes in one go. */
const maxCharacters = 4 * 1024 * 1024;

export interface AnswerText {
  /** More of the text that is being said. */
  add(piece: string): void;
  /** It does something else now: what comes next is another text. */
  next(): void;
  /** The last text that said something. */
  text(): string;
}

/** Between its calls of tools an agent tells what it is about to do; only what it says last is its answer. */
export function createAnswerText(): AnswerText {
  let said = "";
  let saying = "";
  let missing = 0;
  return {
    add(piece) {
      const room = maxCharacters - saying.length;
      if (piece.length > room) missing += piece.length - room;
      if (room > 0) saying += piece.slice(0, room);
    },
    next() {
      if (saying.trim() !== "") said = finish();
      saying = "";
      missing = 0;
    },
    text: () => (saying.trim() === "" ? said : finish()),
  };

  function finish(): string {
    return missing === 0 ? saying : `${cutText(saying, maxCharacters)}… [${missing} characters cut]`;
  }
}
