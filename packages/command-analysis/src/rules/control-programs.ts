import { optionTable } from "../parse-options.ts";
import type { SimpleCommand, Word } from "../simple-command.ts";
import { matchesName, type Rule, type Subject } from "./command-rule.ts";

/** Programs that control clouds, clusters, machines and stores: what they do is said by a verb among their operands. */
const controlPrograms =
  "gcloud gsutil bq az doctl ibmcloud oci linode-cli hcloud scw exo aliyun tccli openstack nova civo vultr-cli upctl " +
  "fly flyctl heroku vercel vc netlify railway render firebase supabase wrangler surge now amplify eb copilot cf cdk sst " +
  "sam samcli serverless sls pulumi nomad consul vault rancher eksctl kops minikube kind k3d helm kustomize argocd flux " +
  "vagrant multipass lxc incus virsh vboxmanage vmrun qm pct pvesh pvesm prlctl govc packer nixops juju doppler " +
  "planetscale pscale neonctl neon atlas mongocli turso hasura astro appwrite confluent databricks snow solr nats " +
  "pulsar-admin dokku platform upsun lando ddev ceph rbd gluster kubeadm talosctl microk8s rke crictl ctr velero " +
  "puppet knife etcdctl cloudflared aptible koyeb scalingo porter okteto devspace nhost xata sanity contentful cockroach temporal " +
  "ovhcloud ionosctl yc stackit clever northflank zeabur helmfile skaffold tilt garden werf kapp tk buildah machinectl b2 " +
  "azcopy limactl colima tart xe xl orb orbctl finch rdctl docker-machine kn istioctl linkerd cilium calicoctl k0s " +
  "k0sctl clusterctl vcluster dapr tkn argo rover auth0 stripe twilio sentry-cli algolia oras crane skopeo regctl jf jfrog " +
  "airflow mlflow dvc lakectl edgedb gel tiup ticloud couchbase-cli pxctl ceph-deploy spin kraft neo4j-admin";

const destroying = new RegExp(
  `^(?:[a-z0-9-]+[:.])*(?:${
    "delete|del|destroy|remove|rm|rmi|rmp|rb|rmdir|purge|prune|terminate|drop|reset|wipe|erase|uninstall|undefine|" +
    "unregister|unregistervm|deregister|nuke|disable|revoke|seal|rebuild|decommission|deprovision|drain|evict|unset|deleteVM|" +
    "(?:delete|destroy|remove|purge|terminate|wipe)[-_][a-z0-9_-]+|[a-z0-9_-]+[-_](?:delete|destroy|remove|purge|undefine)|" +
    "pool-destroy"
  })$`,
);
/** `ecs DeleteInstance` of interfaces that name their calls so. */
const destroyingCall = /^(?:[Dd]elete|[Tt]erminate|[Dd]estroy|[Rr]emove|Release|[Pp]urge)[A-Z]\w+$/;

/** Verbs after which everything else is a name. */
const harmless =
  "get|list|ls|show|describe|view|info|status|inspect|explain|help|version|create|apply|install|upgrade|diff|validate|lint|" +
  "search|cat|read|top|exec|ssh|open|login|wait|watch|launch|new|add|set|edit|get-*|list-*|describe-*|create-*|show-*|*:list|*:info";

/** Only settings, caches and extensions of the program itself. */
const ownSettings =
  /^(?:helm (?:repo|plugin|registry|env)|gcloud (?:config|auth|components)|az (?:extension|config|cache|cloud)|(?:vagrant|pulumi|heroku|packer|argocd|sls|serverless) plugins?(?: |:)|pulumi config|argocd (?:context|logout)|(?:fly|flyctl|doctl|atlas|turso|pscale|neonctl|confluent|databricks) (?:auth|config|context)|minikube (?:addons|config|cache|image)|microk8s disable|kind export|supabase unlink|netlify unlink|vercel unlink|wrangler logout|flux completion|multipass alias|lxc (?:alias|remote)|incus (?:alias|remote)|heroku git:|lando (?:cache|config)|ddev config)/;

const globals = optionTable(
  "p|project= a|app= region= zone= g|resource-group= n|name= subscription= yes y q|quiet format= account= o|output= t|token= scope= s= cwd= e|env= environment= dry-run=? f|force confirm= repo= R= namespace= context= kube-context= kubeconfig= profile= region= address= m",
);

