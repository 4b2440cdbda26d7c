import { constants, realpathSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { sep } from 'node:path';
import { PromptLoadFailed } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';

const LIMIT_BYTES = 16 * 1024 * 1024;

type PromptFile = Pick<RunSpec, 'promptPath' | 'promptPlace' | 'workingDir'>;

/** The prompt's template, read anew every time: people improve it while a run goes on. Throws PromptLoadFailed. */
export async function loadPrompt({ prompt, ...file }: PromptFile & Pick<RunSpec, 'prompt'>): Promise<string> {
  if (prompt !== undefined) return prompt;
  const { promptPath } = file;
  const text = await read(file);
  if (text.trim() === '') throw new PromptLoadFailed(promptPath, 'it is empty');
  return text;
}

async function read(file: PromptFile): Promise<string> {
  try {
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    const opened = await open(promptPlaceNow(file), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      const found = await opened.stat();
      if (!found.isFile()) throw new Error('it is not a regular file');
      if (found.size > LIMIT_BYTES) throw new Error(`it has ${found.size} bytes, more than the ${LIMIT_BYTES} allowed`);
      return await opened.readFile('utf8');
    } finally {
      await opened.close();
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
