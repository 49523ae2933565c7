import { optionTable } from "../parse-options.ts";
import { isPlainCommand } from "./plain-command.ts";
import type { Rule } from "./command-rule.ts";

export const hiddenProgramRules: readonly Rule[] = [
  {
    id: "exec.option",
    programs: "tar gtar bsdtar",
    options: optionTable(
      "I|use-compress-program= to-command= checkpoint-action= F|info-script|new-volume-script= rsh-command= rmt-command= C= f|file= T= X=",
    ),
    reason: "An option makes the archiver start another program.",
    finds: ({ options }) =>
      options.has("to-command", "info-script", "rsh-command", "rmt-command") ||
      options.values("checkpoint-action").some((word) => /exec|\$/.test(word.text)) ||
      options.values("use-compress-program").some((word) => !isPlainCommand(word.text)),
  },
  {
    id: "exec.option",
    programs: "zip",
    reason: "An option makes the archiver start another program.",
    finds: ({ words }) => words.some((word) => /^-TT|^--unzip-command/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "rsync scp sftp ssh",
    options: optionTable(
      "e|rsh= S= o= F= i= p= P= l= c= J= L= R= D= W= b= B= E= I= m= O= Q= w= rsync-path= exclude= include= filter= ProxyCommand=",
    ),
    reason: "An option makes it start another program.",
    finds: ({ options, command }) => {
      if (command.name === "rsync")
        return (
          options.values("e").some((word) => !isPlainCommand(word.text)) ||
          options.values("rsync-path").some((word) => /[;&|`$]/.test(word.text))
        );
      if (command.name !== "ssh" && options.values("S").length > 0) return true;
      return options
        .values("o")
        .some(
          (word) =>
            /^(?:proxycommand|localcommand|permitlocalcommand|knownhostscommand|proxyusefdpass|include|match)[ =]/i.test(
              word.text,
            ) && !/=\s*(?:none|no|(?:ssh|nc|ncat|cloudflared access|aws ssm)\s[^;&|`$<>]*)$/i.test(word.text),
        );
    },
  },
  {
    id: "exec.option",
    programs: "man less more",
    options: optionTable("P|pager= H=? k K p= o="),
    reason: "An option makes it start another program.",
    finds: ({ options, command, words }) =>
      command.name === "man"
        ? options.values("P").some((word) => !isPlainCommand(word.text))
        : words.some((word) => /^\+.*!/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "vi vim nvim ex view gvim vimdiff gvimdiff rvim nvimdiff emacs emacsclient gdb lldb ed mutt",
    reason: "An option makes it start another program.",
    finds: ({ words }) =>
      words.some((word, index) => {
        const isCode =
          word.text.startsWith("+") ||
          /^(?:-c|--cmd|-ex|--ex|--eval|--eval-command|-eval|-o|--one-line|-O|-e)$/.test(
            words[index - 1]?.text ?? "",
          ) ||
          /^-(?:-eval|-cmd|ex)/.test(word.text);
        return (
          isCode &&
          /!|\bsystem\b|\bshell|\bspawn\b|\bexec\b|call-process|start-process|\bpython\b|\blua\b|\bpy3?\b|delete-(?:file|directory)|\bdelete\s*\(|\bwritefile\s*\(|\bjob_?start\s*\(|\bterm(?:open|_start)\s*\(|^\s*script\s|\bpipe\b.{0,200}\||\|["'\s]*$/.test(
            word.text,
          )
        );
      }),
  },
  {
    id: "exec.option",
    programs: "split sort gsplit gsort",
    options: optionTable("filter= compress-program= b= l= n= C= a= k= t= o= S= T="),
    reason: "An option makes it start another program.",
    finds: ({ options }) =>
      [...options.values("filter"), ...options.values("compress-program")].some(
        (word) => !isPlainCommand(word.text.replace(/\s*>\s*\$FILE(?:\.\w+)?$/, "")),
      ),
  },
  {
    id: "exec.option",
    programs: "rg ripgrep",
    reason: "An option makes it start another program.",
    finds: ({ words }) => words.some((word) => /^--(?:pre|hostname-bin)(?:=|$)/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "make gmake",
    reason: "An option makes it run a recipe that is not in the makefile.",
    finds: ({ words }) =>
      words.some(
        (word) =>
          /^--eval(?:=|$)/.test(word.text) ||
          /(?:^|=)\$\(shell/.test(word.text) ||
          (word.text.startsWith("SHELL=") && !/^SHELL=\/(?:usr\/)?bin\/(?:ba|z|da)?sh$/.test(word.text)),
      ),
  },
  {
    id: "exec.option",
    programs: "gcc g++ cc c++ clang clang++ rustc javac",
    reason: "An option makes the compiler start another program.",
    finds: ({ words }) =>
      words.some(
        (word) =>
          /^-(?:wrapper|fplugin=|specs=|Xclang$)|^--?(?:rustc-wrapper|linker=)|^-processorpath/.test(word.text) &&
          word.text !== "-Xclang",
      ),
  },
  {
    id: "exec.option",
    programs: "compgen complete mapfile readarray",
    reason: "The shell runs an operand as a command.",
    finds: ({ words }) => words.some((word) => /^-[A-Za-z]*C/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "bind",
    reason: "It ties a command to a key.",
    finds: ({ words }) => words.some((word) => /^-[A-Za-z]*x/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "hash",
    reason: "It makes a name stand for another program.",
    finds: ({ words }) => words.some((word) => /^-[A-Za-z]*p/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "fc",
    reason: "It runs an earlier command again.",
    finds: ({ words }) => words.length === 0 || words.some((word) => /^-[A-Za-z]*[se]/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "zmodload",
    reason: "It loads a module with which the shell opens connections or deletes files.",
    finds: ({ words }) => words.some((word) => /zsh\/(?:net\/|files|system|zpty)/.test(word.text)),
  },
  {
    id: "exec.option",
    programs: "enable",
    reason: "It loads code into the shell.",
    finds: ({ words }) => words.some((word) => /^-[a-z]*f/.test(word.text)),
  },
];
