import { expect, it } from 'vitest';
import type { FleetRun } from '../fleet/fleet-status.js';
import { whyText } from './fleet-words.js';

const RUN: FleetRun = {
  id: 'loop_1',
  state: 'running',
  repository: '/r',
  base: 'main',
  labels: [],
  epoch: 1,
  iteration: 1,
  lastSeq: 9,
  atLeastUsd: 0,
  crashes: 0,
  createdAt: '2026-01-01T00:00:00.000Z',
};

it.each<[string, Partial<FleetRun>, string | RegExp]>([
  ['a push that fails', { trouble: 'it cannot be pushed' }, 'it cannot be pushed'],
  [
    'a repository that cannot be reached',
    { state: 'waiting', lastSeq: 0, trouble: '/r cannot be reached', notBefore: '2026-01-01T00:00:00.000Z' },
    /^\/r cannot be reached; tried again at/,
  ],
  ['a limit that is used up', { state: 'queued', labels: ['gpu'], heldUp: 'waits: 0 of 0' }, 'waits: 0 of 0'],
  ['an end, whatever was before', { state: 'ended', trouble: 'x', outcome: { error: 'broken' } }, 'broken'],
  [
    'an error with a tree that is kept',
    { state: 'ended', outcome: { error: 'broken', kept: 'host:/kept' } },
    'broken; its working tree is kept in host:/kept',
  ],
  [
    'a limit at work that is on no branch',
    { state: 'ended', outcome: { class: 'limit', reasons: ['1 of 1'], kept: 'host:/kept' } },
    '1 of 1; its last work is on no branch: it is kept in host:/kept',
  ],
])('%s is told', (_name, changes, why) => {
  expect(whyText({ ...RUN, ...changes }, Date.now())).toEqual(
    typeof why === 'string' ? why : expect.stringMatching(why),
  );
});
