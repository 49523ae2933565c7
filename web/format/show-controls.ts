/**
 * Text that others wrote, with everything in it visible: what would move, hide or reorder text is spelt out. Line ends
 * and tabs stay; a line end of Windows is one.
 */
export function showControls(text: string): string {
  return text.replaceAll("\r\n", "\n").replaceAll(hidden, (character) => {
    const code = character.codePointAt(0)!;
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    if (code === 0x7f) return "␡";
    return `\\u{${code.toString(16).padStart(4, "0")}}`;
  });
}

/** The same in one line. */
export function showLine(text: string): string {
  return showControls(text.replaceAll(/\s*[\n\u2028\u2029]\s*/g, " ").replaceAll("\t", " ")).trim();
}

/**
 * Control characters, signs that turn the direction of writing, and what takes no room at all. A zero-width joiner
 * between two signs that it makes one of, and a variation selector, are part of a picture and stay.
 */
const hidden =
  // oxlint-disable-next-line no-control-regex -- finding them is what it is for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d/gu;
