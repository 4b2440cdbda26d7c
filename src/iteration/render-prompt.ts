import type { RunSpec } from '../model/run-spec.js';
import { STATUS_LINE_PROMPT } from '../model/status-line.js';

/** What a prompt may ask for by `{{name}}`. */
export interface PromptValues {
  readonly iteration: string;
  readonly max_iterations: string;
  readonly feedback: string;
  readonly failing_tests: string;
  readonly last_summary: string;
}

const NAMES = /\{\{ *(iteration|max_iterations|feedback|failing_tests|last_summary) *\}\}/g;

/**
 * Replaces known names, once: what is put in is never searched again, and every other brace stays. A prompt that has no
 * place for feedback gets it at its end. The request for a status line comes last.
 */
export function renderPrompt(
  template: string,
  values: PromptValues,
  { statusLine }: Pick<RunSpec, 'statusLine'>,
): string {
  const rendered = template.replace(NAMES, (_, name: keyof PromptValues) => values[name]);
  const hasPlace = [...template.matchAll(NAMES)].some(([, name]) => name === 'feedback');
  const added = [...(hasPlace ? [] : [values.feedback]), statusLine === true ? STATUS_LINE_PROMPT : ''];
  const parts = added.filter((part) => part !== '');
  return parts.length === 0 ? rendered : `${[rendered.trimEnd(), ...parts].join('\n\n')}\n`;
}
