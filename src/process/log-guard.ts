/** So long a log may get before the guard cuts it; its owner, while that lives, cuts it long before. */
const guardedBytes = 64 * 1024 * 1024;
/** One that grows by more than this between two looks is looked at more often. */
const busyBytes = 1024 * 1024;
const keptBytes = 4 * 1024 * 1024;
const headBytes = 64 * 1024;

/**
 * Shell lines for the parent of a kept process, which nobody else watches once its owner has ended: a subshell that
 * cuts the log named by `$1` when it has become too long, the way `trimLog` does. Its own programs come from the
 * system's folders only, and its pid is in `deckhand_guard`: a name that no environment has exported.
 */
export const startGuard = `# deckhand: stays with a kept process and cuts its log
(
  exec </dev/null >/dev/null 2>&1 3>&- 5>&- 6>&-
  PATH=/usr/bin:/bin
  umask 077
  size_of() { wc -c <"$1" || echo 0; }
  # Its sleep must not stay behind, or it would look like something that the command left.
  trap 'kill "$!"; wait; exit' TERM
  pause=0.1
  last=0
  while kill -0 "$$" && [ -f "$1" ]; do
    sleep "$pause" &
    wait "$!"
    size=$(($(size_of "$1")))
    pause=0.5
    [ "$size" -ge "$last" ] && [ "$((size - last))" -lt ${busyBytes} ] || pause=0.1
    last=$size
    [ "$size" -gt ${guardedBytes} ] || continue
    [ -f "$1.head" ] || head -c ${headBytes} "$1" >"$1.head"
    tail -c ${keptBytes} "$1" | head -c ${keptBytes} >"$1.guarded"
    : >"$1"
    before=0
    [ -f "$1.dropped" ] && read -r before <"$1.dropped"
    [ -f "$1.previous" ] && before=$((before + $(size_of "$1.previous")))
    echo "$((before + size - $(size_of "$1.guarded")))" >"$1.dropped"
    mv -f "$1.guarded" "$1.previous"
  done
) &
deckhand_guard=$!
shift`;

/** Its end must not be told to anybody: a message would look as if the command had been killed. */
export const endGuard = '{ kill "$deckhand_guard"; wait "$deckhand_guard"; } 2>/dev/null';
