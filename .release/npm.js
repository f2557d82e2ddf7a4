#!/usr/bin/env node
// Runs the binary of the package for this system, which npm has installed beside this one.
'use strict';
const { spawn } = require('child_process');

const name = `blue-notes-${process.platform}-${process.arch}`;
let binary;
try {
  binary = require.resolve(`${name}/bin/blue${process.platform === 'win32' ? '.exe' : ''}`);
} catch {
  console.error(`blue: the package ${name} is not installed. Install blue-notes without --omit=optional; ` +
    'if there is no such package, there is no binary for this system: build Blue from its sources.');
  process.exit(1);
}
const child = spawn(binary, process.argv.slice(2), { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (e) => {
  console.error(`blue: ${binary} cannot be run: ${e.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
