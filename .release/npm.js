#!/usr/bin/env node
// Runs the binary of the package for this system, which npm has installed beside this one. npx
// keeps packages in a cache that may be emptied, and clients start Blue by its path: so, from there, `npx
// blue-notes`, and with init or setup, puts the binary into ~/.local/bin first, or into $BLUE_BIN,
// and runs it from there.
'use strict';
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const program = process.platform === 'win32' ? 'blue.exe' : 'blue';
const name = `blue-notes-${process.platform}-${process.arch}`;
const args = process.argv.slice(2);

function fail(message) {
  console.error(`blue: ${message}`);
  process.exit(1);
}

// install copies the binary and returns the path of the copy.
function install(binary) {
  const dir = process.env.BLUE_BIN || path.join(require('os').homedir(), '.local', 'bin');
  const copy = path.join(dir, program);
  const part = path.join(dir, `.blue-${process.pid}`);
  try {
    if (fs.existsSync(copy) && fs.readFileSync(copy).equals(fs.readFileSync(binary))) {
      return copy;
    }
    if (fs.existsSync(copy) && !/^blue /.test(spawnSync(copy, ['version']).stdout)) {
      fail(`${copy} is another program, or fails. Move it away, or set BLUE_BIN to another directory`);
    }
    fs.mkdirSync(dir, { recursive: true });
    fs.copyFileSync(binary, part);
    fs.chmodSync(part, 0o755);
    fs.renameSync(part, copy); // a program that runs is not written to
  } catch (e) {
    if (fs.existsSync(part)) { // rmSync throws where a file stands in the place of a directory
      fs.rmSync(part);
    }
    fail(`${copy} could not be written: ${e.message}. Set BLUE_BIN to another directory, or run: npm install --global blue-notes`);
  }
  console.error(`Installed ${copy}, version ${require('./package.json').version}`);
  if (!(process.env.PATH || '').split(path.delimiter).includes(dir)) {
    console.error(`Put ${dir} on your PATH`);
  }
  return copy;
}

let binary;
try {
  binary = require.resolve(`${name}/bin/${program}`);
} catch {
  fail(`the package ${name} is not installed. Install blue-notes without --omit=optional; ` +
    'if there is no such package, there is no binary for this system: build Blue from its sources.');
}
if (__dirname.split(path.sep).includes('_npx') && ['init', 'setup', undefined].includes(args[0])) {
  binary = install(binary);
}
const child = spawn(binary, args, { stdio: 'inherit' });
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (e) => fail(`${binary} cannot be run: ${e.message}`));
child.on('exit', (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
