import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter } from 'node:path';
import { inProject, ROOT } from './project.mjs';

/**
 * Runs a program in the project's root, its own tools first on the path, and resolves to its exit code. With `capture`
 * the output is collected instead of shown. With `passesSignals` a signal that would end this script goes to the program,
 * and the script goes on when that has ended.
 */
export function runCommand(command, args, { env = {}, capture = false, passesSignals = false } = {}) {
  return new Promise((resolve, reject) => {
    const path = `${inProject('node_modules', '.bin')}${delimiter}${env.PATH ?? process.env.PATH ?? ''}`;
    const child = spawn(command, args, {
      cwd: ROOT,
      env: { ...process.env, ...env, PATH: path },
      stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit',
    });
    const pass = (signal) => child.kill(signal);
    const signals = passesSignals ? ['SIGINT', 'SIGTERM', 'SIGHUP'] : [];
    for (const signal of signals) process.on(signal, pass);
    const output = [];
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const name of signals) process.off(name, pass);
      resolve({
        code: code ?? 128 + (constants.signals[signal] ?? 0),
        output: Buffer.concat(output).toString('utf8'),
      });
    });
  });
}

/** Ends the script with a message for the person at the terminal, without a stack trace. */
export function fail(message, code = 1) {
  process.stderr.write(`${message}\n`);
  process.exit(code);
}
