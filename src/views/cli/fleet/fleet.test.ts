import { expect, it } from 'vitest';
import { KEY_SAMPLES } from '../../../../test/support/key-samples.js';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { runProgram } from '../program.js';

/** Nobody listens there: what is refused is refused before anybody is asked. */
const NOWHERE = 'postgres://nobody@127.0.0.1:1/none';
const KEY = KEY_SAMPLES.find(({ name }) => name === 'github_token')?.secret ?? KEY_SAMPLES[0]?.secret ?? '';
const RUN = 'loop_01M7HHFXFGAAAAAAAAAAAAAAAA';

it.each([
  [['limit', 'repository', 'https://me:the-password@host/x', '2'], /^limit repository: the URL carries credentials/],
  [['limit', 'repository', 'me:the-password@host:x', '2', '--json'], /^limit repository: the URL carries credentials/],
  [['limit', 'repository', 'https://host/x?token=the-password', '2'], /^limit repository: the part after \?/],
  [['limit', 'api_key', KEY, '2'], /^limit api_key: contains what looks like a key/],
  [['steer', RUN, `use ${KEY}`], /^steer: contains what looks like a key/],
  [['reject', RUN, `no, use ${KEY}`], /^reject: contains what looks like a key/],
])('%j is refused before the database could keep it', async (words, message) => {
  const terminal = recordingTerminal();
  expect(await runProgram(['fleet', ...words, '--postgres', NOWHERE], contextOf(terminal))).toBe(2);
  expect(terminal.err()).toMatch(message);
  for (const secret of ['the-password', KEY]) expect(terminal.out() + terminal.err()).not.toContain(secret);
});

it('a login in the URL of a repository is no secret', async () => {
  const terminal = recordingTerminal();
  const words = ['limit', 'repository', 'ssh://git@host/x', '2', '--postgres', NOWHERE];
  expect(await runProgram(['fleet', ...words], contextOf(terminal))).toBe(5);
});
