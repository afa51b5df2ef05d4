#!/usr/bin/env node
/** @file Starts the program under a Node that can run it. */

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  process.stderr.write(`Ludus needs Node.js 22.13 or later, got ${process.versions.node}. Install a newer one from https://nodejs.org.\n`);
  process.exitCode = 2;
} else {
  import('../dist/main.js').then(async ({ main }) => {
    process.exitCode = await main(process.argv.slice(2));
  });
}
