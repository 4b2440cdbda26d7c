import { SYSTEM } from './phase.js';
import { describe, expect, it } from 'vitest';
import { outcomeOf, wordOf } from './outcome.js';
import { STOP_CLASSES } from './stop-class.js';

const ended = (stopClass: (typeof STOP_CLASSES)[number], type?: 'max_cost' | 'max_duration' | 'max_iterations') => ({
  class: stopClass,
  reasons: [{ condition: LIMITS[type ?? 'max_cost'] }],
});
const LIMITS = {
  max_cost: { type: 'max_cost', usd: 5 },
  max_duration: { type: 'max_duration', duration: '2h' },
  max_iterations: { type: 'max_iterations', count: 3 },
} as const;

describe('one outcome, one word', () => {
  it('each class of end has its word', () => {
    const words = STOP_CLASSES.map((one) => outcomeOf({ status: 'stopped', ended: { class: one } }).word);
    expect(words).toEqual(['rejected', 'done', 'stopped by you', 'needs you', 'gave up', 'limit reached']);
  });

  it('a limit names what is used up', () => {
    const word = (type: keyof typeof LIMITS) => outcomeOf({ status: 'stopped', ended: ended('limit', type) }).word;
    expect(word('max_cost')).toBe('budget reached');
    expect(word('max_duration')).toBe('time is up');
    expect(word('max_iterations')).toBe('iteration limit');
    const either = { type: 'any', conditions: [LIMITS.max_cost, LIMITS.max_duration] } as const;
    expect(wordOf('limit', either)).toBe('limit reached');
  });

  it('an agent that is blocked needs a person, whatever the class of the end is', () => {
    const reasons = [{ condition: { type: 'agent_reports_blocked' } as const }];
    expect(outcomeOf({ status: 'stopped', ended: { class: 'failure', reasons } })).toEqual(
      outcomeOf({ status: 'stopped', ended: { class: 'blocked' } }),
    );
  });

  it('no ended run is called just "stopped"', () => {
    for (const status of ['completed', 'stopped', 'error']) {
      for (const one of [...STOP_CLASSES, undefined]) {
        expect(outcomeOf({ status, ended: { class: one } }).word).not.toMatch(/^(?:stopped|completed|error)$/);
      }
    }
  });

  it('a pipeline that worked on every item and approved only some is not done', () => {
    expect(outcomeOf({ status: 'completed', ended: { class: 'failure' } }).word).toBe('gave up');
  });

  it('a run that broke has failed, and one that a shutdown ended was interrupted', () => {
    expect(outcomeOf({ status: 'error' }).word).toBe('failed');
    expect(outcomeOf({ status: 'stopped', ended: { class: 'operator' } }).word).toBe('stopped by you');
    const stop = { by: SYSTEM, now: false };
    expect(outcomeOf({ status: 'stopped', ended: { class: 'operator' }, stop }).word).toBe('interrupted');
  });
});
