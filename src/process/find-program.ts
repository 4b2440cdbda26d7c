import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** The file that a command names, looked for like a shell does; undefined when there is none that can be run. */
export function findProgram(command: string, cwd: string, path: string | undefined): string | undefined {
  if (isAbsolute(command) || command.includes('/')) {
    const file = resolve(cwd, command);
    return isExecutable(file) ? file : undefined;
  }
  for (const folder of (path ?? '').split(delimiter)) {
    const file = resolve(cwd, join(folder === '' ? '.' : folder, command));
    if (isExecutable(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
