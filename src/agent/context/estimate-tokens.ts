import type { AssistantPart, ImagePart, Message, UserPart } from "../../core/message.ts";
import type { ToolOffer } from "../../core/model.ts";

/**
 * About how many tokens a text has, without a vocabulary: it is split as tokenizers split, into words, numbers, signs and
 * gaps, and each kind of piece has the weight that fits best what vocabularies make of it. The weights are fitted to
 * o200k; scripts for which vocabularies differ most (Korean, Chinese, Japanese, Cyrillic) are weighed a little higher.
 */
export function estimateTokens(text: string): number {
  const { length } = text;
  let tokens = 0;
  let checkedUntil = 0;
  let at = 0;
  while (at < length) {
    const start = at;
    const kind = kindAt(text, at);
    switch (kind) {
      case lower:
      case upper:
      case accented:
      case digit: {
        let weight: number;
        if (kind === digit) {
          at = endOf(text, start, digit);
          weight = Math.ceil((at - start) / 3) * weights.digits;
        } else {
          const lowerFrom = kind === upper ? endOf(text, start, upper) : start;
          let accents = 0;
          for (at = lowerFrom; at < length; at++) {
            const code = text.charCodeAt(at);
            if (code >= 0x61 && code <= 0x7a) continue;
            if (code < 128 || wideKind(code) !== accented) break;
            accents += 1;
          }
          weight = (at === lowerFrom ? weights.capitals : weighWord(at - start)) + accents * weights.accent;
        }
        // Where one piece follows another without a gap it may be base64.
        if (start >= checkedUntil && at < length && isLetterOrDigit(kindAt(text, at))) {
          const run = measureRun(text, start);
          checkedUntil = run.end;
          if (run.isDense) {
            weight = (run.end - start) * weights.denseCharacter;
            at = run.end;
          }
        }
        tokens += weight;
        break;
      }
      case gap: {
        at = endOf(text, start, gap);
        const next = at < length ? kindAt(text, at) : newline;
        // One space belongs to the word behind it; a number takes none.
        if (next === digit) tokens += at - start > 1 ? 2 * weights.gap : weights.gap;
        else if (next !== newline && (at - start > 1 || text.charCodeAt(start) === tab)) tokens += weights.gap;
        break;
      }
      case newline: {
        at = endOf(text, start, newline);
        const before = start > 0 ? kindAt(text, start - 1) : newline;
        // Signs take the end of their line with them.
        if (before !== sign && before !== wideSign) tokens += weights.newline;
        break;
      }
      case sign:
        at = endOf(text, start, sign);
        tokens += weighSigns(text, start, at);
        break;
      case hangul:
        at = endOf(text, start, hangul);
        tokens += weights.hangulWord + (at - start) * weights.hangul;
        break;
      case cyrillic:
        at = endOf(text, start, cyrillic);
        tokens += weights.cyrillicWord + (at - start) * weights.cyrillic;
        break;
      default:
        at += 1;
        tokens += characterWeights[kind]!;
    }
  }
  return Math.ceil(tokens);
}

const weights = {
  capitals: 1.15,
  accent: 1.7,
  digits: 0.96,
  gap: 1.12,
  newline: 0.8,
  denseCharacter: 0.69,
  hangul: 0.62,
  hangulWord: 0.45,
  cyrillic: 0.245,
  cyrillicWord: 0.4,
};

function weighWord(length: number): number {
  if (length <= 1) return 1.3;
  if (length === 2) return 0.85;
  if (length === 3) return 1.2;
  if (length <= 7) return 0.82;
  if (length <= 11) return 1.48;
  return 1.42 + (length - 12) * 0.5;
}

function weighSigns(text: string, start: number, end: number): number {
  if (end - start === 1) {
    const next = end < text.length ? kindAt(text, end) : newline;
    return next === lower || next === upper ? 0.53 : 0.98;
  }
  const first = text.charCodeAt(start);
  let at = start + 1;
  while (at < end && text.charCodeAt(at) === first) at += 1;
  // A rule of one sign is in the vocabulary up to a good length.
  return at === end ? 0.98 + Math.floor((end - start) / 16) * 0.3 : 0.98 + (end - start - 1) * 0.3;
}

