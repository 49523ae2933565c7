/** What the shim leaves in the folder, by name. */
export const shimFiles = {
  /** Made first, by whoever is first: the shim, or somebody who wants that it never begins. */
  began: "began",
  /** Pid, start time and boot id of the shim; there before the program is started. */
  facts: "meta.json",
  /** The status; there before the shim ends. */
  exit: "exit.json",
  /** The pid of the process that keeps the limit; there before the facts, so that it is never taken for the program. */
  guard: "guard",
  timedOut: "timed-out",
} as const;

/** Every process below the shim inherits it with the folder as its value, also through our own environment list. */
export const taskMarkerName = "DECKHAND_TASK";

/**
 * The arguments of a shell that runs one program to its end while nobody may be there to watch:
 * 1. it takes the folder, or leaves at once because somebody has forbidden the start
 * 2. a second process, the guard, starts to wait for the limit, and it is written down which that is
 * 3. it writes down who it is; from then on whatever lives beside the two is the program
 * 4. the program runs, and its status goes to a file
 *
 * At the limit the guard asks the whole group to end, and after the grace kills what is left of it and whoever else carries the marker; it needs
 * no runtime for that, nor the first process. SIGTERM ends neither of the two: they go once the program has gone, after the limit the
 * guard last, because it has still to look for others. Descriptor 2
 * takes the shell's own words ("Killed"), 3 is the program's stderr.
 *
 * The variables have a prefix: one that the program was given under the same name would reach it changed.
 */
export function shimArguments(options: {
  readonly folder: string;
  readonly limitSeconds: number;
  readonly graceSeconds: number;
  readonly bootId: string;
  readonly argv: readonly string[];
}): string[] {
  const { folder, limitSeconds, graceSeconds, bootId, argv } = options;
  const words = [folder, String(limitSeconds), String(graceSeconds), JSON.stringify(bootId)];
  return ["-c", script, "deckhand-task", ...words, ...argv];
}

const script = `dh_folder=$1 dh_limit=$2 dh_grace=$3 dh_boot=$4
shift 4
dh_path=$PATH
PATH=/usr/bin:/bin:/usr/sbin:/sbin
trap : HUP INT QUIT TERM USR1 USR2
ulimit -c 0

# A file that is written over needs no room on a disk that is full by then.
reserve() { printf '%128s\\n' '' >"$dh_folder/$1.new"; }
put_reserved() { printf '%-128s\\n' "$2" 1<>"$dh_folder/$1.new" && mv -f "$dh_folder/$1.new" "$dh_folder/$1"; }
put() { printf '%s\\n' "$2" >"$dh_folder/$1.$3" && mv -f "$dh_folder/$1.$3" "$dh_folder/$1"; }

start_time() {
  if read -r dh_stat 2>/dev/null <"/proc/$$/stat"; then
    set -- \${dh_stat##*) }
    shift 19
    echo "$1"
  else
    LC_ALL=C TZ=UTC ps -o lstart= -p "$$" | sed 's/^ *//; s/ *$//'
  fi
}

now() {
  if read -r dh_uptime dh_rest 2>/dev/null </proc/uptime; then echo "\${dh_uptime%%.*}"; else date +%s; fi
}

pause() {
  dh_end=$(($(now) + $1))
  while dh_left=$((dh_end - $(now))) && [ "$dh_left" -gt 0 ]; do
    sleep "$dh_left" &
    wait "$!"
  done
}

# Of the group or with the marker, but for the two of us and whoever looks.
others() {
  read -r dh_looker dh_rest </proc/self/stat || return
  for dh_place in /proc/[0-9]*; do
    dh_pid=\${dh_place#/proc/}
    [ "$dh_pid" = "$$" ] || [ "$dh_pid" = "$dh_self" ] || [ "$dh_pid" = "$dh_looker" ] && continue
    read -r dh_stat <"$dh_place/stat" || continue
    set -- \${dh_stat##*) }
    [ "$1" = Z ] && continue
    [ "$3" = "$$" ] || tr '\\0' '\\n' <"$dh_place/environ" | grep -qxF "${taskMarkerName}=$dh_folder" && echo "$dh_pid"
  done
}

# Nobody left, and known to be so: where there is no /proc, nobody can tell.
alone() {
  [ -e "$dh_folder/${shimFiles.exit}" ] && [ -r /proc/self/stat ] && [ -z "$(others)" ]
}

guard() {
  trap : HUP INT QUIT TERM USR1 USR2
  read -r dh_self dh_rest </proc/self/stat
  pause "$dh_limit"
  : >"$dh_folder/${shimFiles.timedOut}"
  kill -TERM 0
  dh_last=$(($(now) + dh_grace))
  while [ "$(now)" -le "$dh_last" ]; do
    alone && exit 0
    sleep 0.2 || sleep 1
  done
  [ -e "$dh_folder/${shimFiles.exit}" ] || put ${shimFiles.exit} '{"status":137,"signalled":true,"timed_out":true}' guard
  for dh_pid in $(others); do kill -KILL "$dh_pid"; done
  kill -KILL 0
}

mkdir "$dh_folder/${shimFiles.began}" || exit 1
reserve ${shimFiles.exit} || exit 1
guard </dev/null >/dev/null 2>&1 3>&- &
dh_guard=$!
put ${shimFiles.guard} "$dh_guard" new &&
  put ${shimFiles.facts} "{\\"pid\\":$$,\\"start_time\\":\\"$(start_time)\\",\\"boot_id\\":$dh_boot}" new || {
  kill -KILL "$dh_guard"
  exit 1
}
(
  exec 2>&3 3>&-
  unset PWD OLDPWD
  PATH=$dh_path
  exec "$@"
)
dh_status=$?
dh_signalled=false
[ -s "$dh_folder/messages" ] && dh_signalled=true
dh_late=false
[ -e "$dh_folder/${shimFiles.timedOut}" ] && dh_late=true
put_reserved ${shimFiles.exit} "{\\"status\\":$dh_status,\\"signalled\\":$dh_signalled,\\"timed_out\\":$dh_late}"
[ "$dh_late" = true ] && exit 0
kill -KILL "$dh_guard"
kill -TERM 0
exit 0`;
