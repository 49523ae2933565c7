import type { UserPart } from "../../../../src/core/message.ts";

/** An image that comes inside the request; one elsewhere on the net is not fetched. */
export function readImageUrl(url: string): UserPart[] {
  const found = /^data:([^;,]+);base64,(.*)$/s.exec(url);
  return found ? [{ type: "image", mediaType: found[1]!, data: found[2]! }] : [];
}
