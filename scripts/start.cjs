// `npm start`: the command of this clone. Without arguments and without a terminal there is nothing to talk to: the demo runs
// instead, so that the README's first command shows the program on every machine. `deckhand` itself explains and ends with 2 there.
"use strict";

if (process.argv.length === 2 && !process.stdin.isTTY) process.argv.push("demo");
require("../bin/deckhand.js");
