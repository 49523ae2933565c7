import { render } from "preact";
import { App } from "./app/app.tsx";
import { followHistory } from "./router/location.ts";
import { startShortcuts } from "./state/shortcuts.ts";
import { startTheme } from "./state/theme.ts";

startTheme();
followHistory();
startShortcuts();
render(<App />, document.getElementById("app")!);
