import { useEffect, useRef, useState } from "preact/hooks";
import { formatBytes } from "../format/amount.ts";
import { showControls } from "../format/show-controls.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { Icon } from "./icon.tsx";

interface OutputProps {
  readonly text: string;
  /** More is to come: its end is followed until somebody scrolls away or pauses. */
  readonly isLive: boolean;
  readonly isCut?: boolean;
  readonly bytes?: number | undefined;
  readonly label?: string;
}

/** More than this in one element makes a browser slow; the end is what matters. */
const mostCharacters = 200_000;

/** What a command or an agent printed, as text. */
export function Output({ text, isLive, isCut = false, bytes, label = "Output" }: OutputProps) {
  const box = useRef<HTMLPreElement>(null);
  const [isFollowing, setFollowing] = useState(true);
  const [isPaused, setPaused] = useState(false);
  const [frozen, setFrozen] = useState("");
  const whole = isPaused ? frozen : text;
  const shown = whole.length > mostCharacters ? whole.slice(-mostCharacters) : whole;
  const isShortened = isCut || shown.length < whole.length;

  useEffect(() => {
    if (isLive && isFollowing && !isPaused && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [shown, isLive, isFollowing, isPaused]);

  const onScroll = () => {
    const element = box.current;
    if (element) setFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < 24);
  };
  const toggle = () => {
    setFrozen(text);
    setPaused(!isPaused);
  };
  return (
    <div class="output">
      <div class="output-head">
        <span>{label}</span>
        {bytes === undefined ? null : <span class="muted number">{formatBytes(bytes)}</span>}
        {isShortened ? <span class="muted">only the end is shown</span> : null}
        <span class="grow" />
        {isLive ? (
          <Button kind="quiet" pressed={isPaused} onClick={toggle}>
            <Icon name={isPaused ? "play" : "pause"} />
            {isPaused ? "Go on" : "Pause"}
          </Button>
        ) : null}
        <CopyButton text={text} what="the output" />
      </div>
      <pre ref={box} tabIndex={0} role="group" aria-label={label} onScroll={onScroll}>
        {shown === "" ? (
          <span class="muted">{isLive ? "Nothing yet." : "It printed nothing."}</span>
        ) : (
          showControls(shown)
        )}
      </pre>
      {isLive && !isFollowing && !isPaused ? (
        <Button
          kind="quiet"
          onClick={() => {
            setFollowing(true);
            box.current?.scrollTo({ top: box.current.scrollHeight });
          }}
        >
          <Icon name="down" />
          Follow the end
        </Button>
      ) : null}
    </div>
  );
}
