// The command line as a program, straight from the sources: `node test/support/deckhand-unbuilt.ts tools`.
import { main } from "../../src/cli/main.ts";

process.exitCode = await main(process.argv.slice(2));
