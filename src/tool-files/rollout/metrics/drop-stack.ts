/** Leaves out where a failure came through: the same cause is reached on many ways. What was thrown stays. */
export function dropStack(text: string): string {
  const lines = text.replaceAll("\r\n", "\n").split("\n");
  if (lines.length === 1) return text;
  const kept: string[] = [];
  let isBelowFrame = false;
  for (const line of lines) {
    if (pythonFrame.test(line)) {
      isBelowFrame = true;
    } else if (isBelowFrame && /^\s{4,}\S/.test(line)) {
      // The source line of the frame, and the marks under it.
    } else if (marks.test(line)) {
      // Node shows the place, the source line and the marks, in this order.
      if (/:\d+$/.test(kept.at(-2) ?? "")) kept.splice(-2);
    } else {
      isBelowFrame = false;
      if (!noise.some((pattern) => pattern.test(line))) kept.push(line);
    }
  }
  // Nothing but a stack is better than nothing.
  return kept.some((line) => line.trim() !== "") ? kept.join("\n") : text;
}

const pythonFrame = /^\s*File ".*", line \d+/;
const marks = /^\s*[\^~][\^~\s]*$/;

const noise: readonly RegExp[] = [
  /^\s*at \S.*(?:[:(]\d+[:)]|\)|<anonymous>|:\d+)\s*$/, // JavaScript, Java
  /^\s+at (?:async |new )?[\w$.<>[\] ]+$/,
  /^\s*\.{3} \d+ (?:more|lines matching)\b/,
  /^\s*from \S+:\d+:in /, // Ruby
  /^goroutine \d+ \[/,
  /^\t\S+\.go:\d+/,
  /^\s*\d+: +(?:0x[\da-f]+ - )?\S+::/, // Rust
  /^stack backtrace:$/,
  /^note: run with `RUST_BACKTRACE/,
  /^Traceback \(most recent call last\):$/,
  /^\s*\[Previous line repeated \d+ more times?\]$/,
  /^Node\.js v\d/,
];
