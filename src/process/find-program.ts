import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';
import { messageOf } from '../model/errors.js';
import { systemErrorWords } from '../model/system-error-words.js';

/** The file that a command names, found as a shell would find it. Undefined if there is none that can be run. */
export function findProgram(command: string, cwd: string, path: string | undefined): string | undefined {
  if (isAbsolute(command) || command.includes('/')) {
    const file = resolve(cwd, command);
    return canRun(file, cwd) ? file : undefined;
  }
  for (const folder of (path ?? '').split(delimiter)) {
    const file = resolve(cwd, folder, command);
    if (canRun(file, cwd)) return file;
  }
  return undefined;
}

/** Why a file cannot be run, and what to do. */
export function whyNotRunnable(file: string, cwd: string): string {
  const path = resolve(cwd, file);
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'it is not there';
    if (!stat.isFile()) return 'it is not a file';
  } catch (error) {
    return systemErrorWords(messageOf(error));
  }
  if (!isExecutable(path)) return `make it executable (chmod +x ${file})`;
  const interpreter = interpreterOf(path);
  return interpreter === undefined ? 'it could not be run just now' : `its interpreter ${interpreter} is not there`;
}

/** A script without its interpreter fails only when it is started, and then the fault seems to be in the script. */
function canRun(file: string, cwd: string): boolean {
  if (!isExecutable(file)) return false;
  const interpreter = interpreterOf(file);
  return interpreter === undefined || isExecutable(resolve(cwd, interpreter));
}

function interpreterOf(file: string): string | undefined {
  return /^#![ \t]*([^ \t\r\n]+)/.exec(beginningOf(file))?.[1];
}

/** Empty when it cannot be read: it may still be possible to run it. */
function beginningOf(file: string): string {
  try {
    const descriptor = openSync(file, 'r');
    const bytes = Buffer.alloc(256);
    const length = readSync(descriptor, bytes);
    closeSync(descriptor);
    return bytes.toString('latin1', 0, length);
  } catch {
    return '';
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
