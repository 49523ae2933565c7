import { optionTable } from "../parse-options.ts";
import { matchesName, type Rule, type Subject } from "./command-rule.ts";

const later = "It makes something run later, again and again, or at every start.";
const unrailed = "It starts an agent that asks nobody before it acts.";

export const persistenceRules: readonly Rule[] = [
  {
    id: "persistence.schedule",
    programs: "crontab",
    options: optionTable("u= l e r i"),
    reason: "It replaces or removes what runs on a schedule.",
    finds: ({ options }) => !options.has("l"),
  },
  {
    id: "persistence.schedule",
    programs: "at batch atrm",
    options: optionTable("f= q= l c d r m v"),
    reason: later,
    finds: ({ options, command }) =>
      !options.has("l", "c") && (command.name !== "at" || options.operands.length > 0 || options.has("f")),
  },
  {
    id: "persistence.service",
    programs: "systemctl",
    globals: optionTable("user system now H|host= f|force root="),
    subcommand: "enable|reenable|add-wants|add-requires|set-environment|import-environment",
    reason: later,
  },
  {
    id: "persistence.service",
    programs: "systemd-run",
    reason: later,
    finds: ({ words }) => words.some((word) => /^--on-|^--timer-/.test(word.text)),
  },
  {
    id: "persistence.service",
    programs: "launchctl",
    subcommand: "load|bootstrap|enable|submit|start|setenv|config|kickstart",
    reason: later,
  },
  {
    id: "persistence.service",
    programs: "update-rc.d chkconfig rc-update insserv schtasks",
    reason: later,
    finds: ({ words }) => words.length > 0 && !words.some((word) => /^(?:--list|show|\/query)$/i.test(word.text)),
  },
  {
    id: "persistence.program",
    programs: "update-alternatives alternatives",
    reason: "It replaces a program that everyone on the machine uses.",
    finds: ({ words }) => words.some((word) => /^--(?:install|set|remove|remove-all|auto|slave)$/.test(word.text)),
  },
  { id: "persistence.key", programs: "ssh-copy-id", reason: "It lets someone log in with a key from now on." },
  {
    id: "persistence.setting",
    programs: "npm pnpm yarn",
    subcommand: "config set",
    reason: "It makes later commands start another program or use another place.",
    finds: ({ options }) =>
      options.operands.some((word) =>
        /^(?:script-shell|shell|node-options|registry|prefix|git|editor|viewer|ignore-scripts|globalconfig|userconfig|init-module|unsafeHttpWhitelist|strict-ssl|proxy|https-proxy|yarn-path|yarnPath)(?:=|$)/.test(
          word.text,
        ),
      ) && !isOfficialRegistry(options.operands.map((word) => word.text)),
  },
  {
    id: "persistence.setting",
    programs: "pip pip3 conda go bundle gem",
    subcommand: "config|env set|-w|--add|--local|--global",
    reason: "It makes later commands use another place.",
    finds: ({ words }) =>
      words.some((word) =>
        /index-url|trusted-host|GOPROXY|GONOSUMDB|GOFLAGS|GOINSECURE|channels|mirror|source/i.test(word.text),
      ),
  },
  {
    id: "persistence.setting",
    programs: "go",
    subcommand: "env",
    reason: "It makes later commands use another place.",
    finds: ({ words }) =>
      words.some((word) => word.text === "-w") &&
      words.some((word) => /^(?:GOPROXY|GOFLAGS|GONOSUM.*|GOINSECURE|CC|CXX)=/.test(word.text)),
  },
  {
    id: "persistence.setting",
    programs: "defaults",
    subcommand: "write",
    reason: later,
    finds: ({ words }) =>
      words.some((word) => /login|loginwindow|LaunchAgent|com\.apple\.(?:security|alf)/i.test(word.text)),
  },
  {
    id: "agent.self-approval",
    programs: "deckhand",
    subcommand: "trust|clean|serve|approve|deny|allow|improve|worker",
    globals: optionTable("workdir= json"),
    reason: "It changes the rules that this very command runs under.",
    finds: ({ words, globals }) =>
      !words.some(({ text }) => text === "--status") &&
      !(globals.operands[0]?.text === "serve" && /^(?:status|logs)$/.test(globals.operands[1]?.text ?? "")),
  },
  {
    id: "agent.self-approval",
    programs: "deckhand",
    subcommand:
      "grants|mcp|rollout|schedule|trust|tokens|token revoke|add|approve|trust|accept|promote|hold|resume|rollback|remove|run|create|pin",
    globals: optionTable("workdir= json"),
    reason: "It changes the rules that this very command runs under.",
  },
  {
    id: "agent.self-approval",
    programs: "deckhand",
    globals: optionTable("workdir= json"),
    reason: "It starts an agent under wider rules than yours.",
    finds: ({ words, command }) =>
      words.some(
        ({ text }, index) =>
          /^--mode(?:=|$)/.test(text) && /auto|accept/.test(`${text} ${words[index + 1]?.text ?? ""}`),
      ) ||
      words.some(({ text }) => /^--(?:sandbox=off|no-sandbox|allow|yes)(?:=|$)/.test(text)) ||
      command.assignments.some(({ name }) => /^DECKHAND_(?:PERMISSIONS|SANDBOX|LOG)|^STRICT_WORKDIR_ONLY$/.test(name)),
  },
  {
    id: "agent.self-approval",
    programs: "deckhand",
    subcommand: "inbox approve|answer|deny",
    globals: optionTable("workdir= json"),
    reason: "It answers in a person's place.",
  },
  {
    id: "agent.self-approval",
    programs: "deckhand",
    reason: "It approves danger in a person's place.",
    finds: ({ words }) => words.some((word) => word.text.startsWith("--yes-danger")),
  },
  {
    id: "agent.without-rails",
    programs:
      "claude codex gemini qwen opencode aider goose cursor-agent copilot amp droid crush auggie openhands cline",
    reason: unrailed,
    finds: startsWithoutRails,
  },
];

function isOfficialRegistry(words: readonly string[]): boolean {
  return words.some((word) => /^(?:registry=)?https:\/\/registry\.(?:npmjs\.org|yarnpkg\.com)\/?$/.test(word));
}

function startsWithoutRails({ words }: Subject): boolean {
  const texts = words.map((word) => word.text);
  if (
    texts.some((text) =>
      /^--?(?:dangerously.*|yolo|full-auto|yes-always|trust-all.*|allow-all.*|no-sandbox|skip-permissions.*|auto-approve.*)(?:=|$)/.test(
        text,
      ),
    )
  )
    return true;
  if (texts.some((text) => text === "-y" || text === "--yes" || text === "--force") && !texts.includes("mcp"))
    return true;
  return texts.some((text, index) => {
    const value = text.includes("=") ? text.slice(text.indexOf("=") + 1) : (texts[index + 1] ?? "");
    if (matchesName(text.split("=")[0]!, "--permission-mode|--approval-mode"))
      return /bypass|yolo|auto|dontask/i.test(value);
    if (matchesName(text.split("=")[0]!, "--ask-for-approval|-a")) return value === "never";
    return matchesName(text.split("=")[0]!, "--sandbox|-s") && value.startsWith("danger");
  });
}
