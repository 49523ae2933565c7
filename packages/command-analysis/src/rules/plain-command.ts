const plainPrograms = new Set(
  (
    "vi vim nvim nano emacs emacsclient code code-insiders cursor subl hx helix micro less more most cat bat " +
    "delta head tail diff colordiff difft meld kdiff3 opendiff true : false echo ssh plink rsh gpg gpg2 ssh- " +
    "keygen gzip pigz zstd xz bzip2 lz4 lbzip2 pbzip2 firefox open xdg-open git git-lfs vimdiff nvimdiff diff-so- " +
    "fancy tig"
  ).split(" "),
);

/**
 * A command that settings such as `core.editor` or `PAGER` usually hold: a known harmless program with options, no shell syntax,
 * and nothing that makes it run another one.
 */
export function isPlainCommand(text: string): boolean {
  if (/[;&|`$<>(){}!\n\\]/.test(text)) return false;
  const [program = "", ...rest] = text.trim().split(/\s+/);
  if (!plainPrograms.has(program)) return false;
  if (rest.some((word) => /proxycommand|localcommand|^-c$|^\+|^--cmd/i.test(word))) return false;
  return program !== "git" || rest.length === 0 || rest[0] === "diff";
}
