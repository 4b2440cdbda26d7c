import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { PromptLoadFailed } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';

const LIMIT_BYTES = 16 * 1024 * 1024;

type PromptFile = Pick<RunSpec, 'promptPath' | 'promptPlace' | 'workingDir'>;

/** The prompt's template, read anew every time: people improve it while a run goes on. Throws PromptLoadFailed. */
export function loadPrompt({ prompt, ...file }: PromptFile & Pick<RunSpec, 'prompt'>): string {
  if (prompt !== undefined) return prompt;
  const { promptPath } = file;
  const text = read(file);
  if (text.trim() === '') throw new PromptLoadFailed(promptPath, 'it is empty');
  return text;
}

function read(file: PromptFile): string {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const opened = openSync(promptPlaceNow(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = fstatSync(opened);
      if (!found.isFile()) throw new Error('it is not a regular file');
      if (found.size > LIMIT_BYTES) throw new Error(`it has ${found.size} bytes, more than the ${LIMIT_BYTES} allowed`);
      return readFileSync(opened, 'utf8');
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw new PromptLoadFailed(file.promptPath, error);
  }
}

/** Where a prompt file lies after all links. Throws when an agent can have made it lead out of the working directory. */
export function promptPlaceNow({ promptPath, promptPlace, workingDir }: PromptFile): string {
  const place = realpathSync(promptPath);
  const wasOutside = promptPlace === undefined ? !isInside(promptPath, workingDir) : place === promptPlace;
  if (wasOutside || isInside(place, realpathSync(workingDir))) return place;
  throw new Error(`it leads to ${place}, outside the working directory, and did not when the run started`);
}

function isInside(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}
