/** Looks at a text as it grows: has it become one whole JSON object, and nothing else? Reads each character once. */
export interface JsonWatch {
  /** True once: when this piece completes the object. Never when something else than white space follows in the same piece. */
  isCompletedBy(piece: string): boolean;
}

export function watchJson(): JsonWatch {
  let text = "";
  let depth = 0;
  let inString = false;
  let isEscaped = false;
  let isOver = false;

  function endOfObject(piece: string): number {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]!;
      if (inString) {
        if (isEscaped) isEscaped = false;
        else if (character === "\\") isEscaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') inString = true;
      else if (character === "{" || character === "[") depth++;
      else if ((character === "}" || character === "]") && --depth <= 0) return at + 1;
    }
    return -1;
  }

  return {
    isCompletedBy(piece) {
      if (isOver) return false;
      // Only until it begins: looking at a text that grows by letters copies it for each of them.
      const begins = depth === 0 ? /\S/.exec(piece)?.[0] : "{";
      text += piece;
      if (begins !== undefined && begins !== "{") {
        isOver = true;
        return false;
      }
      const end = endOfObject(piece);
      if (end === -1) return false;
      isOver = true;
      return piece.slice(end).trim() === "" && isJson(text);
    },
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
