import { optionTable } from "../parse-options.ts";
import { matchesName, type Rule } from "./command-rule.ts";

const network = "It changes the network or the firewall of the whole machine.";
const packages = "It removes software that other programs may need.";

export const administrationRules: readonly Rule[] = [
  {
    id: "account.change",
    programs:
      "useradd adduser userdel deluser usermod groupadd addgroup groupdel delgroup groupmod gpasswd chpasswd chage chsh chfn visudo vipw vigr newusers pwconv pwunconv sysadminctl newgrp",
    reason: "It changes who may use the machine, or how they log in.",
  },
  {
    id: "account.change",
    programs: "passwd",
    reason: "It changes who may use the machine, or how they log in.",
    finds: ({ words }) => !words.some((word) => word.text === "-S" || word.text === "--status"),
  },
  {
    id: "account.change",
    programs: "dscl",
    reason: "It changes who may use the machine, or how they log in.",
    finds: ({ words }) => words.some((word) => /^-?(?:create|delete|passwd|append|merge|change)$/.test(word.text)),
  },
  {
    id: "account.change",
    programs: "net",
    subcommand: "user|localgroup|stop|share",
    reason: "It changes who may use the machine, or how they log in.",
    finds: ({ options, words }) =>
      options.operands.length > 0 || words.some((word) => /^\/(?:add|delete)$/i.test(word.text)),
  },
  {
    id: "network.firewall",
    programs: "iptables ip6tables ebtables arptables",
    options: optionTable("L|list=? S|list-rules=? n v t|table= C|check= x line-numbers"),
    reason: network,
    finds: ({ options, words }) => words.length > 0 && !options.has("L", "S", "C"),
  },
  { id: "network.firewall", programs: "iptables-restore ip6tables-restore iptables-apply", reason: network },
  {
    id: "network.firewall",
    programs: "nft ufw firewall-cmd pfctl ipfw netsh",
    reason: network,
    finds: ({ words }) =>
      words.length > 0 &&
      !words.some((word) =>
        matchesName(word.text, "list|status|--list*|--state|--get*|--query*|-s|-sr|show|version|app"),
      ),
  },
  {
    id: "network.change",
    programs: "ip",
    globals: optionTable("4 6 s|stats d|details j|json br|brief n|netns= o c|color=? p", { singleDashLong: true }),
    subcommand: "*",
    reason: network,
    finds: ({ options, globals }) =>
      [...globals.operands, ...options.operands]
        .slice(1, 3)
        .some((word) => /^(?:set|add|a|del|delete|d|flush|f|replace|change|append)$/.test(word.text)) &&
      globals.operands.length > 1,
  },
  {
    id: "network.change",
    programs: "ifconfig route iwconfig ethtool tc brctl rfkill arp",
    reason: network,
    finds: ({ words }) =>
      words.some((word) =>
        /^(?:up|down|add|del|delete|flush|change|replace|netmask|mtu|hw|block|-s|-d|-K|-A|-G)$/.test(word.text),
      ),
  },
  {
    id: "network.change",
    programs: "nmcli wpa_cli ifdown ifup resolvectl",
    reason: network,
    finds: ({ words, command }) =>
      command.name.startsWith("if") ||
      words.some((word) =>
        matchesName(word.text, "down|delete|off|modify|disconnect|dns|domain|revert|add|disable_network"),
      ),
  },
  {
    id: "package.remove",
    programs: "apt apt-get aptitude yum dnf zypper apk snap pkg flatpak opkg xbps-remove port",
    globals: optionTable("y|yes|assume-yes q|quiet o|option= s|simulate|dry-run purge"),
    subcommand: "remove|purge|autoremove|autopurge|erase|del|delete|uninstall|full-upgrade|dist-upgrade|rm",
    reason: packages,
    finds: ({ globals }) => !globals.has("simulate"),
  },
  {
    id: "package.remove",
    programs: "dpkg rpm",
    options: optionTable("r|remove P|purge e|erase force-all nodeps i|install l|list q L s"),
    reason: packages,
    finds: ({ options, command }) =>
      command.name === "dpkg" ? options.has("r", "P") : options.has("e") && !options.has("q"),
  },
  {
    id: "package.remove",
    programs: "pacman yay paru",
    reason: packages,
    finds: ({ words }) => words.some((word) => /^-R|^--remove$/.test(word.text)),
  },
];
