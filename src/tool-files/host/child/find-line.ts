/** Where the spec begins, for complaints about what is in it. */
export function findSpecLine(source: string): number | null {
  const lines = source.split("\n");
  const found = [/\bTOOL_SPEC\b\s*(?::|=)/, /\bTOOL_SPEC\b/, /\bdefineTool\s*\(/].map((pattern) =>
    lines.findIndex((line) => pattern.test(line)),
  );
  const index = found.find((each) => each >= 0);
  return index === undefined ? null : index + 1;
}
