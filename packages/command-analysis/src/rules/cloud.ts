import { type OptionTable, optionTable } from "../parse-options.ts";
import { judgeSql } from "../code/judge-sql.ts";
import type { Rule } from "./command-rule.ts";

const destroys = "It deletes something in the cloud that may not come back.";
const kubeGlobals = optionTable(
  "n|namespace= context= cluster= kubeconfig= s|server= token= user= as= v= f|filename= l|selector= o|output= k|kustomize= grace-period= timeout= dry-run=? force replicas= A|all-namespaces all now ignore-daemonsets delete-emptydir-data wait=? cascade=? p|patch= type= c|container=",
);
const terraformOptions = optionTable(
  "chdir= auto-approve destroy target= var= var-file= state= force refresh-only json backup= lock= parallelism= replace=",
  { singleDashLong: true },
);
const awsGlobals = optionTable(
  "profile= region= output= endpoint-url= query= recursive force dryrun delete exclude= include= color= ca-bundle= no-verify-ssl no-paginate quiet acl= sse=",
);
const anyOptions = optionTable(
  "p|project= a|app= region= zone= g|resource-group= n|name= subscription= yes y q|quiet format= account= o|output= t|token= scope= s= cwd= e|env= environment= dry-run f|force confirm= repo= R=",
);

/** Where clouds and code hosts take orders. */
const controlAddresses =
  /^(?:https?:\/\/)?(?:api\.(?:github|heroku|digitalocean|cloudflare|vercel|netlify|linode|vultr|machines|fly|render|pagerduty|stripe)\.\w+|gitlab\.com\/api|api\.hetzner\.cloud|management\.azure\.com|[\w-]+\.googleapis\.com|[\w.-]+\.amazonaws\.com|[^/]+:6443)(?:\/|$)/;

