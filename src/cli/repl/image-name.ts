import { extname } from "node:path";

const endings: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp"]);

export function isImageName(path: string): boolean {
  return endings.has(extname(path).toLowerCase());
}
