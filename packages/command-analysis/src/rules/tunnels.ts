import { optionTable } from "../parse-options.ts";
import { locate } from "../paths.ts";
import { isSecretPath } from "../secrets.ts";
import type { SimpleCommand } from "../simple-command.ts";
import type { Rule } from "./command-rule.ts";

const shells = /^(?:ba|z|da|k|c|tc|fi|a)?sh$|^busybox$|^(?:cmd|powershell|pwsh)(?:\.exe)?$/;
const opens = "It opens this machine to others through a tunnel.";

export const tunnelRules: readonly Rule[] = [
  {
    id: "shell.reverse",
    programs: "nc ncat netcat nc.traditional nc.openbsd",
    options: optionTable(
      "e|exec= c|sh-exec= lua-exec= p|source-port= s|source= w|wait= i= x= X= o= g= G= m= q= I= O= T= P= l|listen k u v z n d D N 4 6 ssl proxy= proxy-type= proxy-auth=",
    ),
    reason: "It hands a shell to whoever is at the other end.",
    finds: ({ options, command }) => options.has("exec", "sh-exec", "lua-exec") || joinsShell(command),
  },
  {
    id: "shell.reverse",
    programs: "socat",
    reason: "It hands a program to whoever is at the other end.",
    finds: ({ words }) => words.some((word) => /(?:^|!!)(?:exec|system|shell)[:]/i.test(word.text)),
  },
  {
    id: "shell.reverse",
    programs: "telnet openssl",
    reason: "It hands a shell to whoever is at the other end.",
    finds: ({ command }) => joinsShell(command),
  },
  {
    id: "shell.reverse",
    programs: "xterm xnest",
    reason: "It shows a shell on another machine.",
    finds: ({ words }) =>
      words.some((word, index) => word.text === "-display" && /^[^:]+:/.test(words[index + 1]?.text ?? "")),
  },
  {
    id: "shell.reverse",
    programs:
      "gs-netcat pwncat pwncat-cs msfconsole msfvenom meterpreter weevely sliver-client villain tmate ttyd gotty wetty",
    reason: "It hands a shell to whoever is at the other end.",
  },
  {
    id: "tunnel.open",
    programs: "ngrok chisel lt localtunnel bore frpc pagekite localxpose zrok expose playit inlets",
    reason: opens,
    finds: ({ words }) => words.length > 0 && !/^(?:config|version|help|-v)$/.test(words[0]!.text),
  },
  {
    id: "tunnel.open",
    programs: "cloudflared",
    subcommand: "tunnel",
    globals: optionTable("config= loglevel="),
    reason: opens,
    finds: ({ words }) => !words.some((word) => /^(?:list|info|login)$/.test(word.text)),
  },
  {
    id: "exfiltration.served",
    programs: "http.server http-server serve SimpleHTTPServer",
    reason: "It shows a folder with secrets to everyone on the network.",
    finds: ({ words, place }) =>
      words.some(
        (word) =>
          /^[/~$.]/.test(word.text) &&
          (isSecretPath(`${word.text}/`) || ["system", "home", "protected"].includes(locate(word, place))),
      ),
  },
  { id: "tunnel.open", programs: "tailscale", subcommand: "funnel|serve", reason: opens },
  {
    id: "tunnel.open",
    programs: "ssh autossh",
    options: optionTable(
      "R= L= D= W= o= F= i= p= l= J= b= c= E= e= I= m= O= Q= S= w= B= M=? f N T n t v q A X Y C g k K s x 4 6",
      { stopsAtOperand: false },
    ),
    reason: opens,
    finds: ({ options }) => options.has("R") || options.values("o").some((word) => /^remoteforward/i.test(word.text)),
  },
  {
    id: "remote.code",
    programs: "deno",
    subcommand: "run|eval|install",
    reason: "It runs code straight from the network.",
    finds: ({ words, options }) => words.length > 0 && options.operands.some((word) => /^https?:/.test(word.text)),
  },
  {
    id: "remote.code",
    programs: "pip pip3 npm pnpm yarn gem cargo npx bunx easy_install",
    reason: "It installs code from an address that anyone on the way can change.",
    finds: ({ words }) =>
      words.some(
        (word) =>
          /^(?:git\+)?http:\/\/(?!localhost|127\.0\.0\.1)/.test(word.text) ||
          /^(?:git\+)?https?:\/\/[0-9]+(?:\.[0-9]+){3}/.test(word.text.replace("127.0.0.1", "")),
      ),
  },
];

function joinsShell({ input, redirects }: SimpleCommand): boolean {
  if (input.kind === "commands" && input.commands.some(({ name }) => shells.test(name))) return true;
  return redirects.some(({ target }) => target.text.startsWith(">(") && /sh\b/.test(target.text));
}
