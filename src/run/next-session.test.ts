import { describe, expect, it } from 'vitest';
import { begin, type Draft, end, started, stateAfter } from '../../test/support/record.js';
import { handoverOf, nextSession } from './next-session.js';

const RULES = {
  contextRedlinePercent: 85,
  session: { mode: 'continue', timeoutMs: 3_600_000, persist: true, stateDir: '.ralph/sessions' },
} as const;

const opened: Draft = { type: 'session-opened', session: 's1', resumed: false };
const context = (usedTokens: number): Draft => ({ type: 'context-reported', usedTokens, windowTokens: 100_000 });

function next(drafts: readonly Draft[], more: Partial<typeof RULES> = {}, canResume = true, afterMs = 0) {
  const state = stateAfter(started(), begin(1), opened, ...drafts);
  const nowMs = Date.parse(state.session?.openedAt ?? '') + afterMs;
  return nextSession(state, { ...RULES, ...more }, { canResume, nowMs });
}

describe('the session of the next iteration', () => {
  it('[c60] is gone on with after an iteration that completed', () => {
    expect(next([end(1)])).toEqual({ kind: 'continue', session: 's1' });
  });

  it('is fresh when there is none, when it is to be, or when the agent cannot go on with one', () => {
    expect(nextSession(stateAfter(started()), RULES, { canResume: true, nowMs: 0 })).toEqual({ kind: 'fresh' });
    expect(next([end(1)], { session: { ...RULES.session, mode: 'fresh' as never } })).toEqual({ kind: 'fresh' });
    expect(next([end(1)], {}, false)).toEqual({ kind: 'fresh' });
  });

  it.each(['--dangerously-skip-permissions', ' -c', 'a\0b'])('is fresh when the agent calls it %j', (session) => {
    expect(next([{ type: 'session-opened', session, resumed: false }, end(1)])).toEqual({ kind: 'fresh' });
  });

  it.each(['failed', 'timed-out', 'interrupted', 'skipped'] as const)('is fresh after one that was %s', (outcome) => {
    expect(next([end(1, { outcome })])).toEqual({ kind: 'fresh' });
  });

  it('is the same after a usage limit: nothing was cut off', () => {
    expect(next([end(1, { outcome: 'limited' })])).toMatchObject({ kind: 'continue' });
  });

  it('is rebooted above the redline, not at it', () => {
    expect(next([context(85_000), end(1)])).toMatchObject({ kind: 'continue' });
    expect(next([context(85_001), end(1)])).toEqual({
      kind: 'reboot',
      reason: 'the context is 85% full, above 85%',
    });
  });

  it('is rebooted when it is older than its timeout', () => {
    expect(next([end(1)], {}, true, 3_600_000)).toMatchObject({ kind: 'continue' });
    expect(next([end(1)], {}, true, 3_600_001)).toMatchObject({ kind: 'reboot' });
  });

  it('is the same after anything, for an agent that keeps its conversation, unless that itself is too long', () => {
    const after = (...drafts: readonly Draft[]) => {
      const state = stateAfter(started(), begin(1), opened, ...drafts);
      return nextSession(state, RULES, { canResume: true, keepsConversation: true, nowMs: 0 });
    };
    expect(after(end(1, { outcome: 'failed' }))).toMatchObject({ kind: 'continue' });
    expect(after(end(1, { outcome: 'interrupted', interruption: 'limit' }))).toMatchObject({ kind: 'continue' });
    const tooLong: Draft = { type: 'error-seen', kind: 'context', message: 'too long', fingerprint: 'f' };
    expect(after(tooLong, end(1, { outcome: 'failed' }))).toMatchObject({ kind: 'reboot' });
    // A turn that was complete when the process died is looked at first.
    const crash = end(1, { outcome: 'interrupted', interruption: 'crash' });
    expect(after(context(99_000), crash)).toMatchObject({ kind: 'continue' });
  });

  it('hands over what was done last, in 4 KB at most', () => {
    const files = {
      treeBefore: 'a',
      treeAfter: 'b',
      created: ['new.ts'],
      modified: Array.from({ length: 500 }, (_, index) => `src/${'long'.repeat(20)}-${index}.ts`),
      deleted: [],
      changedFiles: 501,
      changedLines: 1,
    };
    const state = stateAfter(started(), begin(1), end(1, { observation: { summary: 'wrote the parser', files } }));
    const handover = handoverOf(state) ?? '';
    expect(handover).toContain('wrote the parser');
    expect(handover).toContain('- new.ts');
    expect(handover.length).toBeLessThanOrEqual(4096);
    expect(handoverOf(stateAfter(started()))).toBeUndefined();
  });
});
