/**
 * Somewhere the shell takes a value for code: arithmetic evaluates the text of a variable, subscripts with commands in them included
 * (`x=$(cat f); echo $((x))` runs `a[$(…)]` of the file), and may assign to any variable, as a loop does. Looks at the whole text as it
 * is written, since this syntax can't be the result of an expansion. True when in doubt, so only for a proof, never for a verdict.
 */
export function evaluatesValues(text: string, changesShell: RegExp): boolean {
  const joined = text.replaceAll("\\\n", "");
  return (
    /\(\(|\$\[/.test(joined.replaceAll(/\$?\(\([\d\s+*/%-]*\)\)/g, "")) ||
    (joined.includes("[[") && /\s-(?:eq|ne|lt|le|gt|ge|v|R)\s/.test(joined)) ||
    // `${!x}`, `${x@P}`
    (joined.includes("${") && /\$\{!|@[A-Za-z]\}/.test(joined)) ||
    hasSubscript(joined) ||
    // `${x:i:n}`, but not `${x:-default}`
    /\$\{#?[\w@*]+(?:\[[\d@*]+\])?:(?![-=?+])(?![\s\d:-]*\})/.test(joined) ||
    assigns(joined, changesShell)
  );
}

/** `${a[i]}`, `a[i]=x`, `a=([i]=x)`; numbers, `@` and `*` are just places. */
function hasSubscript(text: string): boolean {
  if (/\$\{#?\w+\[(?!(?:\d+|[@*])\])/.test(text)) return true;
  return /\]\+?=/.test(text) && /(?:^|[\s;&|({])\w*\[(?!\d+\]|\s)/.test(text);
}

/** `for PATH in …`, `${PATH:=…}` */
function assigns(text: string, changesShell: RegExp): boolean {
  const names = [...text.matchAll(/\b(?:for|select)\s+(\w+)|\$\{(\w+)(?:\[[\d@*]+\])?:?=/g)];
  return names.some(([, loop, other]) => changesShell.test(loop ?? other ?? ""));
}
