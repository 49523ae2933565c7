import { optionTable, parseOptions } from "../parse-options.ts";
import { locate } from "../paths.ts";
import type { Place } from "../place.ts";
import type { Word } from "../simple-command.ts";
import { hidesOptions, type Rule, type Subject } from "./command-rule.ts";

const globals = optionTable(
  "H|host= context= c= config= l|log-level= D|debug tls tlscacert= tlscert= tlskey= url= connection= root= v|version",
  { stopsAtOperand: true },
);
const docker = { programs: "docker podman nerdctl", globals } as const;
const destroys = "It deletes containers, images or volumes with the data in them.";
const forced = optionTable(
  "f|force a|all v|volumes s|signal= t|time= filter= d|detach p|project-name= remove-orphans rmi= timeout= file= profile= env-file=",
);
const runOptions = optionTable(
  "d|detach i|interactive t|tty rm v|volume= mount= e|env= env-file= p|publish= P name= w|workdir= u|user= h|hostname= l|label= m|memory= privileged pid= ipc= uts= userns= net|network= cap-add= cap-drop= security-opt= device= device-cgroup-rule= add-host= entrypoint= restart= platform= cpus= gpus= shm-size= tmpfs= ulimit= volumes-from= link= log-driver= log-opt= a|attach= c= expose= health-cmd= init no-healthcheck pull= read-only runtime= cgroupns= cgroup-parent= stop-signal= sysctl=",
  { stopsAtOperand: true },
);

const composeOptions = optionTable(
  "f|file= p|project-name= profile= env-file= project-directory= ansi= progress= parallel= dry-run",
  { stopsAtOperand: true },
);

