import { useEffect, useState } from "preact/hooks";
import { announce } from "../state/announce.ts";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** Puts a text into the clipboard, as it was and not as it is shown. */
export function CopyButton({ text, what }: { readonly text: string; readonly what: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return undefined;
    const timer = setTimeout(() => setCopied(false), 1500);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        announce(`Copied: ${what}.`);
      },
      () => announce("The browser does not let this page copy: select the text and copy it by hand.", "bad"),
    );
  };
  return (
    <Button kind="quiet" label={`Copy ${what}`} title={`Copy ${what}`} onClick={copy}>
      <Icon name={isCopied ? "check" : "copy"} />
    </Button>
  );
}
