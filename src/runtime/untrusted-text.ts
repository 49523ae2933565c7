// For the doors, which may not reach into safety: text of others on its way to a person.
export { cleanText, createTextCleaner } from "../safety/text/clean-text.ts";
export { showControls } from "../safety/text/show-controls.ts";
