import { remoteWrappers } from "./remote-wrappers.ts";
import { plain, runs, type Wrapper } from "./wrapper.ts";

const terminal = runs("T|title= geometry= working-directory= e|x|command|execute", { joins: "one" });
const session = runs("d A D E P X c= e= F= n= s= t= x= y= b f h v l= p= a k S Z I g= r", { joins: "one" });
const typed: Wrapper = { ...session, joins: "always" };
const privileged = (options: string, more: Omit<Wrapper, "options"> = {}): Wrapper =>
  runs(options, { privilege: "It runs a command as another user, with other rights than yours.", ...more });

/** Programs that start the program named in their arguments. */
const wrappers: ReadonlyMap<string, Wrapper> = new Map<string, Wrapper>(
  Object.entries({
    ...remoteWrappers,
    // Rights
    sudo: privileged(
      "C|close-from= D|chdir= g|group= h|host= p|prompt= R|chroot= r|role= t|type= T|command-timeout= U|other-user= u|user= A|askpass B|bell b|background E|preserve-env=? e|edit H|set-home i|login K|remove-timestamp k|reset-timestamp l|list n|non-interactive P|preserve-groups S|stdin s|shell V|version v|validate N|no-update",
      { assigns: true },
    ),
    doas: privileged("C= a= u= L n s", { assigns: true }),
    pkexec: privileged("user= disable-internal-agent keep-cwd"),
    su: privileged(
      "c|command|session-command= s|shell= g|group= G|supp-group= l|login m p|preserve-environment P|pty f|fast w|whitelist-environment= T|no-pty",
      { code: ["c"], anywhere: true },
    ),
    runuser: privileged(
      "u|user= c|command|session-command= s|shell= g|group= G|supp-group= l|login m p|preserve-environment P|pty f|fast w|whitelist-environment= T|no-pty",
      { code: ["c"] },
    ),
    gosu: privileged("", { skip: 1 }),
    "su-exec": privileged("", { skip: 1 }),
    setuidgid: privileged("", { skip: 1 }),
    "s6-setuidgid": privileged("", { skip: 1 }),
    run0: privileged("u|user= g|group= D|chdir= setenv= nice= unit= property= slice= description= background="),
    sudoedit: privileged(""),
    gksudo: privileged("u|user= m|message= k|preserve-env"),
    kdesudo: privileged("u= c=", { code: ["c"] }),
    sg: runs("c=", { skip: 1, again: true, code: ["c"], joins: "one" }),
    // Environment, priority, time
    env: plain(
      "i|ignore-environment 0|null u|unset= C|chdir= S|split-string= v|debug block-signal=? default-signal=? ignore-signal=? list-signal-handling a|argv0=",
      { assigns: true, code: ["S"] },
    ),
    "cross-env": plain("", { assigns: true }),
    "cross-env-shell": plain("", { assigns: true, joins: "always" }),
    dotenv: runs("e= c=? p= o|override f|file= q= v=", { afterDashes: true }),
    nohup: runs(""),
    timeout: plain("s|signal= k|kill-after= foreground preserve-status v|verbose", { skip: 1 }),
    gtimeout: plain("s|signal= k|kill-after= foreground preserve-status v|verbose", { skip: 1 }),
    nice: plain("n|adjustment="),
    ionice: plain("c|class= n|classdata= p|pid= P|pgid= u|uid= t|ignore", { unless: ["p", "P", "u"] }),
    chrt: plain(
      "a|all-tasks b|batch d|deadline f|fifo i|idle m|max o|other r|rr R|reset-on-fork T|sched-runtime= P|sched-period= D|sched-deadline= p|pid v|verbose",
      { skip: 1, unless: ["p", "m"] },
    ),
    taskset: plain("a|all-tasks p|pid c|cpu-list", { skip: 1, unless: ["p"] }),
    setsid: runs("c|ctty f|fork w|wait"),
    stdbuf: plain("i|input= o|output= e|error="),
    unbuffer: plain("p"),
    time: plain("f|format= o|output= a|append p|portability v|verbose q|quiet"),
    gtime: plain("f|format= o|output= a|append p|portability v|verbose q|quiet"),
    choom: plain("n|adjust= p|pid="),
    prlimit: plain(
      "p|pid= o|output= c|core=? d|data=? e|nice=? f|fsize=? i|sigpending=? l|memlock=? m|rss=? n|nofile=? q|msgqueue=? r|rtprio=? s|stack=? t|cpu=? u|nproc=? v|as=? x|locks=? y|rttime=?",
    ),
    numactl: plain("i|interleave= N|cpunodebind= C|physcpubind= m|membind= p|preferred= l|localalloc b|balancing"),
    cgexec: runs("g= sticky"),
    caffeinate: plain("d i m s u t= w="),
    arch: plain("32 64 c d= e= h"),
    setarch: plain("v R 3 4gb B F I L S T X Z", { skip: 1 }),
    linux32: plain(""),
    linux64: plain(""),
    chronic: plain("e v"),
    faketime: plain("f m exclude-monotonic", { skip: 1 }),
    eatmydata: plain(""),
    retry: runs("t|times|tries= d|delay= m= u|until="),
    hyperfine: runs(
      "w|warmup= r|runs= m|min-runs= M|max-runs= p|prepare= s|setup= c|cleanup= conclude= P|parameter-scan= L|parameter-list= S|shell= N i|ignore-failure style= export-json= export-markdown= export-csv= n|command-name= u|time-unit= show-output input= output=",
      { joins: "each", code: ["p", "s", "c", "conclude"] },
    ),
    // Builtins
    command: plain("p v V", { unless: ["v", "V"] }),
    builtin: plain(""),
    exec: plain("a= c l"),
    // Watching and terminals
    watch: runs(
      "n|interval= d|differences=? t|no-title b|beep e|errexit g|chgexit c|color C|no-color x|exec p|precise w|no-wrap q|equexit= r|no-rerun s|shotsdir=",
      { joins: "always", exact: ["x"] },
    ),
    entr: runs("a c d n p r s z x", { joins: "one" }),
    watchexec: runs(
      "e|exts= w|watch= i|ignore= s|signal= f|filter= r|restart c|clear=? d|debounce= n N|notify p|postpone on-busy-update= shell= stop-signal= delay-run= project-origin= workdir= E|env=",
      { joins: "one" },
    ),
    nodemon: runs("e|ext= w|watch= i|ignore= x|exec= q V d|delay= s|signal= L config= I", { code: ["x"] }),
    script: runs(
      "a|append c|command= e|return f|flush q|quiet O|log-out= I|log-in= B|log-io= T|log-timing= t|timing=? m|logging-format= o|output-limit= E|echo= F r d",
      { code: ["c"], skip: 1, again: true },
    ),
    tmux: runs("2 C D l N u v c= f= L= S= T=", {
      subcommands: Object.fromEntries(
        "new new-session new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw run run-shell if if-shell send send-keys pipe-pane pipep popup display-popup"
          .split(" ")
          .map((name) => [name, name.startsWith("send") ? typed : session]),
      ),
    }),
    screen: runs("d m D r R S= L Logfile= c= s= t= T= h= p= x a A f q U X e= O i l= wipe=? ls=?", { joins: "one" }),
    byobu: runs("", { joins: "one" }),
    dtach: runs("A= c= n= N= a= e= E r= z", { joins: "one" }),
    xterm: terminal,
    "gnome-terminal": terminal,
    konsole: terminal,
    alacritty: terminal,
    "xfce4-terminal": terminal,
    "x-terminal-emulator": terminal,
    kitty: terminal,
    "dbus-run-session": plain("config-file= dbus-daemon="),
    "dbus-launch": plain("exit-with-session sh-syntax csh-syntax autolaunch= config-file="),
    "xvfb-run": plain(
      "a|auto-servernum e|error-file= f|auth-file= l|listen-tcp n|server-num= p|xauth-protocol= s|server-args= w|wait=",
    ),
    "ssh-agent": runs("a= c D d E= k O= P= s t="),
    // Locks, tracing
    flock: runs(
      "s|shared x|e|exclusive n|nb|nonblock w|wait|timeout= o|close u|unlock c|command= E|conflict-exit-code= F|no-fork v|verbose fcntl",
      { skip: 1, again: true, code: ["c"] },
    ),
    strace: runs("e= o= p= s= u= a= E= P= I= O= S= X= b= f ff F c C d D DD i k n q r t tt T v V w x xx y yy Y z Z A"),
    ltrace: runs("e= o= p= s= u= a= n= D= F= l= A= x= w= f i c C L r S t T"),
    perf: runs("p", {
      subcommands: {
        record: runs("e|event= F|freq= g a o|output= p|pid= t|tid= c|count= call-graph= C|cpu= q v"),
        stat: runs("e|event= a r|repeat= p|pid= o|output= d x|field-separator= I|interval-print= B n"),
        trace: runs("e|event= p|pid= o|output= s a"),
        mem: runs("t|type="),
      },
    }),
    gdb: runs("args ex|eval-command= x|command= q|quiet|silent batch p|pid= nx n", {}),
    valgrind: runs("tool= leak-check= log-file= q|quiet v|verbose trace-children= error-exitcode= suppressions="),
    rr: runs("", { subcommands: { record: runs("n h") } }),
    rlwrap: plain("a=? A=? b= c C= D= e= f= g= H= i I l= m=? n N o O= p=? P= q= r R s= S= t= U v w= W z="),
    // Namespaces
    unshare: runs(
      "m|mount=? u|uts=? i|ipc=? n|net=? p|pid=? U|user=? C|cgroup=? T|time=? f|fork r|map-root-user c|map-current-user map-user= map-group= map-users= map-groups= map-auto mount-proc=? mount-binfmt=? propagation= setgroups= kill-child=? keep-caps R|root= w|wd= S|setuid= G|setgid= monotonic= boottime=",
    ),
    chroot: runs("groups= userspec= skip-chdir", { skip: 1 }),
    nsenter: runs(
      "t|target= a|all m|mount=? u|uts=? i|ipc=? n|net=? p|pid=? C|cgroup=? U|user=? T|time=? G|setgid=? S|setuid=? r|root=? w|wd=? W|wdns=? F|no-fork Z|follow-context preserve-credentials e|env",
    ),
    setpriv: runs(
      "d|dump nnp|no-new-privs ambient-caps= inh-caps= bounding-set= ruid= euid= rgid= egid= reuid= regid= clear-groups keep-groups init-groups groups= securebits= pdeathsig= selinux-label= apparmor-profile= landlock-access= landlock-rule= reset-env",
    ),
    proot: runs("r|rootfs= R= S= b|bind= w|cwd= q|qemu= v|verbose= k|kernel-release= 0|root-id i|change-id="),
    fakechroot: runs("e= l= s d= b= c="),
    fakeroot: runs("l|lib= f|faked= i= s= u|unknown-is-real b="),
    firejail: runs(""),
    "systemd-run": runs(
      "M|machine= u|unit= p|property= description= slice= r|remain-after-exit send-sighup service-type= uid= gid= nice= working-directory= E|setenv= t|pty P|pipe q|quiet G|collect S|shell scope user system H|host= no-block wait same-dir d on-active= on-boot= on-startup= on-unit-active= on-unit-inactive= on-calendar= timer-property= path-property= socket-property= no-ask-password slice-inherit",
    ),
    // Others
    "systemd-inhibit": runs("what= who= why= mode= list"),
    cpulimit: runs(
      "l|limit= p|pid= e|exe= P|path= b|background f|foreground c|cpu= i|include-children k|kill m|monitor-forks q|quiet r|restore s|signal= v|verbose z|lazy",
    ),
    trickle: runs("s d= u= w= t= l= n= p= P="),
    gamemoderun: plain(""),
    mangohud: plain("dlsym"),
    optirun: plain("b= c= d="),
    ifne: runs("n"),
    pee: runs("ignore-sigpipe ignore-write-errors", { joins: "each" }),
    mispipe: runs("", { joins: "each" }),
    "run-one": runs(""),
    tsp: runs("n f m d L= g E D= W= B"),
    nq: runs("c q w t a"),
    "ld.so": plain(
      "list verify inhibit-cache library-path= inhibit-rpath= audit= preload= argv0= glibc-hwcaps-prepend= glibc-hwcaps-mask=",
    ),
    // Small init systems and service helpers
    "dumb-init": plain("c|single-child r|rewrite= v|verbose"),
    tini: plain("s g v vv vvv p= e= w"),
    chpst: runs("u= U= b= e= n= l= L= m= d= o= p= f= c= t= r= v P 0 1 2"),
    softlimit: plain("a= c= d= f= l= m= o= p= r= s= t="),
    "aa-exec": runs("p|profile= n|namespace= i|immediate d|debug v|verbose"),
    runcon: runs("t|type= u|user= r|role= l|range= c|compute"),
    proxychains: runs("q f="),
    proxychains4: runs("q f="),
    torsocks: runs("u|user= p|pass= a|address= P|port= i|isolate q|quiet"),
    torify: runs(""),
    tsocks: runs(""),
    "gpg-agent": runs("daemon s|sh c|csh q|quiet v|verbose options= homedir= log-file="),
    shx: runs(""),
    sem: runs("j|jobs= id= fg bg wait st|semaphore-timeout= u"),
    catchsegv: plain(""),
    wine: runs(""),
    "qemu-x86_64": runs("L= cpu= E= U= s= g="),
    "qemu-aarch64": runs("L= cpu= E= U= s= g="),
    "qemu-arm": runs("L= cpu= E= U= s= g="),
    "qemu-i386": runs("L= cpu= E= U= s= g="),
    box64: runs(""),
    busybox: plain(""),
    toybox: plain(""),
  }),
);

export function findWrapper(name: string): Wrapper | undefined {
  return wrappers.get(/^ld-(?:linux|musl|\d).*\.so/.test(name) ? "ld.so" : name.toLowerCase());
}
