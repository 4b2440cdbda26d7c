import { expect, it } from 'vitest';
import { checkNode } from '../../../fleet/engine/boss.js';
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
  [['limit', 'key_group', KEY, '2'], /^limit key_group: contains what looks like a key/],
  [['steer', RUN, `use ${KEY}`], /^steer: contains what looks like a key/],
  [['reject', RUN, `no, use ${KEY}`], /^reject: contains what looks like a key/],
])('%j is refused before the database could keep it', async (words, message) => {
  const terminal = recordingTerminal();
  expect(await runProgram(['fleet', ...words, '--postgres', NOWHERE], contextOf(terminal))).toBe(2);
  expect(terminal.err()).toMatch(message);
  for (const secret of ['the-password', KEY]) expect(terminal.out() + terminal.err()).not.toContain(secret);
});

it.each([
  ['20.20.2', false],
  ['22.11.0', false],
  ['22.12.0', true],
  ['24.0.0', true],
])('a fleet on Node %s: %s', (version, isEnough) => {
  if (isEnough) expect(() => checkNode(version)).not.toThrow();
  else expect(() => checkNode(version)).toThrow(/needs Node 22\.12 or newer, .*install a newer Node/);
});

it.each([['fleet', 'status'], ['fleet', 'init'], ['worker'], ['submit', '--repo', '/a', '--branch', 'b', '-p', 'x']])(
  'pawl %s says on an older Node what it needs, before anybody is asked',
  async (...words) => {
    const terminal = recordingTerminal();
    const exitCode = await runProgram([...words, '--postgres', NOWHERE], contextOf(terminal));
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isEnough = major > 22 || (major === 22 && minor >= 12);
    expect(exitCode).toBe(isEnough ? 5 : 2);
    expect(terminal.err()).toContain(isEnough ? 'is not reachable' : 'a fleet needs Node 22.12');
  },
);
