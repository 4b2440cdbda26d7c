import { DONE_FILE, type SetupChoices } from './setup-choices.js';

/** A prompt to begin with, with a place for the task. */
export function promptText({ tests, task, goals, checklist, protect }: SetupChoices): string {
  const isByTests = goals.length === 0 && tests !== undefined;
  const isByFile = goals.length === 0 && tests === undefined;
  return [
    '# Task',
    '',
    PLACEHOLDER,
    '',
    'If the line above still asks to be replaced, change nothing, say so, and end.',
    '',
    '# How to work',
    '',
    'This prompt runs again and again; this is iteration {{iteration}} of at most {{max_iterations}}. What earlier',
    'iterations did is in the files and in the git history, not in your memory.',
    '',
    '1. Read what is there before you change anything.',
    checklist === undefined
      ? '2. Take the most important thing that is left, do it completely, and end your turn. Small steps are fine.'
      : `2. Take the next open box in \`${checklist}\`, do it completely, check the box (\`[x]\`), and end your turn. Never delete a box.`,
    ...(tests === undefined
      ? ['3. Check your work by whatever means the project has.']
      : [
          `3. Run the tests: \`${tests.replaceAll('`', "'")}\`. Pawl runs them again after you, and only that result counts.`,
        ]),
    '4. Never make a test pass by deleting, skipping or weakening it, and leave no placeholder behind.',
    ...(protect.length === 0 ? [] : [`5. Do not change ${protect.map((glob) => `\`${glob}\``).join(', ')}.`]),
    '',
    ...(isByTests && task === 'repair' ? ['You are done when all tests pass.'] : []),
    ...(isByTests && task === 'build' ? ['You are done when the whole task is done and all tests pass.'] : []),
    ...(isByFile ? [`When the whole task is done, and only then, write what you did to \`${DONE_FILE}\`.`] : []),
    ...(goals.length > 0 && checklist === undefined ? [`You are done when: ${goals.join('; or ')}.`] : []),
    ...(checklist === undefined
      ? []
      : [
          `You are done when every box in \`${checklist}\` is checked${tests === undefined ? '' : ' and all tests pass'}. Check a box only when its item works.`,
        ]),
    '',
    '{{feedback}}',
    '',
  ].join('\n');
}

/** The line that is to be replaced. */
export const PLACEHOLDER =
  'REPLACE THIS LINE: what to do, where, and how to check that it is done. One task, as exact as you can.';
