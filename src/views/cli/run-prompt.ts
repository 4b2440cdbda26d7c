import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Flags } from '../../config/given-overrides.js';
import type { LoadedConfig } from '../../config/load-config.js';
import { ConfigError } from '../../model/errors.js';
import { quote } from '../../stop/figures.js';
import { shownPath } from '../terminal/shown-path.js';

/** The flags with FILE among them. Throws ConfigError when it is not a file, or a flag stands where a prompt should. */
export function withPromptFile(flags: Flags, file: string | undefined, cwd: string): Flags {
  for (const text of [flags['prompt']].flat()) {
    if (typeof text === 'string' && /^--?[a-z][\w-]*(=.*)?$/i.test(text)) {
      throw refused(`-p needs the text of a prompt, and ${text} looks like a flag`);
    }
  }
  if (file === undefined) return flags;
  if (flags['prompt'] !== undefined) throw refused(`there are two prompts: the file ${quote(file)} and the text of -p`);
  if (flags['prompt-path'] !== undefined) throw refused(`there are two prompt files: ${quote(file)} and --prompt-path`);
  if (!isFile(resolve(cwd, file))) throw refused(`there is no file ${quote(file)}; a prompt in words is given with -p`);
  return { ...flags, 'prompt-path': file };
}

/** Throws ConfigError when there is nothing to tell the agent. */
export function checkPrompt({ spec, origins }: LoadedConfig): void {
  const { prompt, promptPath, workingDir } = spec;
  if (prompt !== undefined) return;
  if (isFile(promptPath)) {
    if (statSync(promptPath).size === 0) throw refused(`the prompt ${shownPath(promptPath)} is empty`);
    return;
  }
  if (origins['prompt_path']?.source !== 'default') throw refused(`there is no prompt file ${shownPath(promptPath)}`);
  const where = shownPath(workingDir) === '.' ? 'here' : `in ${shownPath(workingDir)}`;
  throw refused(`there is no prompt: give one with -p TEXT, name a file, or write PROMPT.md ${where}`);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
