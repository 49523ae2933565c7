import type { AgentEvent } from "../../../core/agent-events.ts";
import type { MaskStream } from "../../../core/mask.ts";
import type { Runtime } from "../../../runtime/create-runtime.ts";

type Piece = AgentEvent<"reply:text" | "reply:thinking">;

/**
 * Events as they may leave the process: the words of the model masked, too. They come in pieces, and a secret in two of them
 * is found; so a line of theirs is told when it is whole.
 */
export function maskEvents(
  { maskValue, maskStream }: Pick<Runtime, "maskValue" | "maskStream">,
  tell: (event: AgentEvent) => void,
): (event: AgentEvent) => void {
  let open: { readonly type: Piece["type"]; readonly stream: MaskStream } | undefined;

  function tellPiece(piece: Piece): void {
    if (piece.text !== "") tell(piece);
  }

  function endStream(at: number): void {
    const ended = open;
    open = undefined;
    if (ended) tellPiece({ type: ended.type, at, text: ended.stream.end() });
  }

  return (event) => {
    if (event.type !== "reply:text" && event.type !== "reply:thinking") {
      if (endsWords.has(event.type)) endStream(event.at);
      return tell(maskValue(event));
    }
    if (open && open.type !== event.type) endStream(event.at);
    open ??= { type: event.type, stream: maskStream() };
    tellPiece({ ...event, text: open.stream.push(event.text) });
  };
}

/** What else happens meanwhile, such as the end of a call, may fall between two pieces of one word. */
const endsWords: ReadonlySet<AgentEvent["type"]> = new Set([
  "call:announced",
  "reply:finished",
  "reply:discarded",
  "run:ended",
]);
