/** The candidates that a typing mistake could have turned into `word`, nearest first. */
export function nearest(word: string, candidates: Iterable<string>, limit = 3): string[] {
  const wanted = word.toLowerCase().slice(0, 64);
  const scored: { candidate: string; score: number }[] = [];
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const within = wanted.length >= 3 && known.length >= 3 && (known.includes(wanted) || wanted.includes(known));
    const edits = distance(wanted, known);
    const allowed = Math.max(1, Math.floor(Math.max(wanted.length, known.length) / 3));
    if (within || edits <= allowed) scored.push({ candidate, score: within ? Math.min(edits, 1.5) : edits });
  }
  // Of two that are as near, the one with the same letters: they are swapped more often than forgotten.
  const letters = (text: string): string => text.split("").toSorted().join("");
  const isOther = (candidate: string): number => (letters(candidate.toLowerCase()) === letters(wanted) ? 0 : 1);
  scored.sort(
    (a, b) =>
      a.score - b.score || isOther(a.candidate) - isOther(b.candidate) || a.candidate.localeCompare(b.candidate),
  );
  return scored.slice(0, limit).map(({ candidate }) => candidate);
}

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replace, last[column]! + 1, current[column - 1]! + 1);
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, beforeLast[column - 2]! + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
