import { displayWidth, neutralizeLine } from "../terminal/terminal-text.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { splitGraphemes } from "./editor/graphemes.ts";
import type { Input } from "./input/open-input.ts";
import type { Screen } from "../output/screen.ts";

/** The screen with one more row at the bottom: what the person types while the agent works, for their next message. */
export function withTypedRow(screen: Screen, input: Pick<Input, "typedAhead">, style: Terminal["styleError"]): Screen {
  return {
    ...screen,
    get columns() {
      return screen.columns;
    },
    setLive(render) {
      if (render === null) return screen.setLive(null);
      screen.setLive((view) => {
        const typed = input.typedAhead();
        if (typed === "") return render(view);
        const row = `${style("dim", "next ›")} ${endOf(neutralizeLine(typed), view.columns - displayWidth("next › "))}`;
        return [...render({ ...view, rows: view.rows - 1 }), row];
      });
    },
  };
}

/** Whoever types looks at the end. */
function endOf(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  const characters = splitGraphemes(text.slice(-columns));
  while (displayWidth(characters.join("")) > columns - 1) characters.shift();
  return `…${characters.join("")}`;
}
