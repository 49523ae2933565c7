import { codeOf, messageOf, RuntimeError } from "../../core/errors.ts";

/** Whatever the file system threw, as one sentence that names the file, the reason and what to do. */
export function toLogError(thrown: unknown, path: string): RuntimeError {
  if (thrown instanceof RuntimeError) return thrown;
  const [why, cure] = explain(thrown);
  return new RuntimeError(
    "LOG_UNWRITABLE",
    `The log ${path} can't be written: ${why}. ${cure}, or set log.on_failure to "continue" to work without it.`,
    { cause: thrown },
  );
}

function explain(thrown: unknown): readonly [why: string, cure: string] {
  switch (codeOf(thrown)) {
    case "ENOSPC":
    case "EDQUOT":
      return ["the disk or the quota is full", "Free some space"];
    case "EROFS":
      return ["the disk is read-only", "Make it writable"];
    case "EACCES":
    case "EPERM":
      return ["there is no permission for it", "Give this user permission to write the file and its folder"];
    case "ELOOP":
      return ["it is a symbolic link", "Remove the link"];
    case "ENOTDIR":
    case "EISDIR":
    case "ENXIO":
      return ["it, or a part of its path, is not what it has to be: a file in a folder", "Move that away"];
    default:
      return [messageOf(thrown), "Correct that"];
  }
}
