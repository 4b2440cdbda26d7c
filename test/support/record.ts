import { NEWEST_RULES } from '../../src/model/condition-catalog.js';
import type { Observation } from '../../src/model/observation.js';
import type { Policy } from '../../src/model/policy.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { EventBodies, NewEvent, RunEvent } from '../../src/model/run-event.js';
import type { RunState } from '../../src/model/run-state.js';
import type { TestResults } from '../../src/model/test-results.js';
import type { Spend } from '../../src/model/usage.js';

export type Draft = NewEvent & { readonly activeMs?: number; readonly at?: string };

export const START = '2026-03-01T00:00:00.000Z';

/** Gives drafts their envelopes: a second apart, all of it active, unless a draft says otherwise. */
export function record(drafts: readonly Draft[]): RunEvent[] {
  let activeMs = 0;
  return drafts.map((draft, index) => {
    activeMs = draft.activeMs ?? activeMs + (index === 0 ? 0 : 1000);
    const at = draft.at ?? new Date(Date.parse(START) + index * 1000).toISOString();
    return { v: 1, seq: index + 1, ...draft, at, activeMs };
  });
}

export function stateAfter(...drafts: readonly Draft[]): RunState {
  return reduceAll(record(drafts));
}

export function started(policy: Partial<Policy> = {}, more: Partial<EventBodies['run-started']> = {}): Draft {
  return {
    type: 'run-started',
    runId: 'loop_01TEST',
    kind: 'loop',
    policy: { success: [], failure: [], limits: [], ...policy },
    agent: { name: 'command', usage: 'live' },
    versions: { pawl: '0.1.0' },
    rules: NEWEST_RULES,
    ...more,
  };
}

export function baseline(observation: Observation = {}): Draft {
  return { type: 'baseline-observed', observation };
}

export function begin(iteration: number, tryNumber = 1): Draft {
  return { type: 'iteration-started', iteration, try: tryNumber };
}

export function end(iteration: number, more: Partial<EventBodies['iteration-ended']> = {}): Draft {
  return {
    type: 'iteration-ended',
    iteration,
    outcome: 'completed',
    agentStarted: true,
    durationMs: 1000,
    observation: {},
    ...more,
  };
}

export function used(spend: Spend, more: Partial<EventBodies['usage-reported']> = {}): Draft {
  return { type: 'usage-reported', scope: 'request', model: 'test-model', spend, ...more };
}

/** A whole iteration that used something and left this observation. */
export function iteration(
  number: number,
  observation: Observation = {},
  more: Partial<EventBodies['iteration-ended']> = {},
): Draft[] {
  return [
    begin(number),
    used({ inputTokens: 100, outputTokens: 10, costUsd: 0.1 }, { id: `request-${number}` }),
    end(number, { observation, ...more }),
  ];
}

export function tests(passed: number, failed: number, more: Partial<TestResults> = {}): TestResults {
  return {
    source: 'harness',
    exitCode: failed === 0 ? 0 : 1,
    total: passed + failed,
    passed,
    failed,
    skipped: 0,
    details: [],
    ...more,
  };
}

/** The tree went from one state to another; the same twice is no change. */
export function trees(
  treeBefore: string,
  treeAfter: string,
  more: Partial<NonNullable<Observation['files']>> = {},
): Observation {
  const changedFiles = treeBefore === treeAfter ? 0 : 1;
  return {
    files: {
      treeBefore,
      treeAfter,
      created: [],
      modified: changedFiles ? ['a.ts'] : [],
      deleted: [],
      changedFiles,
      changedLines: changedFiles * 3,
      ...more,
    },
  };
}
