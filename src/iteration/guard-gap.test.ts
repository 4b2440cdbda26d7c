import { expect, it } from 'vitest';
import { runContext } from '../../test/support/run-context.js';
import { baseline, begin, type Draft, end, started, stateAfter } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import { conditionKey } from '../model/condition-key.js';
import type { Observation } from '../model/observation.js';
import { questionsOf } from '../run/questions.js';
import type { GuardWatch } from './guard-watch.js';
import { observeIteration } from './observe.js';

const GUARD = { type: 'protected_path_changed', paths: ['tests/**'] } as const;
const KEY = conditionKey(GUARD);
const START = [started({ failure: [GUARD] }), baseline({ guard: 'as it was', probes: { [KEY]: { met: false } } })];
const ended = (number: number, observation: Observation): Draft[] => [begin(number), end(number, { observation })];
/** Nobody could look, or only at its end. */
const unseen = { probes: { [KEY]: { detail: 'the changes were not observed' } } };
const STOPPED: Draft = { type: 'run-ended', state: 'stopped', reasons: [] };
const RESUMED: Draft = { type: 'run-resumed', cause: 'operator' };

/** What the guard says after another iteration in which nothing changed, with the files as they are now. */
async function guardAfter(drafts: readonly Draft[], digest: string) {
  const state = stateAfter(...drafts);
  const guard: GuardWatch = {
    begin: async () => undefined,
    beginCommands: async () => undefined,
    removeBytecode: async () => undefined,
    newOutputs: [],
    changes: async () => [],
    digest,
    protectedPath: 'tests/**',
  };
  const { spec } = resolveConfig({ stop: { failure: [{ protected_path_changed: ['tests/**'] }] } });
  const observation = await observeIteration(
    {
      context: runContext({ spec, guard, questions: questionsOf(() => state) }),
      cookie: 'a',
      seen: {},
      skipCommands: true,
      label: 'iteration',
      draft: (observed) => ({ ...end(9), type: 'iteration-ended', observation: observed }) as never,
    },
    undefined,
  );
  return observation.probes?.[KEY];
}

it.each<[string, readonly Draft[]]>([
  ['after an iteration that nobody could watch', [...START, ...ended(1, unseen)]],
  ['after two of them', [...START, ...ended(1, unseen), ...ended(2, { ...unseen, guard: 'tampered' })]],
  ['after a resume, too', [...START, ...ended(1, unseen), STOPPED, RESUMED]],
])('a guard says that all is well again %s, when the files are as they were', async (_, drafts) => {
  expect(await guardAfter(drafts, 'as it was')).toMatchObject({ met: false });
});

it.each<[string, readonly Draft[]]>([
  ['in an iteration that nobody could watch', [...START, ...ended(1, unseen)]],
  ['and were only seen later', [...START, ...ended(1, unseen), ...ended(2, { ...unseen, guard: 'tampered' })]],
  ['and a resume followed', [...START, ...ended(1, unseen), STOPPED, RESUMED]],
])('a guard sees files that changed %s', async (_, drafts) => {
  expect(await guardAfter(drafts, 'tampered')).toMatchObject({
    met: true,
    detail: 'tests/** changed while Pawl could not check it',
  });
});

it('a guard cannot tell when there was never anything to compare with', async () => {
  const drafts = [started({ failure: [GUARD] }), ...ended(1, unseen)];
  expect((await guardAfter(drafts, 'any'))?.met).toBeUndefined();
});

it('changed files stay vetoed after a resume, until they are as they were', async () => {
  const vetoed = { guard: 'tampered', probes: { [KEY]: { met: true, detail: 'tests/a changed' } } };
  const drafts = [...START, ...ended(1, vetoed), STOPPED, RESUMED];
  const detail = 'tests/a changed in iteration 1 and has not been restored';
  expect(await guardAfter(drafts, 'tampered')).toEqual({ met: true, detail });
  const still = { guard: 'tampered', probes: { [KEY]: { met: true, detail } } };
  expect(await guardAfter([...drafts, ...ended(2, still)], 'tampered')).toEqual({ met: true, detail });
  expect(await guardAfter(drafts, 'as it was')).toMatchObject({ met: false });
});
