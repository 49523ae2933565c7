import { interpreterTable } from "../code/interpreter-table.ts";
import { type OptionTable, optionTable, parseOptions } from "../parse-options.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { matchesName } from "./command-rule.ts";

/**
 * Whether a command only shows what it would do, or how it is used. `-n` means that to some programs and something else to
 * others, so each program says which of its options do; those of its options that take a value are named as well, for
 * `git push --force -o --dry-run` pushes.
 */
export function onlyShows(command: SimpleCommand): boolean {
  const words = command.words.slice(1);
  // An option that is not written out may take it back.
  if (words.some((word) => word.isSplit === true)) return false;
  return asksForHelp(command.name, words) || isPreview(command.name, words);
}

interface Preview {
  readonly programs: string;
  /** Only with one of these among the operands. */
  readonly actions?: string;
  readonly options: OptionTable;
  /** Any of these makes it a preview. */
  readonly by: readonly string[];
}

const git =
  "C= c= git-dir= work-tree= o|push-option= receive-pack= exec= repo= recurse-submodules= e|exclude= m|message= author= S=? u=";
const row = (
  programs: string,
  options: string,
  more: Partial<Pick<Preview, "actions" | "by">> & { words?: boolean } = {},
): Preview => ({
  programs,
  options: optionTable(options, more.words ? { singleDashLong: true } : {}),
  by: more.by ?? ["dry-run"],
  ...(more.actions === undefined ? {} : { actions: more.actions }),
});

const previews: readonly Preview[] = [
  row("git", `${git} n|dry-run f|force d x X q all tags`, {
    actions: "push|clean|rm|prune|add|mv|worktree|remote|fetch|notes|lfs|gc|reflog",
  }),
  row("git", `${git} dry-run analyze`, { actions: "filter-repo", by: ["dry-run", "analyze"] }),
  row("git-filter-repo", "dry-run analyze path= refs=", { by: ["dry-run", "analyze"] }),
  row(
    "rsync",
    "n|dry-run a v z r e|rsh= f|filter= exclude= include= exclude-from= files-from= B= M= T= temp-dir= log-file= P h u",
  ),
  row(
    "kubectl oc k kubecolor",
    "dry-run=? n|namespace= f|filename= k= l|selector= o|output= context= p|patch= c= kubeconfig= R recursive",
  ),
  row("helm", "dry-run=? n|namespace= f|values= set= version= kube-context= repo= timeout="),
  row("npm pnpm yarn bun lerna", "dry-run w|workspace= tag= access= otp= registry= C|dir|prefix= F|filter="),
  row("cargo", "n|dry-run p|package= manifest-path= token= registry= features="),
  row("poetry pdm uv hatch flit vsce jsr deno", "dry-run r|repository= u|username= p|password= t|token="),
  row("pip pip3", "dry-run r|requirement= i|index-url= t|target="),
  row("semantic-release np release-it", "d|dry-run b|branches= e|extends= preview", { by: ["dry-run", "preview"] }),
  row("goreleaser", "snapshot clean f|config= p|parallelism= skip=", { by: ["snapshot"] }),
  row("apt apt-get aptitude", "s|simulate|just-print|dry-run|recon|no-act y|yes q o|option= t|target-release= c="),
  row("dnf yum zypper", "assumeno dry-run y|assumeyes x|exclude= enablerepo=", { by: ["assumeno", "dry-run"] }),
  row("pacman yay paru", "p|print R S s n c u print-format= r|root= b|dbpath=", { by: ["print"] }),
  row("brew", "n|dry-run f|force cask formula"),
  row("gem", "dry-run dryrun n v|version= i|install-dir=", { by: ["dry-run", "dryrun"] }),
  row("bundle", "dry-run gemfile="),
  row("conda mamba micromamba", "d|dry-run n|name= p|prefix= c|channel= y|yes all"),
  row("nix nix-collect-garbage nix-store nix-env nixos-rebuild", "dry-run d delete-older-than= p|profile=", {
    words: true,
  }),
  row("rclone", "n|dry-run config= exclude= include= filter= bwlimit= transfers= v P"),
  row(
    "borg restic duplicity kopia rdiff-backup",
    "n|dry-run keep-daily= keep-last= keep-weekly= keep-monthly= r|repo= tag= host= p|password-file=",
  ),
  row("aws awslocal", "dryrun dry-run profile= region= output= query= recursive instance-ids= exclude= include=", {
    by: ["dryrun", "dry-run"],
  }),
  row("gcloud", "preview dry-run validate-only project= zone= region= format= q|quiet", {
    by: ["preview", "dry-run", "validate-only"],
  }),
  row("az", "what-if w g|resource-group= f|template-file= n|name= p|parameters= subscription=", { by: ["what-if"] }),
  row("gsutil", "n d r m q", { by: ["n"], actions: "rsync" }),
  row(
    "ansible-playbook ansible ansible-pull",
    "C|check i|inventory= l|limit= e|extra-vars= t|tags= u|user= D|diff K k b list-tasks list-hosts syntax-check",
    { by: ["check", "list-tasks", "list-hosts", "syntax-check"] },
  ),
  row("make gmake", "n|just-print|dry-run|recon f|file|makefile= C|directory= j=? I= o= W= s k B q|question", {
    by: ["n", "q"],
  }),
  row(
    "mke2fs mkfs.ext2 mkfs.ext3 mkfs.ext4",
    "n b= C= d= e= E= g= G= i= I= J= l= L= m= M= N= o= O= r= t= T= U= z= c F j q v S",
    {
      by: ["n"],
    },
  ),
  row("mkfs.xfs", "N b= d= i= l= L= m= n= p= r= s= c= f K q", { by: ["N"] }),
  row("parallel", "dry-run|dryrun j|jobs= a|arg-file= d= I= colsep="),
  row("patch", "dry-run p=# i|input= d|directory= o|output= r= b R N s f"),
  row("go", "n x i r cache testcache modcache fuzzcache", {
    words: true,
    by: ["n"],
    actions: "clean|build|install|generate|vet",
  }),
  row("gradle gradlew mvn mvnw", "m|dry-run DdryRun=? p|project-dir= P= D= x=", { words: false }),
  row("pulumi", "preview-only diff s|stack= C|cwd= y|yes", { by: ["preview-only"] }),
  row(
    "docker podman docker-compose podman-compose nerdctl",
    "dry-run f|file= p|project-name= profile= env-file= project-directory= v|volumes d",
    { actions: "compose|up|down|rm|stop|kill|restart|build|create|push|pull|start" },
  ),
  row("systemctl", "dry-run H|host= M|machine= t|type= user system"),
  row("certbot logrotate", "dry-run d n domains= w= webroot-path="),
  row("fly flyctl vercel netlify serverless sls sam", "dry-run dry a|app= t|token= cwd= S|scope=", {
    by: ["dry-run", "dry"],
  }),
  row("sequelize knex dbmate alembic flyway liquibase", "dry-run sql e|env= d= u|url= c="),
  row("velero argocd flux terragrunt cdk", "dry-run n|namespace= o="),
];

