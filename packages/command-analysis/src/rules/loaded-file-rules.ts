import { findLoadedFiles, isForeignFile } from "../code/loaded-files.ts";
import type { Rule } from "./command-rule.ts";

const starts = "An option makes it start another program.";

export const loadedFileRules: readonly Rule[] = [
  {
    id: "exec.file",
    programs: "*",
    reason: "An option makes it run a file from outside the workdir.",
    finds: ({ command, place }) =>
      findLoadedFiles(command).some((word) => isForeignFile(word, place)) ? "unknown" : false,
  },
  {
    id: "exec.option",
    programs: "apt apt-get aptitude apt-cache",
    reason: starts,
    finds: ({ words }) =>
      words.some((word) => /(?:^|::)(?:pre|post)[\w-]*-invoke|::apt-listchanges|::proxy-auto-detect/i.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "cargo",
    reason: starts,
    finds: ({ words }) =>
      words.some(
        ({ text }) =>
          /(?:rustc|rustc-wrapper|rustc-workspace-wrapper|rustdoc|runner|linker|credential-provider)"?\s*=/.test(
            text,
          ) && !/=\s*["']?s?ccache["']?$/.test(text),
      ),
  },
];
