import { expect, it } from 'vitest';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import { runProgram } from './program.js';

it('the help shows every command on a line of its own, in groups', async () => {
  const terminal = recordingTerminal();
  expect(await runProgram(['--help'], contextOf(terminal))).toBe(0);
  const [, ...groups] = terminal
    .out()
    .split(/\n\n(?=[A-Z])/)
    .slice(2);
  expect(groups.map((group) => group.split('\n')[0])).toEqual([
    'Get started:',
    'Run:',
    'Inspect:',
    'Analyze:',
    'Control a run:',
    'Fleet:',
    'Clean up:',
    'Other:',
  ]);
  const commands = groups.flatMap((group) => group.trimEnd().split('\n').slice(1));
  for (const line of commands) expect(line).toMatch(/^ {2}[a-z]+ +\S.{0,64}$/);
});