function isPreview(name: string, words: readonly Word[]): boolean {
  return previews.some(({ programs, actions, options, by }) => {
    if (!programs.split(" ").includes(name)) return false;
    const given = parseOptions(words, options);
    if (actions !== undefined && !given.operands.some(({ text }) => matchesName(text, actions))) return false;
    if (
      words.some(({ text }) =>
        /^--(?:no-dry-run|dry-?run=(?:false|none|no|off|0)|what-if=false|check=false)$/.test(text),
      )
    )
      return false;
    return given.has(...by) && !by.some((option) => isOff(given.value(option)));
  });
}

function isOff(value: Word | undefined): boolean {
  return value !== undefined && (value.kind !== "literal" || /^(?:false|none|no|off|0)$/i.test(value.text));
}

/** Programs that hand the rest of their words to another one: `docker run image --help` is the image's. */
const passesOn =
  /^(?:docker|podman|nerdctl)$|^(?:npx|pnpx|bunx|uvx|pipx|xargs|parallel|find|fd|fdfind|ssh|env|sudo|doas|su|time|timeout|nice|nohup|watch|exec|command|eval|strace|chroot|unshare|nsenter|entr|script|flock|setsid|busybox|toybox)$/;
const handsOn = /^(?:run|exec|create|x|dlx|debug|foreach|tool|task)$/;

function asksForHelp(name: string, words: readonly Word[]): boolean {
  const end = words.findIndex(({ text }) => text === "--");
  const before = (end < 0 ? words : words.slice(0, end))
    .filter(({ kind }) => kind === "literal")
    .map(({ text }) => text);
  const lower = name.toLowerCase();
  const isInterpreter = interpreterTable.has(lower) || interpreterTable.has(lower.replace(/[-.0-9]+$/, ""));
  if (isInterpreter || (passesOn.test(name) && before.some((text) => handsOn.test(text)))) return false;
  if (passesOn.test(name) && !/^(?:docker|podman|nerdctl)$/.test(name)) return before[0] === "--help";
  if (before.some((text) => handsOn.test(text))) return false;
  const [last] = before.slice(-1);
  // What follows an option with a value may be that value.
  const isValue = (index: number): boolean =>
    /^-(?:-(?:push-option|message|body|title|exec|receive-pack)|[mocCFe])$/.test(before[index - 1] ?? "");
  if (before.some((text, index) => (text === "--help" || (text === "-help" && oneDash.test(name))) && !isValue(index)))
    return true;
  const plain = before.slice(0, -1).every((text) => !text.startsWith("-")) && before.length <= 4;
  if (last === "-h") return plain && before.length > 1 && shortHelp.test(name);
  return last === "help" && plain && name === "aws";
}

const oneDash = /^(?:terraform|tofu|terragrunt|packer|nomad|consul|vault)$/;
/** Programs with sub-commands to which `-h` is a question for help; to others it is a host, or a halt. */
const shortHelp =
  /^(?:git|kubectl|oc|k|helm|terraform|tofu|terragrunt|docker|podman|gh|glab|cargo|npm|pnpm|yarn|bun|pulumi|cdk|gcloud|az|apt|apt-get|pip|pip3|poetry|uv|brew|flux|argocd|kind|minikube|k3d|vercel|netlify|fly|flyctl|doctl|heroku|vault|nomad|consul|packer|deno|rustup|supabase|prisma|serverless|sls|eb|sam|firebase|wrangler|deckhand)$/;
