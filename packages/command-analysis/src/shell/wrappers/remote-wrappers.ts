import { runs, type Wrapper } from "./wrapper.ts";

const containerExec = runs(
  "d|detach e|env= env-file= i|interactive privileged t|tty T u|user= w|workdir= detach-keys= index= l|latest no-TTY",
  { skip: 1 },
);
const containerRun = runs(
  "d|detach i|interactive t|tty rm init P|publish-all q|quiet privileged read-only no-healthcheck sig-proxy=? oom-kill-disable disable-content-trust=? help replace T no-deps service-ports use-aliases remove-orphans build quiet-pull " +
    "a|attach= add-host= annotation= blkio-weight= cap-add= cap-drop= cgroup-parent= cgroupns= cidfile= cpu-period= cpu-quota= cpu-shares= c= cpus= cpuset-cpus= cpuset-mems= detach-keys= device= device-cgroup-rule= dns= dns-option= dns-search= domainname= entrypoint= e|env= env-file= expose= gpus= group-add= health-cmd= health-interval= h|hostname= ip= ip6= ipc= isolation= l|label= label-file= link= log-driver= log-opt= mac-address= m|memory= memory-reservation= memory-swap= mount= name= network= net= network-alias= oom-score-adj= pid= pids-limit= platform= p|publish= pull= restart= runtime= security-opt= shm-size= stop-signal= stop-timeout= storage-opt= sysctl= tmpfs= ulimit= u|user= userns= uts= v|volume= volume-driver= volumes-from= w|workdir= pod= arch= os= secret=",
  { skip: 1, program: "entrypoint" },
);
const composeOptions =
  "f|file= p|project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility dry-run";
const compose = runs(composeOptions, { subcommands: { exec: containerExec, run: containerRun } });
const container = runs(
  "c|context= D|debug H|host= l|log-level= config= tls tlscacert= tlscert= tlskey= tlsverify n|namespace= a|address= r|remote url= identity= connection= root= storage-driver= log-level=",
  {
    subcommands: {
      exec: containerExec,
      run: containerRun,
      create: containerRun,
      container: runs("", { subcommands: { exec: containerExec, run: containerRun, create: containerRun } }),
      compose,
    },
  },
);
const kubeOptions =
  "n|namespace= context= cluster= kubeconfig= user= token= s|server= as= request-timeout= v= insecure-skip-tls-verify";
const kube = runs(kubeOptions, {
  subcommands: {
    exec: runs(`${kubeOptions} c|container= f|filename= i|stdin t|tty q|quiet pod-running-timeout=`, {
      skip: 1,
      again: true,
      afterDashes: true,
    }),
    run: runs(
      `${kubeOptions} i|stdin t|tty rm image= restart= command env= l|labels= port= overrides= dry-run=? q|quiet attach`,
      { skip: 1, again: true, afterDashes: true },
    ),
    debug: runs(`${kubeOptions} c|container= i|stdin t|tty image= target= copy-to= profile= q|quiet`, {
      skip: 1,
      again: true,
      afterDashes: true,
    }),
  },
});
const packageRunner = runs(
  "y|yes no no-install p|package= c|call= q|quiet s|silent w|workspace= prefix= ignore-existing bun shell-mode",
  { code: ["c"] },
);
const packageManager = runs(
  "C|dir|prefix|cwd= w|workspace= F|filter= s|silent r|recursive workspaces if-present parallel stream y|yes",
  {
    subcommands: { exec: packageRunner, x: packageRunner, dlx: packageRunner },
  },
);
const projectRunner = runs(
  "with= p|python= extra= group= env-file= directory= project= m|module= n|name= prefix= cwd= no-capture-output live-stream isolated frozen locked no-sync q|quiet from= no-cache spec= s|script e|env=",
);
const projectRun = runs("C|directory= project= q|quiet v|verbose P n|no-interaction", {
  subcommands: {
    run: projectRunner,
    exec: projectRunner,
    x: projectRunner,
    tool: runs("", { subcommands: { run: projectRunner } }),
  },
});
const dashed = runs("", { afterDashes: true });
const joined = (options: string, skip = 0): Wrapper => runs(options, { skip, joins: "always" });
const after = (name: string, inner: Wrapper): Wrapper => runs("", { subcommands: { [name]: inner } });

