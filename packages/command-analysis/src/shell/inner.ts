import type { SimpleCommand, Word } from "../simple-command.ts";
import { literal } from "./scope.ts";

/** A command inside the words of another. */
export type Inner =
  | {
      readonly kind: "words";
      readonly words: readonly Word[];
      readonly assignments?: SimpleCommand["assignments"];
      /** One of several ways to read it: it counts only where it is danger. */
      readonly isGuess?: boolean;
    }
  | { readonly kind: "text"; readonly text: Word };

/** As the shell at the other end will read it: with blanks between, without quotes. */
export function joinTexts(words: readonly Word[]): Word {
  const text = words.map((word) => word.text).join(" ");
  if (words.every(({ kind }) => kind !== "dynamic")) return literal(text);
  const isTainted = words.some((word) => "isTainted" in word && word.isTainted === true);
  return { text, kind: "dynamic", prefix: words[0]?.prefix ?? "", ...(isTainted && { isTainted }) };
}
