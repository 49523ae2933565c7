import { isJoined } from "../terminal-text/joined-characters.ts";
import { quote, refuseUrl, type RefusedUrl } from "./url-verdict.ts";

const longest = 8192;
const noUserinfo = "has a user name or password before its host; take everything up to the @ away";

/**
 * What a URL parser repairs in silence and other programs read differently, so that the host a person sees may not be the one
 * that is reached. Undefined when there is nothing of it.
 */
export function judgeSpelling(text: string): RefusedUrl | undefined {
  if (text === "") return refuseUrl("url.malformed", "is empty; expected something like https://example.com/page");
  if (text.length > longest) return refuseUrl("url.malformed", `is longer than ${longest} characters`);
  if (!text.isWellFormed()) return refuseUrl("url.malformed", "is not well-formed Unicode text");
  if (stray.test(text)) return refuseUrl("url.disguised", "has control characters in it or white space around it");
  const [, scheme, slashes = "", authority = ""] = /^([a-z][a-z0-9+.-]*):([/\\]*)([^/?#]*)/i.exec(text) ?? [];
  if (scheme === undefined) return refuseUrl("url.scheme", "has no scheme; it must begin with http:// or https://");
  if (!/^https?$/i.test(scheme)) {
    return refuseUrl("url.scheme", `has the scheme ${quote(scheme)}; only http and https may be fetched`);
  }
  if (slashes !== "//") return refuseUrl("url.disguised", `has ${quote(slashes)} after the scheme instead of "//"`);
  if (authority === "") return refuseUrl("url.malformed", "has no host");
  if (/^[^?#]*\\/.test(text)) return refuseUrl("url.disguised", "has a backslash, which programs read differently");
  if (authority.includes("@")) return refuseUrl("url.userinfo", noUserinfo);
  return judgeAuthority(authority);
}

function judgeAuthority(authority: string): RefusedUrl | undefined {
  if (authority.includes("%"))
    return refuseUrl("url.disguised", "has a percent sign in its host; write the host plainly");
  const characters = Array.from(authority);
  const isHidden = (character: string, index: number): boolean =>
    invisible.test(character) && !isJoined(character, characters[index - 1] ?? "", characters[index + 1] ?? "");
  if (characters.some(isHidden)) return refuseUrl("url.disguised", "has invisible characters or spaces in its host");
  const disguised = characters.find(standsForAscii);
  if (disguised === undefined) return undefined;
  return refuseUrl(
    "url.disguised",
    `has "${disguised}" in its host, which stands for "${disguised.normalize("NFKC")}"`,
  );
}

/** Look-alikes such as ① and ｌ. Letters of other scripts, accents and the ideographic full stop are what they seem. */
function standsForAscii(character: string): boolean {
  return character > "\u007f" && /^[a-z0-9./\\@:?#%]+$/i.test(character.normalize("NFKC"));
}

// oxlint-disable-next-line no-control-regex -- finding them is what this is for
const stray = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]|^\s|\s$/;
const invisible = /[\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