/** Programs that start a command on another machine, in a container, or in the environment of a project. */
export const remoteWrappers: Readonly<Record<string, Wrapper>> = {
  ssh: runs(
    "4 6 A a C f G g K k M N n q s T t V v X x Y y B= b= c= D= E= e= F= I= i= J= L= l= m= O= o= p= P= Q= R= S= W= w=",
    { skip: 1, again: true, joins: "always" },
  ),
  slogin: runs("p= i= l= o= t v", { skip: 1, again: true, joins: "always" }),
  mosh: runs("ssh= port= p= predict= family= server=", { skip: 1, again: true, joins: "always" }),
  autossh: runs("M= f 4 6 A a C N n q T t v X x b= c= D= F= i= J= L= l= o= p= R= S=", {
    skip: 1,
    again: true,
    joins: "always",
  }),
  sshpass: runs("p= f= d= P= e v"),
  docker: container,
  podman: container,
  nerdctl: container,
  "docker-compose": compose,
  "podman-compose": compose,
  kubectl: kube,
  oc: kube,
  k: kube,
  "lxc-attach": runs("n|name= e a= s= R|remote= clear-env keep-env v=", { afterDashes: true }),
  lxc: runs("", {
    subcommands: { exec: runs("cwd= env= user= group= t T n mode=", { skip: 1, again: true, afterDashes: true }) },
  }),
  incus: runs("", {
    subcommands: { exec: runs("cwd= env= user= group= t T n mode=", { skip: 1, again: true, afterDashes: true }) },
  }),
  vagrant: runs("", { subcommands: { ssh: runs("c|command= p|plain", { code: ["c"] }) } }),
  flatpak: runs("", { subcommands: { run: runs("command= branch= arch= devel", { skip: 1, program: "command" }) } }),
  toolbox: runs("", { subcommands: { run: runs("c|container= d= r=") } }),
  distrobox: runs("", { subcommands: { enter: runs("n|name= T r a=", { skip: 1, afterDashes: true }) } }),
  wsl: runs("d|distribution= u|user= cd= e|exec"),
  // Package runners
  npx: packageRunner,
  bunx: packageRunner,
  pnpx: packageRunner,
  npm: packageManager,
  pnpm: packageManager,
  yarn: packageManager,
  bun: packageManager,
  uvx: projectRunner,
  uv: projectRun,
  pipx: projectRun,
  poetry: projectRun,
  pipenv: projectRun,
  pdm: projectRun,
  hatch: projectRun,
  rye: projectRun,
  pixi: projectRun,
  conda: projectRun,
  mamba: projectRun,
  micromamba: projectRun,
  bundle: projectRun,
  bundler: projectRun,
  rbenv: projectRun,
  pyenv: projectRun,
  asdf: projectRun,
  foreman: projectRun,
  mise: runs("C|cd= q|quiet", {
    subcommands: {
      exec: runs("c|command= j=", { afterDashes: true, code: ["c"] }),
      x: runs("c|command= j=", { afterDashes: true, code: ["c"] }),
    },
  }),
  direnv: runs("", { subcommands: { exec: runs("", { skip: 1 }) } }),
  "nix-shell": runs("p|packages run= command= pure I= A= E= expr= keep=", { code: ["run", "command"], anywhere: true }),
  nix: runs("", {
    subcommands: {
      develop: runs("c|command i|ignore-environment k|keep=", { skip: 0 }),
      shell: runs("c|command", { skip: 0 }),
      run: runs("", { skip: 1, afterDashes: true }),
    },
  }),
  concurrently: runs(
    "n|names= c|prefix-colors= p|prefix= k|kill-others kill-others-on-fail s|success= r|raw max-processes= m= restart-tries= restart-after=",
    { joins: "each" },
  ),
  "aws-vault": runs("", {
    subcommands: { exec: runs("d|duration= n|no-session s|server", { skip: 1, afterDashes: true }) },
  }),
  op: runs("", { subcommands: { run: dashed } }),
  doppler: runs("", {
    subcommands: { run: runs("command= p|project= c|config=", { code: ["command"], afterDashes: true }) },
  }),
  adb: runs("s= t= H= P= d e", { subcommands: { shell: joined("n t T x e=") } }),
  pssh: runs("h|hosts= H|host= l|user= p|par= o|outdir= e|errdir= t|timeout= O|option= v A i x|extra-args= X=", {
    joins: "always",
  }),
  pdsh: runs("w= x= l= f= t= u= R= a b S N", { joins: "always" }),
  clush: runs("w= x= g= l= f= t= u= a b B q", { joins: "always" }),
  ansible: runs(
    "a|args= i|inventory= m|module-name= u|user= l|limit= f|forks= e|extra-vars= b|become K k v private-key= one-line o",
    { code: ["a"], anywhere: true },
  ),
  salt: runs("b|batch= t|timeout= C|compound G|grain L|list E|pcre out= async", { joins: "one", skip: 2 }),
  gcloud: runs("command= zone= project= tunnel-through-iap internal-ip", { code: ["command"], anywhere: true }),
  fly: runs("C|command= a|app= s r|region=", { code: ["C"], anywhere: true }),
  flyctl: runs("C|command= a|app= s r|region=", { code: ["C"], anywhere: true }),
  heroku: after("run", runs("a|app= s|size= r|remote= x|exit-code no-tty e|env=", { joins: "always" })),
  "docker-machine": after("ssh", runs("", { skip: 1, joins: "always" })),
  minikube: runs("p|profile=", { subcommands: { ssh: runs("n|node= native-ssh", { joins: "always" }) } }),
  multipass: after("exec", runs("d|working-directory= n", { skip: 1, again: true, afterDashes: true })),
  limactl: after("shell", runs("workdir= shell=", { skip: 1 })),
  lima: runs(""),
  colima: after("ssh", dashed),
  machinectl: runs("M= H= q", { subcommands: { shell: runs("uid= E|setenv=", { skip: 1 }) } }),
  "systemd-nspawn": runs(
    "D|directory= M|machine= u|user= b|boot q|quiet bind= bind-ro= E|setenv= network-veth private-network as-pid2 a i|image= x|ephemeral chdir=",
  ),
  crictl: after("exec", runs("i|interactive t|tty s|sync timeout=", { skip: 1 })),
  runc: after("exec", runs("t|tty e|env= u|user= cwd= d|detach", { skip: 1 })),
  buildah: after(
    "run",
    runs("v|volume= user= t|tty workingdir= isolation= cap-add= network=", { skip: 1, again: true, afterDashes: true }),
  ),
  singularity: after("exec", runs("B|bind= e|cleanenv c|contain H|home= pwd= nv w|writable", { skip: 1 })),
  apptainer: after("exec", runs("B|bind= e|cleanenv c|contain H|home= pwd= nv w|writable", { skip: 1 })),
  "flatpak-spawn": runs("host clear-env env= directory= forward-fd= watch-bus sandbox"),
  "distrobox-enter": runs("n|name= T r a=", { afterDashes: true }),
  guix: runs("", { subcommands: { shell: dashed, environment: dashed } }),
  envdir: runs("", { skip: 1 }),
  envchain: runs("", { skip: 1 }),
  chamber: after("exec", dashed),
  sops: runs("", {
    subcommands: {
      "exec-env": runs("", { skip: 1, joins: "always" }),
      "exec-file": runs("", { skip: 1, joins: "always" }),
    },
  }),
  infisical: after("run", runs("command= env= path= projectId=", { code: ["command"], afterDashes: true })),
  dotenvx: after("run", runs("f|env-file= e|env= o|overload q", { afterDashes: true })),
  "env-cmd": runs("f|file= e|environments= r= no-override silent use-shell x"),
  honcho: after("run", runs("e|env= f=")),
  volta: after("run", runs("node= npm= yarn= no-yarn bundled-npm")),
  nvm: after("exec", runs("silent", { skip: 1 })),
  fnm: after("exec", runs("using= using-file")),
  lerna: after(
    "exec",
    runs("scope= ignore= stream parallel concurrency= no-bail since=", { joins: "one", afterDashes: true }),
  ),
  nx: after("exec", dashed),
  repo: after("forall", runs("c|command= p v e j= r= i= g=", { code: ["c"], anywhere: true })),
  onchange: runs("i|initial k|kill d= j= e= o= v", { afterDashes: true, skip: 99 }),
  chokidar: runs("c|command= d= t= i= initial p s", { code: ["c"], anywhere: true }),
  reflex: runs("r|regex= g|glob= R= G= s|start-service d= e= all= sequential only-files", { joins: "one" }),
};