export const cloudRules: readonly Rule[] = [
  {
    id: "cloud.delete",
    programs: "railway",
    globals: anyOptions,
    subcommand: "down",
    reason: destroys,
  },
  {
    id: "infrastructure.destroy",
    programs: "terraform tofu terragrunt",
    subcommand: "destroy|run-all|taint|force-unlock",
    globals: terraformOptions,
    reason: "It destroys infrastructure.",
  },
  {
    id: "infrastructure.destroy",
    programs: "terraform tofu terragrunt",
    subcommand: "apply",
    globals: terraformOptions,
    reason: "It changes infrastructure without asking.",
    finds: ({ options }) => options.has("auto-approve", "destroy"),
  },
  {
    id: "infrastructure.destroy",
    programs: "terraform tofu terragrunt",
    subcommand: "state|workspace rm|delete|push",
    globals: terraformOptions,
    reason: "It makes Terraform forget what it manages.",
  },
  {
    id: "infrastructure.destroy",
    programs: "pulumi cdk cdktf sst serverless sls amplify copilot eb",
    subcommand: "destroy|remove|down|delete|terminate",
    globals: anyOptions,
    reason: "It destroys infrastructure.",
  },
  {
    id: "infrastructure.destroy",
    programs: "pulumi",
    subcommand: "up|update",
    globals: anyOptions,
    reason: "It changes infrastructure without asking.",
    finds: ({ options }) => options.has("yes", "y", "f", "skip-preview"),
  },
  {
    id: "kubernetes.delete",
    programs: "kubectl oc k kubecolor microk8s.kubectl",
    subcommand: "delete|drain|evict",
    globals: kubeGlobals,
    reason: "It deletes or empties something in the cluster.",
    finds: ({ globals }) => !(globals.has("dry-run") && globals.value("dry-run")?.text !== "none"),
  },
  {
    id: "kubernetes.replace",
    programs: "kubectl oc k",
    subcommand: "replace|apply",
    globals: kubeGlobals,
    reason: "It deletes and creates it again, or deletes what is not in the file.",
    finds: ({ options, words }) =>
      options.has("prune") || (options.has("force") && words.length > 0 && !options.has("server-side")),
  },
  {
    id: "kubernetes.delete",
    programs: "kubectl oc k",
    subcommand: "patch",
    globals: kubeGlobals,
    reason: "It lets something go that the cluster keeps until it is cleaned up.",
    finds: ({ words }) => words.some((word) => /finalizers"?\s*:\s*(?:null|\[\s*\])/.test(word.text)),
  },
  {
    id: "kubernetes.scale-down",
    programs: "kubectl oc k",
    subcommand: "scale",
    globals: kubeGlobals,
    reason: "It stops every instance.",
    finds: ({ options }) => /^0+$/.test(options.value("replicas")?.text ?? ""),
  },
  {
    id: "kubernetes.delete",
    programs: "helm",
    subcommand: "uninstall|delete|del|un|rollback",
    globals: kubeGlobals,
    reason: "It removes a release from the cluster.",
    finds: ({ options }) => !options.has("dry-run"),
  },
  {
    id: "cloud.rights",
    programs: "kubectl oc k",
    subcommand: "create clusterrolebinding|clusterrole",
    globals: kubeGlobals,
    reason: "It gives rights over the whole cluster.",
    finds: ({ words }) => !words.some(({ text }) => /^--dry-run(?:=client|=server)?$/.test(text)),
  },
  {
    id: "cloud.rights",
    programs: "oc",
    subcommand: "adm policy",
    globals: kubeGlobals,
    reason: "It gives rights over the whole cluster.",
    finds: ({ words }) => words.some(({ text }) => /^(?:add|remove)-/.test(text)),
  },
  {
    id: "cloud.rights",
    programs: "kubectl oc k",
    subcommand: "auth|certificate reconcile|approve",
    globals: kubeGlobals,
    reason: "It gives rights over the cluster.",
    finds: ({ words }) => !words.some(({ text }) => /^--dry-run(?:=client|=server)?$/.test(text)),
  },
  {
    id: "cloud.rights",
    programs: "az",
    reason: "It changes who may do what in the cloud.",
    finds: ({ words }) =>
      /^(?:role (?:assignment|definition) (?:create|update|delete)|ad (?:app|sp|group|user) (?:permission|owner|member|create|credential)|policy assignment)/.test(
        words.map(({ text }) => text).join(" "),
      ),
  },
  {
    id: "cloud.rights",
    programs: "gsutil",
    reason: "It changes who may do what in the cloud.",
    finds: ({ words }) =>
      /(?:^| )(?:iam (?:ch|set)|acl (?:ch|set)|defacl (?:ch|set))(?: |$)/.test(words.map(({ text }) => text).join(" ")),
  },
  {
    id: "cloud.rights",
    programs: "gh glab",
    subcommand: "api",
    globals: optionTable("X|method= f|raw-field= F|field= H|header= input= q|jq= t|template= hostname= paginate"),
    reason: "It changes who may do what on the code host.",
    finds: ({ globals, options }) =>
      /^(?:put|post|patch)$/i.test(globals.value("method")?.text ?? "") &&
      options.operands.some(({ text }) =>
        /\/(?:collaborators|memberships?|teams|keys|hooks|actions\/(?:permissions|secrets)|branches\/.*\/protection|invitations)(?:\/|$)/.test(
          text,
        ),
      ),
  },
  ...awsRules(awsGlobals),
  {
    id: "cloud.delete",
    programs: "rclone",
    subcommand: "delete|purge|sync|deletefile|rmdir|rmdirs|cleanup|move|moveto|dedupe",
    globals: optionTable("config= n|dry-run v P|progress transfers= exclude= include= filter= bwlimit="),
    reason: "It deletes files that the other side does not have.",
    finds: ({ globals }) => !globals.has("dry-run"),
  },
  {
    id: "cloud.delete",
    programs: "mc s3cmd s5cmd",
    subcommand: "rm|rb|del|mirror",
    globals: optionTable("recursive r force"),
    reason: destroys,
    finds: ({ globals, options }) =>
      globals.has("recursive", "r", "force", "remove") ||
      options.operands.some((word) => word.text.includes("*") || word.kind === "glob"),
  },
  { id: "cloud.delete", programs: "s3cmd mc", subcommand: "rb|rm", globals: anyOptions, reason: destroys },
  {
    id: "repository.delete",
    programs: "gh glab hub",
    subcommand:
      "repo|release|secret|variable|gist|issue|run|cache|label|ssh-key|gpg-key|codespace|project delete|remove|archive|delete-asset|rename",
    globals: anyOptions,
    reason: "It deletes something on the code host that may not come back.",
  },
  {
    id: "repository.delete",
    programs: "gh glab",
    subcommand: "api",
    globals: optionTable("X|method= f|raw-field= F|field= H|header= input= q|jq= t|template= hostname= paginate"),
    reason: "It deletes something on the code host that may not come back.",
    finds: ({ globals }) => /^delete$/i.test(globals.value("method")?.text ?? ""),
  },
  {
    id: "repository.visibility",
    programs: "gh",
    subcommand: "repo edit",
    globals: optionTable("visibility= R|repo="),
    reason: "It may show a private repository to everyone.",
    finds: ({ globals }) => globals.value("visibility")?.text === "public",
  },
  {
    id: "remote.shell",
    programs: "pssh parallel-ssh pdsh clush dsh mco",
    reason: "It runs a command on many machines.",
  },
  {
    id: "remote.shell",
    programs: "salt salt-call salt-ssh knife fab",
    reason: "It runs a command on many machines.",
    finds: ({ words }) =>
      words.some((word) =>
        /^(?:cmd\.|system\.|service\.(?:stop|disable)|file\.remove|user\.|pkg\.(?:remove|purge)|ssh$|state\.single)/.test(
          word.text,
        ),
      ),
  },
  {
    id: "network.metadata",
    programs: "curl wget http https xh aria2c nc",
    reason: "It reads credentials of the machine from its cloud.",
    finds: ({ words }) =>
      words.some((word) =>
        /169\.254\.169\.254|metadata\.google\.internal|fd00:ec2::254|\b2852039166\b|0xa9fea9fe|169\.254\.170\.2/i.test(
          word.text,
        ),
      ),
  },
  {
    id: "container.host-access",
    programs: "curl",
    reason: "It commands the container service of the whole machine.",
    finds: ({ words }) =>
      words.some((word) => /(?:docker|containerd|podman|crio)\.sock/.test(word.text)) &&
      words.some((word) => /^(?:-X|--request|-d|--data.*|-XPOST|-XDELETE)$/.test(word.text)),
  },
  {
    id: "database.drop",
    programs: "curl http xh",
    reason: "It deletes an index or all data of a server.",
    finds: ({ words }) =>
      words.some((word) => /^(?:-X)?DELETE$/i.test(word.text) || word.text === "--request=DELETE") &&
      words.some((word) => /:9200\b|:5984\b|\/_all\b|\/\*|:8086\b|:6333\b/.test(word.text)),
  },
  {
    id: "database.drop",
    programs: "curl http xh wget",
    reason: "It deletes data of a server.",
    finds: ({ words }) =>
      words.some((word) => /\/_delete_by_query\b/.test(word.text)) ||
      (words.some((word) => /:(?:8123|8086|8181|4000|9000|8428)\b|\/(?:query|sql|_sql)\b/.test(word.text)) &&
        words.some(({ text }) => text.includes(" ") && judgeSql(text.replace(/^[a-z]+=/, "")).length > 0)),
  },
  {
    id: "cloud.delete",
    programs: "curl http https xh",
    reason: destroys,
    finds: ({ words }) =>
      words.some((word) => /^(?:-X|--request=)?DELETE$/i.test(word.text)) &&
      words.some((word) => controlAddresses.test(word.text)),
  },
  {
    id: "cloud.delete",
    programs: "aws awslocal",
    subcommand: "ecs|autoscaling|application-autoscaling update-service|set-desired-capacity|update-auto-scaling-group",
    globals: optionTable("profile= region= desired-count= desired-capacity= min-size= max-size= service= cluster="),
    reason: "It stops every instance.",
    finds: ({ globals }) =>
      [globals.value("desired-count"), globals.value("desired-capacity"), globals.value("max-size")].some(
        (word) => word?.text === "0",
      ),
  },
  {
    id: "remote.shell",
    programs: "ansible",
    options: optionTable("m|module-name= a|args= i|inventory= u|user= b|become l|limit= e|extra-vars="),
    reason: "It runs a command on many machines.",
    finds: ({ options }) =>
      !options.has("m") ||
      /^(?:.*\.)?(?:shell|command|raw|script|reboot|user|file|service|systemd|apt|yum)$/.test(
        options.value("m")?.text ?? "",
      ),
  },
];

function awsRules(globals: OptionTable): Rule[] {
  return [
    {
      id: "cloud.delete",
      programs: "aws awslocal",
      subcommand: "s3 rm",
      globals,
      reason: destroys,
      finds: ({ globals: given }) => !given.has("dryrun"),
    },
    { id: "cloud.delete", programs: "aws awslocal", subcommand: "s3 rb", globals, reason: destroys },
    {
      id: "cloud.delete",
      programs: "aws awslocal",
      subcommand: "route53 change-resource-record-sets",
      reason: destroys,
      finds: ({ words }) => words.some((word) => /"Action"\s*:\s*"DELETE"/.test(word.text)),
    },
    {
      id: "cloud.delete",
      programs: "aws awslocal",
      subcommand: "s3 sync|mv",
      globals,
      reason: destroys,
      finds: ({ globals: given }) => given.has("delete") && !given.has("dryrun"),
    },
    {
      id: "cloud.delete",
      programs: "aws awslocal",
      subcommand:
        "* delete*|terminate*|destroy*|remove*|purge*|deregister*|disable*|schedule-key-deletion|batch-delete*|stop-instances|release-address|cancel*|revoke*|reset*|close-account",
      globals,
      reason: destroys,
      finds: ({ globals: given }) => !given.has("dry-run"),
    },
    {
      id: "cloud.rights",
      programs: "aws awslocal",
      subcommand: "iam create*|put*|attach*|add*|update*|detach*",
      globals,
      reason: "It changes who may do what in the cloud.",
    },
    {
      id: "cloud.rights",
      programs: "aws awslocal",
      subcommand:
        "s3api|ec2|kms|lambda|secretsmanager put-bucket-policy|put-bucket-acl|put-object-acl|delete-*|authorize-security-group-*|put-key-policy|add-permission|put-public-access-block",
      globals,
      reason: "It changes who may do what in the cloud.",
    },
    {
      id: "cloud.rights",
      programs: "gcloud",
      globals: anyOptions,
      subcommand: "*",
      reason: "It changes who may do what in the cloud.",
      finds: ({ globals: given }) =>
        given.operands.slice(0, 5).some((word) => /^(?:add|set|remove)-iam-policy/.test(word.text)),
    },
  ];
}