export const controlRules: readonly Rule[] = [
  {
    id: "cloud.delete",
    programs: controlPrograms,
    globals,
    subcommand: "*",
    reason: "It deletes or switches off something in a cloud, a cluster or a store that may not come back.",
    finds: ({ globals: given, command }) =>
      !given.has("dry-run", "what-if", "noop") && destroys(command, given.operands),
  },
  {
    id: "cloud.delete",
    programs: "hdfs hadoop",
    reason: "It deletes files of the cluster.",
    finds: ({ words }) => words.some((word) => /^-(?:rm|rmr|rmdir|expunge|format)$/.test(word.text)),
  },
  {
    id: "cloud.delete",
    programs: "salt-key",
    reason: "It shuts machines out of the control of their server.",
    finds: ({ words }) => words.some((word) => /^(?:-d|-D|--delete(?:-all)?|-r|-R|--reject(?:-all)?)$/.test(word.text)),
  },
  {
    id: "cloud.delete",
    programs: "wp drush",
    reason: "It deletes a site's data.",
    finds: deletesSite,
  },
  {
    id: "cloud.scale-down",
    programs: "heroku fly flyctl",
    reason: "It stops every instance.",
    finds: ({ words }) => {
      const texts = words.map((word) => word.text);
      const isScaling = texts.some((text) => /^(?:ps:)?scale$/.test(text));
      return isScaling && texts.some((text) => /^(?:[\w-]+=)?0(?::|$)/.test(text));
    },
  },
  {
    id: "cloud.restore",
    programs: "consul etcdctl vault",
    subcommand: "*",
    reason: "It replaces everything in the store.",
    finds: ({ globals: given }) =>
      /(?:^| )snapshot restore( |$)|raft snapshot restore/.test(given.operands.map((word) => word.text).join(" ")),
  },
  { id: "cloud.delete", programs: "swift", subcommand: "delete", reason: "It deletes stored objects." },
  { id: "cloud.delete", programs: "lxc-destroy", reason: "It deletes a container with the data in it." },
  { id: "cloud.delete", programs: "tilt werf", subcommand: "down|dismiss", reason: "It deletes what was deployed." },
  {
    id: "cloud.delete",
    programs: "wsl",
    reason: "It deletes a whole system with the data in it.",
    finds: ({ words }) => words.some((word) => word.text === "--unregister"),
  },
  { id: "cloud.delete", programs: "nomad", subcommand: "system gc", reason: "It removes what finished jobs left." },
  { id: "cloud.delete", programs: "pvesm", subcommand: "free", reason: "It deletes a volume with the data in it." },
  {
    id: "cloud.delete",
    programs: "k3s-uninstall.sh k3s-agent-uninstall.sh rke2-uninstall.sh k3s-killall.sh",
    reason: "It removes a cluster from this machine.",
  },
  {
    id: "cloud.delete",
    programs: "puppet",
    subcommand: "apply",
    reason: "It deletes something or starts a program.",
    finds: ({ words }) => words.some((word) => /\babsent\b|\bexec\s*\{/.test(word.text)),
  },
];

const purging = /^--?(?:purge|prune|no-backup|delete|destroy|wipe|remove-all-storage)(?:=true)?$/;

function destroys(command: SimpleCommand, operands: readonly Word[]): boolean {
  const texts = operands.slice(0, 5).map((word) => (word.kind === "literal" ? word.text : ""));
  if (ownSettings.test(`${command.name} ${texts.join(" ")} `)) return false;
  const verb = texts.find((text) => destroying.test(text) || destroyingCall.test(text) || matchesName(text, harmless));
  if (verb !== undefined && !matchesName(verb, harmless)) return true;
  return verb === undefined && command.words.some((word) => purging.test(word.text));
}

function deletesSite({ words, command }: Subject): boolean {
  const operands = words.flatMap(({ text }) => (text.startsWith("-") ? [] : [text])).join(" ");
  return command.name === "drush"
    ? /^(?:sql[-:]drop|sqlq? .*drop|entity:delete|site[-:]install|sql[-:]sync)/.test(operands)
    : /^(?:db (?:drop|reset|clean)|site (?:empty|delete)|(?:post|user|term|comment|media) delete)\b/.test(operands);
}
