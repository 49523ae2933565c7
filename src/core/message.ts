/** One conversation, as every model gets it. Order and content are the model's; only what is said here is ours. */
export type Message =
  | { readonly role: "user"; readonly parts: readonly UserPart[] }
  | { readonly role: "assistant"; readonly parts: readonly AssistantPart[] }
  /** Follows the assistant message whose calls it answers: one result for each, in their order. */
  | { readonly role: "tool"; readonly results: readonly CallResult[] };

export type UserPart = TextPart | ImagePart;
export type AssistantPart = TextPart | ThinkingPart | CallPart;

export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly opaque?: Opaque;
}

export interface ImagePart {
  readonly type: "image";
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** What the model thought aloud. Goes back to the model that thought it, unchanged; to another one not at all. */
export interface ThinkingPart {
  readonly type: "thinking";
  readonly text: string;
  readonly opaque?: Opaque;
}

export interface CallPart {
  readonly type: "call";
  readonly callId: string;
  /** As the model named it. */
  readonly tool: string;
  /** As the model wrote it: JSON, or what was meant to be. */
  readonly inputText: string;
  readonly opaque?: Opaque;
}

export interface CallResult {
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** What a provider wants back with a part, such as a signature. Means something to that provider only. */
export interface Opaque {
  readonly provider: string;
  readonly data: unknown;
}

/** The text of a message, without thinking and calls. */
export function textOfParts(parts: readonly (UserPart | AssistantPart)[]): string {
  return parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

export function callsOf(parts: readonly AssistantPart[]): CallPart[] {
  return parts.filter((part) => part.type === "call");
}
