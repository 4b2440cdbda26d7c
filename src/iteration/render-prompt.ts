import type { RunSpec } from '../model/run-spec.js';
import { STATUS_LINE_PROMPT } from '../observation/message/status-line.js';

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
