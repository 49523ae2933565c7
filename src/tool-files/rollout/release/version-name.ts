/** As records and people have it. */
export function versionName(tool: string, hash: string): string {
  return `${tool}@${hash.slice(0, 12)}`;
}
