import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reduceAll } from '../../src/model/reduce.js';
import type { RunState } from '../../src/model/run-state.js';
import { iterationSpend, totalSpend } from '../../src/model/spend-account.js';
import { tries } from '../support/full-form.js';
import { begin, type Draft, end, record, started, used } from '../support/record.js';

/** What one model call really used, and how often the agent reports it. */
interface Request {
  readonly tokens: number;
  /** 0 times: the agent hides it from its list of requests. */
  readonly reports: number;
}

/** How an agent reports: which figures, and how much of the truth each of them has. */
interface Habits {
  readonly turns: boolean;
  readonly total: 'none' | 'iteration' | 'session';
  /** The share of the truth that its sums have: a proxy or a crash can leave some out. */
  readonly share: number;
}

interface Work {
  readonly habits: Habits;
  /** Iterations of turns of requests. */
  readonly iterations: readonly {
    readonly session: number;
    readonly turns: readonly (readonly Request[])[];
    /** It was killed: neither its last turn nor its total was reported. */
    readonly killed: boolean;
  }[];
}

const anyWork: fc.Arbitrary<Work> = fc.record({
  habits: fc.record({
    turns: fc.boolean(),
    total: fc.constantFrom('none', 'iteration', 'session'),
    share: fc.constantFrom(0, 0.5, 1),
  }),
  iterations: fc.array(
    fc.record({
      session: fc.nat(1),
      turns: fc.array(
        fc.array(fc.record({ tokens: fc.integer({ min: 1, max: 100 }), reports: fc.nat(3) }), { maxLength: 4 }),
        { minLength: 1, maxLength: 3 },
      ),
      killed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);
const spend = (tokens: number) => ({ inputTokens: tokens, outputTokens: 0, costUsd: tokens / 1000 });

interface Played {
  readonly drafts: readonly Draft[];
  readonly truth: number;
  /** Every figure that the agent reported for some work, and that the total must therefore reach. */
  readonly reported: readonly number[];
}

/** The record that such an agent leaves, and what each way to add up its reports gives. */
function play({ habits, iterations }: Work): Played {
  const drafts: Draft[] = [started()];
  const [seen, turns, perIteration]: [number[], number[], number[]] = [[], [], []];
  const sessions = new Map<number, number>();
  const sessionReports = new Map<number, number>();
  let truth = 0;
  for (const [index, { session, turns: list, killed }] of iterations.entries()) {
    drafts.push(begin(index + 1), { type: 'session-opened', session: `s${session}`, resumed: sessions.has(session) });
    let ofIteration = 0;
    for (const [turnIndex, requests] of list.entries()) {
      const ofTurn = sum(requests.map(({ tokens }) => tokens));
      ofIteration += ofTurn;
      sessions.set(session, (sessions.get(session) ?? 0) + ofTurn);
      for (const [number, { tokens, reports }] of requests.entries()) {
        const id = `r${index}.${turnIndex}.${number}`;
        for (let count = 0; count < reports; count++) drafts.push(used(spend(tokens), { id }));
        if (reports > 0) seen.push(tokens);
      }
      if (killed && turnIndex === list.length - 1) break;
      if (habits.turns) {
        turns.push(Math.floor(ofTurn * habits.share));
        drafts.push(used(spend(turns.at(-1) ?? 0), { scope: 'turn' }));
      }
      const total = habits.total === 'session' ? (sessions.get(session) ?? 0) : ofIteration;
      const told = Math.floor(total * habits.share);
      if (habits.total === 'none' || told < (sessionReports.get(session) ?? 0)) continue;
      const scope = {
        scope: 'session-total',
        session: habits.total === 'session' ? `s${session}` : undefined,
      } as const;
      drafts.push(used(spend(told), scope));
      if (habits.total === 'session') sessionReports.set(session, told);
      else perIteration[index] = told;
    }
    truth += ofIteration;
    drafts.push(end(index + 1, { agentStarted: false }));
  }
  const reported = [sum(seen), sum(turns), sum(Object.values(perIteration)), sum([...sessionReports.values()])];
  return { drafts, truth, reported };
}

const tokensOf = (state: RunState): number => totalSpend(state.spend).inputTokens ?? Number.NaN;

describe('the spend of an agent that reports the same work in several ways', () => {
  it('is never below any one way to add up its reports, and never above what was really used', () => {
    fc.assert(
      fc.property(anyWork, (work) => {
        const { drafts, truth, reported } = play(work);
        const counted = tokensOf(reduceAll(record(drafts)));
        for (const figure of reported) expect(counted).toBeGreaterThanOrEqual(figure);
        expect(counted).toBeLessThanOrEqual(truth);
      }),
      { numRuns: tries(500) },
    );
  });

  it('is the larger of the requests and of their sum, whichever of them are repeated after the sum', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 600 }),
        fc.constantFrom(
          { scope: 'turn' } as const,
          { scope: 'session-total' } as const,
          { scope: 'session-total', session: 's' } as const,
        ),
        fc.array(fc.nat(4), { maxLength: 4 }),
        (tokens, told, scope, again) => {
          const requests = tokens.map((count, index) => used(spend(count), { id: `r${index}` }));
          const repeated = again.map((index) => requests[index % requests.length] as Draft);
          const state = reduceAll(record([started(), begin(1), ...requests, used(spend(told), scope), ...repeated]));
          expect(tokensOf(state)).toBe(Math.max(sum(tokens), told));
          expect(iterationSpend(state.spend).inputTokens).toBe(Math.max(sum(tokens), told));
        },
      ),
    );
  });

  it('does not depend on the order of the requests of a turn', () => {
    fc.assert(
      fc.property(
        fc
          .array(fc.tuple(fc.nat(5), fc.integer({ min: 1, max: 100 })), { maxLength: 8 })
          .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        fc.integer({ min: 0, max: 600 }),
        ([list, shuffled], told) => {
          const counted = (order: typeof list) => {
            const requests = order.map(([id, tokens]) => used(spend(tokens), { id: `r${id}` }));
            return tokensOf(
              reduceAll(record([started(), begin(1), ...requests, used(spend(told), { scope: 'turn' })])),
            );
          };
          expect(counted(shuffled)).toBe(counted(list));
        },
      ),
    );
  });

  it('is the same when the run crashes anywhere and goes on from its snapshot', () => {
    fc.assert(
      fc.property(anyWork, fc.nat(), (work, where) => {
        const events = record(play(work).drafts);
        const cut = where % (events.length + 1);
        const snapshot = JSON.parse(JSON.stringify(reduceAll(events.slice(0, cut)))) as RunState;
        expect(totalSpend(reduceAll(events.slice(cut), snapshot).spend)).toEqual(totalSpend(reduceAll(events).spend));
      }),
    );
  });
});