/** Base64 and its like: a long run without a gap that changes between small, capital and digit all the time. */
function measureRun(text: string, start: number): { readonly end: number; readonly isDense: boolean } {
  let at = start;
  let pieces = 0;
  let capitals = 0;
  let before = sign;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? asciiKinds[code]! : sign;
    if (!isLetterOrDigit(kind)) {
      if (code !== 0x2b && code !== 0x2f && code !== 0x3d) break;
      before = sign;
      continue;
    }
    if (kind !== before && !(before === upper && kind === lower)) {
      pieces += 1;
      if (kind === upper) capitals += 1;
    }
    before = kind;
  }
  const length = at - start;
  return { end: at, isDense: length >= 24 && pieces * 3 > length && capitals * 8 > length };
}

function endOf(text: string, start: number, kind: number): number {
  let at = start;
  while (at < text.length && kindAt(text, at) === kind) at += 1;
  return at;
}

function isLetterOrDigit(kind: number): boolean {
  return kind === lower || kind === upper || kind === digit;
}

const sign = 0;
const lower = 1;
const upper = 2;
const digit = 3;
const gap = 4;
const newline = 5;
const hangul = 6;
const han = 7;
const kana = 8;
const accented = 9;
const cyrillic = 10;
const surrogate = 11;
const wideSign = 12;
const other = 13;
const tab = 0x09;

const characterWeights: Readonly<Record<number, number>> = {
  [han]: 0.82,
  [kana]: 0.9,
  [surrogate]: 1,
  [wideSign]: 1.1,
  [other]: 0.5,
};

function kindAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? asciiKinds[code]! : wideKind(code);
}

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/\d/.test(character)) return digit;
  if (character === " " || character === "\t") return gap;
  return character === "\n" || character === "\r" ? newline : sign;
});

function wideKind(code: number): number {
  if (code >= 0xac00 && code <= 0xd7a3) return hangul;
  if (code >= 0x3400 && code <= 0x9fff) return han;
  if (code >= 0x3040 && code <= 0x30ff) return kana;
  if (code >= 0xc0 && code <= 0x24f) return accented;
  if (code >= 0x370 && code <= 0x52f) return cyrillic;
  if (code >= 0xd800 && code <= 0xdfff) return surrogate;
  const isWideSign = (code >= 0x2000 && code <= 0x206f) || (code >= 0x3000 && code <= 0x303f) || code >= 0xff00;
  return isWideSign ? wideSign : other;
}

/** About what one message takes of the window, its envelope included. */
export function estimateMessage(message: Message): number {
  if (message.role === "tool") {
    return message.results.reduce((sum, { text }) => sum + envelopeTokens + estimateTokens(text), 0);
  }
  const parts: readonly (UserPart | AssistantPart)[] = message.parts;
  return parts.reduce((sum, part) => sum + estimatePart(part), envelopeTokens);
}

/** What the offered tools take of every request. */
export function estimateOffers(tools: readonly ToolOffer[]): number {
  return tools.reduce((sum, tool) => sum + envelopeTokens + estimateTokens(JSON.stringify(tool)), 0);
}

/** Role, ids and marks around each message, call and result. */
const envelopeTokens = 6;

function estimatePart(part: UserPart | AssistantPart): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return estimateTokens(part.text);
    case "call":
      return envelopeTokens + estimateTokens(part.tool) + estimateTokens(part.inputText);
    case "image":
      return estimateImage(part);
  }
}

/** Providers count pixels, which are not known here; the size of the file tells an icon from a photograph. */
function estimateImage({ data }: ImagePart): number {
  if (data.length < 20_000) return 300;
  return data.length < 200_000 ? 900 : 1_600;
}
