import { readFile, stat } from 'node:fs/promises';
import { PromptLoadFailed } from '../model/errors.js';
import type { RunSpec } from '../model/run-spec.js';

const LIMIT_BYTES = 16 * 1024 * 1024;

/** The prompt's template, read anew every time: people improve it while a run goes on. Throws PromptLoadFailed. */
export async function loadPrompt({ prompt, promptPath }: Pick<RunSpec, 'prompt' | 'promptPath'>): Promise<string> {
  if (prompt !== undefined) return prompt;
  const text = await read(promptPath);
  if (text.trim() === '') throw new PromptLoadFailed(promptPath, 'it is empty');
  return text;
}

async function read(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new Error('it is not a regular file');
    if (found.size > LIMIT_BYTES) throw new Error(`it has ${found.size} bytes, more than the ${LIMIT_BYTES} allowed`);
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new PromptLoadFailed(path, error);
  }
}
