import { optionTable } from "../parse-options.ts";
import { locate } from "../paths.ts";
import { matchesName, type Rule, type Subject } from "./command-rule.ts";

const stops = "It stops a service that the machine or others rely on.";
const systemctlGlobals = optionTable(
  "user system H|host= M|machine= t|type= n|lines= o|output= s|signal= q|quiet now f|force no-pager root=",
);

export const serviceRules: readonly Rule[] = [
  {
    id: "power.off",
    programs: "shutdown reboot halt poweroff telinit kexec pm-suspend pm-hibernate systemd-reboot",
    reason: "It turns the machine off or restarts it.",
    finds: ({ words }) => !(words.length > 0 && words.every((word) => word.text === "-c" || word.text === "--show")),
  },
  { id: "power.off", programs: "init", subcommand: "0|1|6|s|S", reason: "It turns the machine off or restarts it." },
  {
    id: "power.off",
    programs: "systemctl loginctl",
    subcommand: "poweroff|reboot|halt|kexec|suspend*|hibernate|hybrid-sleep|emergency|rescue|soft-reboot|exit",
    globals: systemctlGlobals,
    reason: "It turns the machine off or restarts it.",
  },
  { id: "power.off", programs: "gnome-session-quit rtcwake", reason: "It ends the session or turns the machine off." },
  { id: "power.off", programs: "pmset", subcommand: "sleepnow|schedule|repeat", reason: "It turns the machine off." },
  {
    id: "power.off",
    programs: "dbus-send busctl gdbus qdbus wmic",
    reason: "It turns the machine off or stops a service.",
    finds: ({ words }) =>
      words.some((word) => /poweroff|reboot|suspend|hibernate|shutdown|halt|StopUnit|MaskUnit/i.test(word.text)),
  },
  {
    id: "service.stop",
    programs: "systemctl",
    subcommand:
      "stop|disable|mask|kill|isolate|set-default|revert|set-property|edit|link|clean|freeze|switch-root|preset|preset-all|unmask",
    globals: systemctlGlobals,
    reason: stops,
  },
  {
    id: "service.unclear",
    programs: "systemctl service launchctl",
    subcommand: "*",
    globals: systemctlGlobals,
    reason: "What it does to a service depends on a value that is not known.",
    finds: ({ globals, command }) =>
      globals.operands[command.name === "service" ? 1 : 0]?.kind === "dynamic" ? "unknown" : false,
  },
  {
    id: "service.stop",
    programs: "service rc-service invoke-rc.d",
    subcommand: "* stop|force-stop|disable",
    reason: stops,
  },
  {
    id: "service.stop",
    programs: "sv supervisorctl initctl stop",
    subcommand: "stop|down|exit|force-stop|shutdown|remove",
    reason: stops,
  },
  {
    id: "service.stop",
    programs: "launchctl",
    subcommand: "unload|bootout|remove|disable|kill|stop|reboot",
    reason: stops,
  },
  {
    id: "service.stop",
    programs: "*",
    reason: stops,
    finds: ({ command, words }) =>
      /^\/etc\/(?:init|rc)\.d\//.test(command.words[0]?.text ?? "") && words.some((word) => word.text === "stop"),
  },
  {
    id: "process.kill-all",
    programs: "kill",
    reason: "It ends every process, or the one that all others depend on.",
    finds: killsEverything,
  },
  {
    id: "process.kill-all",
    programs: "pkill killall skill",
    options: optionTable(
      "u|euid|user= U|uid= G|group= g|pgroup= P|parent= t|terminal= s|session= v|inverse signal= f|full x|exact n|newest o|oldest r|regexp e|echo i I w q",
      { numbers: true },
    ),
    reason: "It ends processes of a whole user or of the system.",
    finds: killsByGroup,
  },
  { id: "process.kill-all", programs: "killall5 slay", reason: "It ends every process." },
  {
    id: "process.kill-all",
    programs: "fuser",
    options: optionTable("k|kill m|mount= M n|namespace= s v i u a", { numbers: true }),
    reason: "It ends every process that uses a file system.",
    finds: ({ options, place }) =>
      options.has("kill") &&
      (options.has("mount") || options.operands.some((word) => locate(word, place) === "system")),
  },
  {
    id: "process.kill-all",
    programs: "loginctl",
    subcommand: "terminate-*|kill-*",
    reason: "It ends a person's session with everything in it.",
  },
  {
    id: "kernel.setting",
    programs: "sysctl",
    options: optionTable("w|write p|load=? a n|values e N q|quiet system"),
    reason: "It changes a setting of the running kernel.",
    finds: ({ options }) =>
      options.has("write", "load", "system") || options.operands.some((word) => word.text.includes("=")),
  },
  {
    id: "kernel.module",
    programs: "modprobe insmod rmmod dkms kldload kldunload kextload kextunload",
    reason: "It loads or removes a part of the running kernel.",
    finds: ({ words }) =>
      !words.some((word) => /^(?:-n|--dry-run|-c|--showconfig|--show-depends|status)$/.test(word.text)),
  },
  {
    id: "system.clock",
    programs: "date gdate",
    options: optionTable(
      "s|set= d|date= f|file= r|reference= I|iso-8601=? R|rfc-email u|utc|universal rfc-3339= v= j debug",
    ),
    reason: "It changes the machine's clock.",
    finds: ({ options }) =>
      options.has("set") ||
      (!options.has("j") && options.operands.some((word) => word.kind === "literal" && /^[0-9]{8}/.test(word.text))),
  },
  {
    id: "system.setting",
    programs: "hostnamectl timedatectl localectl scutil systemsetup networksetup",
    reason: "It changes a setting of the whole machine.",
    finds: ({ words }) =>
      words.some((word) => /^-{0,2}(?:set.*|hostname|remove.*|delete.*|create.*)$/.test(word.text)) &&
      !words.every((word) => word.text === "hostname"),
  },
  {
    id: "system.setting",
    programs: "hostname",
    reason: "It changes a setting of the whole machine.",
    finds: ({ options }) => options.operands.length > 0,
  },
  {
    id: "system.setting",
    programs: "hwclock setenforce aa-teardown aa-disable aa-complain csrutil spctl",
    reason: "It changes or switches off a protection of the whole machine.",
    finds: ({ words }) =>
      !words.some((word) => /^(?:-r|--show|status|--status|-a|--assess)$/.test(word.text)) && words.length > 0,
  },
  {
    id: "system.log",
    programs: "journalctl dmesg auditctl wevtutil",
    reason: "It removes what the machine wrote down.",
    finds: ({ words, command }) =>
      words.some((word) =>
        matchesName(
          word.text,
          command.name === "journalctl"
            ? "--vacuum*|--rotate|--flush"
            : command.name === "dmesg"
              ? "-C|-c|--clear|--read-clear"
              : "-D|-e|-d|cl|clear-log",
        ),
      ),
  },
  {
    id: "system.log",
    programs: "history",
    reason: "It removes what was typed before.",
    finds: ({ words }) => words.some((word) => /^-[a-z]*[cd]/.test(word.text)),
  },
];

