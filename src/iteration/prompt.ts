import type { RunSpec } from '../model/run-spec.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { PromptLoadFailed } from '../model/errors.js';

/** What a prompt may ask for by `{{name}}`. */
export interface PromptValues {
  readonly iteration: string;
  readonly max_iterations: string;
  readonly feedback: string;
  /** How far the limits are used up, and which goals are open. */
  readonly left: string;
  readonly failing_tests: string;
  readonly last_summary: string;
}

export interface RenderedPrompt {
  readonly prompt: string;
  /** The user's own part of it, without what Pawl adds at the end. */
  readonly own: string;
}

const NAMES = /\{\{ *(iteration|max_iterations|feedback|left|failing_tests|last_summary) *\}\}/g;

/**
 * Replaces known names, once: what is put in is never searched again, and every other brace stays. A prompt that has no
 * place for feedback, or for what is left, gets it at its end. The request for a status line comes last.
 */
export function renderPrompt(
  template: string,
  values: PromptValues,
  { statusLine }: Pick<RunSpec, 'statusLine'>,
): RenderedPrompt {
  const own = template.replace(NAMES, (_, name: keyof PromptValues) => values[name]);
  const placed = new Set([...template.matchAll(NAMES)].map(([, name]) => name));
  const parts = [
    placed.has('feedback') ? '' : values.feedback,
    placed.has('left') || values.left === '' ? '' : `## What is left\n\n${values.left}`,
    statusLine === true ? STATUS_LINE_PROMPT : '',
  ].filter((part) => part !== '');
  return { own, prompt: parts.length === 0 ? own : `${[own.trimEnd(), ...parts].join('\n\n')}\n` };
}

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
