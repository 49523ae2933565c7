import { showControls } from "../format/show-controls.ts";
import { CopyButton } from "./copy-button.tsx";

/** Text of others, as it is: never HTML, and nothing in it invisible. */
export function Code({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div class="code">
      <CopyButton text={text} what={label} />
      <pre tabIndex={0} role="group" aria-label={label}>
        {showControls(text)}
      </pre>
    </div>
  );
}

/** A value as JSON. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  return <Code text={JSON.stringify(value, null, 2) ?? "undefined"} label={label} />;
}