function killsEverything({ command, words }: Subject): boolean {
  const isByUser = command.substitutions.some(
    ({ name, words: inner }) =>
      (name === "pgrep" || name === "ps") && inner.some((word) => /^-[A-Za-z]*[uU]$|^--user|^\.$/.test(word.text)),
  );
  if (isByUser) return true;
  const targets: string[] = [];
  let hasSignal = false;
  for (let index = 0; index < words.length; index++) {
    const { text } = words[index]!;
    if (text === "-l" || text === "-L") return false;
    if (text === "-s" || text === "-n" || text === "--signal") {
      hasSignal = true;
      index++;
    } else if (text === "--") hasSignal = true;
    else if (!hasSignal && /^-(?:[0-9]+|[A-Za-z]+.*|-signal=.*)$/.test(text)) {
      hasSignal = true;
      // `kill -1` alone sends nothing, it only names a signal.
    } else targets.push(text);
  }
  return targets.some((target) => /^-?0*1$/.test(target));
}

const vital =
  /^(?:init|systemd.*|launchd|sshd|dbus.*|Xorg|Xwayland|gnome-shell|gnome-session.*|plasmashell|kwin.*|loginwindow|WindowServer|Finder|NetworkManager|dockerd|containerd|kubelet|cron|udevd|login|agetty|explorer|bash|zsh|sh)$/;

function killsByGroup({ options, command }: Subject): boolean {
  if (options.has("l", "list")) return false;
  const byUser = options.has("u", "U", "G", "t", "inverse") && !(command.name === "killall" && !options.has("u"));
  if (byUser) return command.name !== "pkill" || options.operands.length === 0 || options.has("inverse");
  return options.operands.some(
    (word) => word.kind === "literal" && (/^[.*^$+?[\]\\]*$/.test(word.text) || vital.test(word.text)),
  );
}
