import { Dialog } from "../components/dialog.tsx";
import { areShortcutsOn, switchShortcuts } from "../state/shortcuts.ts";
import { useStore } from "../state/store.ts";
import { areas } from "./routes.tsx";

const others: readonly (readonly [keys: string, what: string])[] = [
  ["j / k", "Next, previous entry of a list"],
  ["Enter", "Open it"],
  ["/", "Search"],
  ["a", "Inbox: approve"],
  ["d", "Inbox: deny"],
  ["?", "This list"],
  ["Esc", "Close"],
];

export function KeyboardHelp({ onClose }: { readonly onClose: () => void }) {
  const isOn = useStore(areShortcutsOn);
  const rows = [...areas.map(({ key, name }) => [`g ${key}`, `Go to ${name}`] as const), ...others];
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl class="keys">
        {rows.map(([keys, what]) => (
          <div key={keys}>
            <dt>{keys.split(" ").map((key) => (key === "/" && keys !== "/" ? " / " : <kbd key={key}>{key}</kbd>))}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input
          type="checkbox"
          checked={isOn}
          onChange={({ currentTarget }) => switchShortcuts(currentTarget.checked)}
        />
        Shortcuts of single keys are on
      </label>
    </Dialog>
  );
}
