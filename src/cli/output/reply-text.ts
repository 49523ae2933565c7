import { fitWidth, neutralizeLine } from "../terminal/terminal-text.ts";
import { formatDuration } from "../../core/time.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createMarkdownStream, type MarkdownStream } from "./markdown/markdown-stream.ts";
import type { LiveView, Screen } from "./screen.ts";
import { spinnerAt } from "./format-figures.ts";

/** What the model says and thinks in one reply. Text goes to the screen as it comes, thoughts are only counted there. */
export interface ReplyText {
  text(text: string): void;
  thinking(text: string): void;
  /** The text so far is over: something else is shown next. */
  pause(): void;
  /** The row that shows that it thinks; undefined when it does not. */
  thinkingRow(view: LiveView): string | undefined;
  /** Has any text been shown since `begin`? */
  readonly hasText: boolean;
  /** A new reply. */
  begin(): void;
}

export interface ReplyTextOptions {
  readonly screen: Screen;
  readonly style: Terminal["style"];
  readonly now: () => number;
  /** Called before text or the line about thinking begins. */
  readonly openBlock: (kind: "text" | "thought") => void;
}

export function createReplyText({ screen, style, now, openBlock }: ReplyTextOptions): ReplyText {
  let markdown: MarkdownStream | null = null;
  let thoughts: { readonly since: number; tail: string } | null = null;
  let hasText = false;

  function endThinking(): void {
    if (thoughts === null) return;
    const elapsedMs = now() - thoughts.since;
    thoughts = null;
    if (elapsedMs < shortestToldMs) return;
    openBlock("thought");
    screen.write(`${style("dim", `thought for ${formatDuration(Math.floor(elapsedMs / 1000) * 1000)}`)}\n`);
  }

  function endText(): void {
    if (markdown === null) return;
    screen.write(markdown.end());
    markdown = null;
  }

  return {
    text(text) {
      endThinking();
      // A reply often begins with line ends, and a block of nothing would be seen.
      if (markdown === null && text.trim() === "") return;
      if (markdown === null) {
        openBlock("text");
        markdown = createMarkdownStream({ width: screen.columns, style });
      }
      hasText = true;
      screen.write(markdown.push(text));
    },
    thinking(text) {
      endText();
      thoughts ??= { since: now(), tail: "" };
      thoughts.tail = (thoughts.tail + text).slice(-tailCharacters);
    },
    pause() {
      endThinking();
      endText();
    },
    thinkingRow({ columns, now: at }) {
      if (thoughts === null) return undefined;
      const head = `thinking… ${formatDuration(Math.max(1, Math.floor((at - thoughts.since) / 1000)) * 1000)}`;
      const line = thoughts.tail.split("\n").findLast((each) => each.trim() !== "") ?? "";
      const row = line === "" ? head : `${head} · ${neutralizeLine(line).trim()}`;
      return `${style("cyan", spinnerAt(at))} ${style("dim", fitWidth(row, columns - 2))}`;
    },
    get hasText() {
      return hasText;
    },
    begin() {
      hasText = false;
    },
  };
}

/** Shorter thoughts are not worth a line. */
const shortestToldMs = 1000;
const tailCharacters = 400;
