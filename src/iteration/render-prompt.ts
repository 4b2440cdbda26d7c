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
 * place for feedback gets it at its end.
 */
export function renderPrompt(template: string, values: PromptValues): string {
  const rendered = template.replace(NAMES, (_, name: keyof PromptValues) => values[name]);
  const hasPlace = [...template.matchAll(NAMES)].some(([, name]) => name === 'feedback');
  return hasPlace || values.feedback === '' ? rendered : `${rendered.trimEnd()}\n\n${values.feedback}\n`;
}