export const containerRules: readonly Rule[] = [
  {
    ...docker,
    id: "container.prune",
    subcommand: "system|volume|image|container|network|builder|buildx prune",
    reason: destroys,
  },
  { ...docker, id: "container.prune", subcommand: "system reset", reason: destroys },
  {
    ...docker,
    id: "container.delete",
    subcommand: "volume|secret|config|network|stack|service|swarm|machine|node|context|pod rm|remove|leave",
    reason: destroys,
  },
  {
    ...docker,
    id: "container.delete",
    subcommand: "rm|rmi",
    options: forced,
    reason: destroys,
    finds: ({ options }) =>
      options.has("force", "volumes", "all") ||
      hidesOptions(options) ||
      options.operands.some((word) => word.isSplit === true),
  },
  {
    ...docker,
    id: "container.delete",
    subcommand: "container|image rm|remove",
    options: forced,
    reason: destroys,
    finds: ({ options }) => options.has("force", "volumes"),
  },
  {
    ...docker,
    id: "container.stop-all",
    subcommand: "kill|stop|rm|rmi",
    reason: "It stops or deletes every container that another command names.",
    finds: ({ command }) => command.substitutions.length > 0 || command.via.includes("xargs"),
  },
  {
    ...docker,
    id: "container.host-access",
    subcommand: "run|create",
    options: runOptions,
    reason: "The container could change the whole machine.",
    finds: reachesHost,
  },
  {
    ...docker,
    id: "container.host-access",
    subcommand: "container run|create",
    options: runOptions,
    reason: "The container could change the whole machine.",
    finds: reachesHost,
  },
  {
    ...docker,
    id: "container.host-access",
    subcommand: "exec",
    options: runOptions,
    reason: "The program gets every right inside the container.",
    finds: ({ options }) => options.has("privileged"),
  },
  {
    id: "container.volumes",
    programs: "docker podman",
    globals,
    subcommand: "compose",
    options: composeOptions,
    reason: "It deletes volumes with the data in them.",
    finds: ({ options }) => deletesVolumes(options.operands),
  },
  {
    id: "container.volumes",
    programs: "docker-compose podman-compose",
    options: composeOptions,
    reason: "It deletes volumes with the data in them.",
    finds: ({ options }) => deletesVolumes(options.operands),
  },
  {
    id: "program.unclear",
    programs: "docker podman nerdctl kubectl oc helm terraform tofu pulumi systemctl aws gcloud az gh",
    globals,
    subcommand: "*",
    reason: "What it does depends on a value that is not known.",
    finds: ({ globals: before }) => (before.operands[0]!.kind === "dynamic" ? "unknown" : false),
  },
  {
    id: "container.host-access",
    programs: "nsenter",
    reason: "It runs a program in another process's view of the machine.",
    finds: ({ words }) => words.some(({ text }) => /^-[A-Za-z]*t|^--target|^-a$|^--all$/.test(text)),
  },
  {
    id: "container.host-access",
    programs: "ctr runc crun crictl lxc lxc-attach lxc-start incus machinectl systemd-nspawn kata-runtime",
    reason: "The container could change the whole machine.",
    finds: ({ words, command }) =>
      words.some(({ text }) =>
        /privileged|^--cap|CAP_SYS|unconfined|raw\.lxc|^--bind(?:=|$)|nesting=true|^--elevated-privileges/.test(text),
      ) ||
      (command.name === "machinectl" && /^(?:shell|login|bind|copy-to)$/.test(words[0]?.text ?? "")),
  },
  {
    id: "container.host-access",
    programs: "kubectl oc k",
    reason: "The container could change the whole machine.",
    finds: ({ words }) => {
      const texts = words.map(({ text }) => text);
      if (
        texts.includes("debug") &&
        texts.some((text) => /^nodes?\//.test(text) || /^--profile=?(?:sysadmin|netadmin)?$/.test(text))
      )
        return true;
      return texts.some((text) =>
        /^--privileged(?:=true)?$|"?host(?:PID|IPC|Network|Path)"?\s*:|"?privileged"?\s*:\s*true/.test(text),
      );
    },
  },
  {
    id: "container.host-access",
    programs: "capsh",
    reason: "It starts a program with other rights than yours.",
    finds: ({ words }) => words.some(({ text }) => /^--(?:user|uid|gid|addamb|caps|inh)=|^--$|^==$/.test(text)),
  },
  {
    id: "container.host-access",
    programs: "*",
    reason: "It reaches into the root folder of another process, as a way out of a container does.",
    finds: ({ words }) => words.some(({ text }) => /^\/proc\/(?:1|\d+)\/(?:root|cwd|fd|ns|mem)(?:\/|$)/.test(text)),
  },
];

/** `down -v`, `rm -fsv`. */
function deletesVolumes([action, ...rest]: readonly Word[]): boolean {
  if (action?.text !== "down" && action?.text !== "rm") return false;
  return parseOptions(rest, optionTable("v|volumes f|force s|stop rmi= t|timeout= remove-orphans")).has("volumes");
}

function reachesHost({ options, place }: Subject): boolean {
  if (options.has("privileged")) return true;
  if (["pid", "ipc", "uts", "userns"].some((name) => options.value(name)?.text === "host")) return true;
  if (
    options
      .values("cap-add")
      .some(
        (word) =>
          /^(?:CAP_)?(?:ALL|SYS_.*|NET_ADMIN|DAC_.*|BPF)$/i.test(word.text) &&
          !/^(?:CAP_)?SYS_PTRACE$/i.test(word.text),
      )
  )
    return true;
  if (options.values("security-opt").some((word) => /unconfined|disable/.test(word.text))) return true;
  if (options.values("device").some((word) => /^\/dev\/(?:sd|nvme|vd|hd|mem|kmem|mapper|dm-)/.test(word.text)))
    return true;
  if (options.values("volume").some((word) => mountsSystem({ ...word, text: word.text.split(":")[0]! }, place)))
    return true;
  return options.values("mount").some((word) => mountsSystem(mountSource(word), place));
}

function mountSource(word: Word): Word {
  const source = /(?:^|,)(?:src|source)=([^,]*)/.exec(word.text);
  return { ...word, text: source?.[1] ?? "volume" };
}

function mountsSystem(source: Word, place: Place): boolean {
  if (/docker\.sock|containerd\.sock|podman\.sock|crio\.sock/.test(source.text)) return true;
  if (!/^[/~$.]/.test(source.text)) return false;
  // Time zone and certificates are mounted into half of all containers.
  if (/^\/etc\/(?:localtime|timezone|ssl|ca-certificates|hosts|resolv\.conf)/.test(source.text)) return false;
  return ["system", "device"].includes(locate(source, place)) || /^(?:~|\$HOME|\$\{HOME\})\/?$/.test(source.text);
}
