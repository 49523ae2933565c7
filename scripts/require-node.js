// Preloaded (`node --import`) by every npm script that runs TypeScript directly, so that a Node that is too old, which
// means the pre-script did not run, is one sentence and not a stack trace about a file extension.
const major = Number.parseInt(process.versions.node, 10);
if (major < 24) {
  console.error(
    `Deckhand's scripts need Node 24 or newer, but this is Node ${process.versions.node}: ` +
      "run `npm run setup` (it brings Node 24 into node_modules), then start the script with npm, not another package manager.",
  );
  process.exit(1);
}
