import { resolve } from 'node:path';
import type { LoadedConfig } from '../config/load-config.js';
import type { Flags } from '../config/override-table.js';
import { ConfigError } from '../model/errors.js';
import { quote } from '../model/figures.js';
import { PLACEHOLDER } from '../setup/prompt-text.js';
import { hasLine, checkPromptFile, promptFileKind } from './prompt-file.js';
import { shownPath } from './shown-path.js';

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
  const kind = promptFileKind(resolve(cwd, file));
  if (kind === 'missing') throw refused(`there is no file ${quote(file)}; a prompt in words is given with -p`);
  if (kind === 'other') throw refused(`${quote(file)} is not a regular file; a prompt in words is given with -p`);
  return { ...flags, 'prompt-path': file };
}

/** Throws ConfigError when there is nothing to tell the agent. */
export function checkPrompt({ spec, origins }: Pick<LoadedConfig, 'spec' | 'origins'>, cwd: string): void {
  const { prompt, promptPath, workingDir, hooks } = spec;
  if (prompt !== undefined) {
    if (prompt.trim() === '') throw refused('the prompt contains only blanks');
    return;
  }
  const kind = promptFileKind(promptPath);
  const isNamed = origins['prompt_path']?.source !== 'default';
  if (kind === 'missing')
    throw refused(isNamed ? `there is no prompt file ${shownPath(promptPath, cwd)}` : noPrompt(workingDir, cwd));
  if (kind === 'other') throw refused(`the prompt ${shownPath(promptPath, cwd)} is not a regular file`);
  // A hook that runs before it is read may still write it.
  const problem = hooks.before_iteration === undefined ? checkPromptFile(promptPath) : undefined;
  if (problem !== undefined) throw refused(`the prompt ${shownPath(promptPath, cwd)} ${problem}`);
}

/** Throws ConfigError when no one has written the task yet: an agent would be paid for nothing. */
export function checkEdited({ spec: { prompt, promptPath, hooks } }: Pick<LoadedConfig, 'spec'>, cwd: string): void {
  if (prompt !== undefined || hooks.before_iteration !== undefined || !hasLine(promptPath, PLACEHOLDER)) return;
  const what = 'replace the line "REPLACE THIS LINE" with the task first';
  throw refused(`the prompt ${shownPath(promptPath, cwd)} is as pawl init wrote it: ${what}`);
}

function noPrompt(workingDir: string, cwd: string): string {
  const where = shownPath(workingDir, cwd) === '.' ? 'here' : `in ${shownPath(workingDir, cwd)}`;
  return `there is no prompt: give one with -p TEXT, name a file, or write PROMPT.md ${where}`;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', message }]);
}
