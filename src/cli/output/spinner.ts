const frames = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
const frameMs = 100;

/** The picture of this moment: all spinners turn together. */
export function spinnerAt(now: number): string {
  return frames[Math.floor(now / frameMs) % frames.length] ?? "";
}
