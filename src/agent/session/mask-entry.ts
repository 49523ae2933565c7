import type { AssistantPart, Opaque, UserPart } from "../../core/message.ts";
import type { SessionEntry } from "../../core/session.ts";

export type MaskValue = <Value>(value: Value) => Value;

/**
 * An entry as it may be kept. Images stay whole, because a mask in the middle of one would only break it. What a provider
 * wants back unchanged is kept unchanged or not at all: a signature over other text would be refused.
 */
export function maskEntry(entry: SessionEntry, mask: MaskValue): SessionEntry {
  // Not masked: what entries are found and put in order by.
  const { v, type, id, parentId, at, ...body } = entry;
  const head = { v, type, id, parentId, at };
  if (!("parts" in body)) return { ...head, ...mask(body) } as SessionEntry;
  // The body as a whole: what one part gives away as a secret is masked in the others too.
  const masked = mask({ ...body, parts: body.parts.map(withoutUntouchable) });
  const parts = masked.parts.map((part, index) => withUntouchable(part, body.parts[index]!, mask));
  return { ...head, ...masked, parts } as SessionEntry;
}

type Part = UserPart | AssistantPart;

function withoutUntouchable(part: Part): Part {
  if (part.type === "image") return { ...part, data: "" };
  const { opaque: _, ...rest } = part;
  return rest;
}

function withUntouchable(masked: Part, part: Part, mask: MaskValue): Part {
  if (part.type === "image") return { ...masked, data: part.data } as Part;
  if (part.opaque === undefined || hidesSecret(part.opaque, mask)) return masked;
  const isOtherText = part.type === "thinking" && masked.type === "thinking" && masked.text !== part.text;
  return isOtherText ? masked : ({ ...masked, opaque: part.opaque } as Part);
}

function hidesSecret(opaque: Opaque, mask: MaskValue): boolean {
  const masked = mask(opaque);
  return masked !== opaque && JSON.stringify(masked) !== JSON.stringify(opaque);
}
