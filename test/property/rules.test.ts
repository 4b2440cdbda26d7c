import fc from 'fast-check';
import { expect, it } from 'vitest';
import { visitConditions } from '../../src/config/condition-place.js';
import { type ConditionType, leavesOf, type StopCondition } from '../../src/model/condition.js';
import { CONDITION_CATALOG, CONDITION_TYPES, neededBy } from '../../src/model/condition-catalog.js';
import type { Closing, Observation, SeenRequest } from '../../src/model/observation.js';
import { parseCondition } from '../../src/model/parse-condition.js';
import { policyEntries } from '../../src/model/policy.js';
import { reduceAll } from '../../src/model/reduce.js';
import type { EventType, RunEvent } from '../../src/model/run-event.js';
import { INITIAL_STATE, type RunState } from '../../src/model/run-state.js';
import type { Verdict } from '../../src/model/verdict.js';
import { evaluateRun } from '../../src/stop/evaluate-policy.js';
import { tries } from '../support/full-form.js';
import { baseline, begin, type Draft, end, record, started, tests, trees, used } from '../support/record.js';
import { conditionsOf } from './arbitraries.js';

/** One condition of each type of the catalog: a new one is in every policy here as soon as it is there. */
const simple = fc.oneof(...CONDITION_TYPES.flatMap((type) => conditionsOf(type)));
const values = {
  count: fc.integer({ min: 1, max: 3 }),
  condition: simple,
  conditions: fc.array(simple, { minLength: 1, maxLength: 2 }),
};
const anyConditions = fc
  .tuple(...CONDITION_TYPES.flatMap((type) => conditionsOf(type, values)))
  .map((inputs) => inputs.map((input) => parseCondition(input)));

/**
 * Two events of an iteration are unrelated if neither changes what the other means. Events of one list are related and keep
 * their order: an allowed call ends a row of denials, a total covers the requests before it, the end of an attempt closes its
 * account, the same error twice in a row is repeated, a later claim replaces an earlier one. Different lists come from
 * sources that do not wait for each other, and in which order Pawl reads them is chance.
 */
interface Sources {
  readonly said: readonly Draft[];
  readonly claimed: readonly Draft[];
  readonly tools: readonly Draft[];
  readonly spent: readonly Draft[];
  readonly errors: readonly Draft[];
  readonly clock: readonly Draft[];
}

interface Iteration {
  readonly sources: Sources;
  readonly ended: Pick<Extract<Draft, { type: 'iteration-ended' }>, 'outcome' | 'interruption'>;
  readonly observation: Observation;
  /** Answers to the probes of the policy, in turn. */
  readonly probed: readonly (boolean | undefined)[];
  readonly tree: string | undefined;
  /** If the tree changes: only lines of the run itself. */
  readonly rewrites: boolean;
}

const few = <T>(...drafts: readonly T[]) => fc.array(fc.constantFrom(...drafts), { maxLength: 3 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const rarely = <T>(value: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, value);
const error = (message: string, kind: 'other' | 'auth' = 'other'): Draft => ({
  type: 'error-seen',
  kind,
  message,
  fingerprint: message,
});
const claim = (made: 'done' | 'blocked' | 'continue', from?: 'status-line' | 'words'): Draft => ({
  type: 'claim-made',
  claim: made,
  evidence: made,
  by: 'agent',
  ...(from === undefined ? {} : { from }),
});
const item = (index: number, status: 'approved' | 'rejected', attempts: number): Draft[] => [
  { type: 'attempt-started', item: `i${index}`, index, attempt: 1 },
  { type: 'attempt-ended', item: `i${index}`, index, attempt: 1, outcome: 'failed', durationMs: 1 },
  { type: 'item-ended', item: `i${index}`, index, status, attempts },
];

const anySources: fc.Arbitrary<Sources> = fc.record({
  said: few<Draft>({ type: 'agent-said', text: 'a' }, { type: 'agent-said', text: 'c' }),
  claimed: few(claim('done'), claim('blocked'), claim('continue', 'status-line'), claim('done', 'words')),
  tools: few<Draft>(
    { type: 'tool-called', name: 'Bash' },
    { type: 'tool-answered' },
    { type: 'tool-answered', denied: true },
    { type: 'permission-denied', tool: 'Bash' },
  ),
  spent: few<Draft[]>(
    [used({ inputTokens: 1, outputTokens: 1, totalTokens: 2, costUsd: 0.2 })],
    [used({ inputTokens: 2, totalTokens: 2, costUsd: 0.1 }, { id: 'again' })],
    [used({ inputTokens: 4, outputTokens: 1, totalTokens: 5, costUsd: 0.5 }, { scope: 'session-total', session: 's' })],
    [{ type: 'session-opened', session: 's', resumed: false }],
    [{ type: 'context-reported', usedTokens: 60, windowTokens: 100 }],
    [{ type: 'day-spend-seen', day: '2026-03-01', othersUsd: 0.5 }],
    [{ type: 'batch-spend-seen', batch: 'b', othersUsd: 0.5 }],
    [{ type: 'agent-finished', stoppedBy: 'budget' }],
    item(0, 'approved', 1),
    item(1, 'rejected', 2),
  ).map((drafts) => drafts.flat()),
  errors: few(error('a'), error('b'), error('a login', 'auth')),
  clock: few<Draft>({ type: 'tick' }, { type: 'command-received', command: { type: 'stop' }, by: 'cli' }),
});

const named = (name: string, status: 'passed' | 'failed') => ({ name, status, error: name });
const anyTests = fc.constantFrom(
  tests(3, 0, { details: [named('a', 'passed'), named('b', 'passed'), named('c', 'passed')] }),
  tests(2, 1, { details: [named('a', 'passed'), named('b', 'passed'), named('c', 'failed')] }),
  tests(1, 2, { details: [named('a', 'passed'), named('b', 'failed')] }),
  tests(0, 3),
  { source: 'harness', exitCode: 2, output: 'cannot compile', details: [] } as const,
  { source: 'harness', exitCode: 0, details: [] } as const,
);
const FAILED_CALL = { digest: 'd1', text: 'gh: command not found' };
const anyRequest = fc.constantFrom<SeenRequest>(
  { kind: 'none' },
  { kind: 'request', sentence: 'A or B?' },
  { kind: 'request', sentence: 'I cannot continue without the key.', isStuck: true },
  { kind: 'impossible', sentence: 'It cannot be done.' },
);
const answers = fc.array(maybe(fc.boolean()), { minLength: 3, maxLength: 5 });

const anyIteration: fc.Arbitrary<Iteration> = fc.record({
  sources: anySources,
  ended: fc.constantFrom<Iteration['ended']>(
    { outcome: 'completed' },
    { outcome: 'completed' },
    { outcome: 'failed' },
    { outcome: 'timed-out' },
    { outcome: 'interrupted', interruption: 'operator' },
  ),
  observation: fc
    .record({
      tests: maybe(anyTests),
      request: maybe(anyRequest),
      toolFailures: maybe(fc.subarray([FAILED_CALL, { digest: 'd2', text: 'no such file' }])),
      closing: maybe(fc.constantFrom<Closing>('empty', 'open', 'plain', 'finished')),
      wroteFiles: rarely(fc.constant(true)),
      commandResults: maybe(fc.subarray(['build:1', 'build:2', 'bench:1'])),
      outsideLines: rarely(fc.subarray(['o1', 'o2'])),
      also: rarely(fc.constantFrom({ before: 'x', after: 'x' }, { before: 'x', after: 'y' })),
      checks: maybe(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.record({ passed: maybe(fc.boolean()) }))),
    })
    .map((observed) => observed as Observation),
  probed: answers,
  tree: maybe(fc.constantFrom('t0', 't1', 't2')),
  rewrites: fc.boolean(),
});

interface Story {
  readonly conditions: readonly StopCondition[];
  readonly kind: 'loop' | 'pipeline';
  readonly start: Pick<Iteration, 'observation' | 'probed'>;
  /** Iterations, the last of which may come several times. */
  readonly iterations: readonly Iteration[];
}

const anyStory: fc.Arbitrary<Story> = fc.record({
  conditions: anyConditions,
  kind: fc.constantFrom('loop', 'loop', 'pipeline'),
  start: fc.record({
    observation: maybe(anyTests).map((found) => ({ tests: found, tree: 't0' })),
    probed: answers,
  }),
  iterations: fc
    .tuple(fc.array(anyIteration, { minLength: 1, maxLength: 3 }), fc.nat({ max: 4 }))
    .map(([some, again]) => [...some, ...Array.from({ length: again }, () => some.at(-1) as Iteration)]),
});

/** As each kind of probe records it: whether, how many boxes, or a number. */
function answerOf(met: boolean | undefined, index: number) {
  const version = String(index % 2);
  if (met === undefined) return { version };
  const boxes = { checked: met ? 2 : index % 2, total: 2, open: met ? [] : ['left'], digests: ['d1', 'd2'] };
  return { met, version, boxes, value: met ? index % 3 : 6 };
}

function probesOf(conditions: readonly StopCondition[], probed: Iteration['probed']): Observation {
  const leaves = conditions.flatMap(leavesOf);
  const keys = [...neededBy(leaves, 'probe').keys(), ...neededBy(leaves, 'guard').keys()];
  const probe = (index: number) => answerOf(probed[index % probed.length], index);
  return { probes: Object.fromEntries(keys.map((key, index) => [key, probe(index)])) };
}

/** Where the policy has a pattern that is the text, the recorder has found it. */
function withMatches(draft: Draft, conditions: readonly StopCondition[]): Draft {
  if (draft.type !== 'agent-said') return draft;
  const found = [...neededBy(conditions.flatMap(leavesOf), 'output')].filter(
    ([, { pattern }]) => pattern === draft.text,
  );
  return { ...draft, matches: Object.fromEntries(found.map(([key]) => [key, draft.text])) };
}

/** The events of the sources in any order that keeps the order within each. */
function interleaved(sources: Sources, picks: readonly number[]): Draft[] {
  const queues = Object.values(sources).map((list: readonly Draft[]) => [...list]);
  const drafts: Draft[] = [];
  for (let at = 0; ; at += 1) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(picks[at % Math.max(1, picks.length)] ?? 0) % Math.max(1, open.length)]?.shift();
    if (next === undefined) return drafts;
    drafts.push(next);
  }
}

/** Facts of different kinds stand side by side in an observation: their order, and that of a set, means nothing. */
function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.toReversed() as T;
  return Object.fromEntries(Object.entries(value as object).toReversed()) as T;
}

function turned({ toolFailures, commandResults, outsideLines, probes, checks, ...rest }: Observation): Observation {
  return reversed({
    ...rest,
    ...(commandResults === undefined ? {} : { commandResults: reversed(commandResults) }),
    ...(toolFailures === undefined ? {} : { toolFailures: reversed(toolFailures) }),
    ...(outsideLines === undefined ? {} : { outsideLines: reversed(outsideLines) }),
    ...(probes === undefined ? {} : { probes: reversed(probes) }),
    ...(checks === undefined ? {} : { checks: reversed(checks) }),
  });
}

interface Order {
  readonly picks: readonly number[];
  readonly isTurned: boolean;
}

function startOf({ conditions, kind, start }: Story): Draft[] {
  const { observation, probed } = start;
  return [started({ conditions }, { kind, items: 2 }), baseline({ ...observation, ...probesOf(conditions, probed) })];
}

function linesOf(before: string, tree: string, rewrites: boolean) {
  if (before === tree) return { lines: [] };
  return { lines: [`${before}-${tree}`], ...(rewrites ? { rewrites } : {}) } as const;
}

/** One iteration, and the tree that it starts from. */
function draftsOf({ conditions, iterations }: Story, index: number, { picks, isTurned }: Order): Draft[] {
  const { sources, ended, observation, probed, tree, rewrites } = iterations[index] as Iteration;
  const before = iterations.slice(0, index).findLast((one) => one.tree !== undefined)?.tree ?? 't0';
  const observed: Observation = {
    ...observation,
    ...probesOf(conditions, probed),
    ...(tree === undefined ? {} : trees(before, tree, linesOf(before, tree, rewrites))),
  };
  return [
    begin(index + 1),
    ...interleaved(sources, picks).map((draft) => withMatches(draft, conditions)),
    end(index + 1, { ...ended, observation: isTurned ? turned(observed) : observed }),
  ];
}

const IN_TURN: Order = { picks: [0], isTurned: false };
const anyOrder: fc.Arbitrary<Order> = fc.record({
  picks: fc.array(fc.nat({ max: 5 }), { minLength: 1, maxLength: 9 }),
  isTurned: fc.boolean(),
});

interface Step {
  readonly before: RunState;
  readonly events: readonly RunEvent[];
  readonly verdict: Verdict;
}

/** The verdicts of a story, as a run reaches and records them: after its start, and after each iteration. */
function played(story: Story, order: Order = IN_TURN): Step[] {
  const parts = [startOf(story), ...story.iterations.map((_, index) => draftsOf(story, index, order))];
  const recorded = record(parts.flat());
  let before = INITIAL_STATE;
  return parts.map((part) => {
    const events = recorded.splice(0, part.length);
    const after = reduceAll(events, before);
    const step = { before, events, verdict: evaluateRun(after) };
    before = { ...after, verdict: step.verdict, holds: { ...after.holds, ...step.verdict.holds } };
    return step;
  });
}

const typesIn = (condition: StopCondition): ConditionType[] => {
  const types: ConditionType[] = [];
  visitConditions(condition, '', ({ type }) => void types.push(type));
  return types;
};

it('each condition is met in some of the stories, and not in others', () => {
  const [met, notMet] = [new Set<ConditionType>(), new Set<ConditionType>()];
  for (const story of fc.sample(anyStory, { numRuns: 150, seed: 1 })) {
    for (const { verdict } of played(story)) {
      for (const [index, { status }] of verdict.judgements.entries()) {
        const { type } = story.conditions[index] as StopCondition;
        (status === 'met' ? met : notMet).add(type);
      }
    }
  }
  // No story has a review: src/run/review.test.ts does.
  expect(CONDITION_TYPES.filter((type) => !met.has(type))).toEqual(['never', 'review_approves', 'review_says']);
  expect(CONDITION_TYPES.filter((type) => !notMet.has(type))).toEqual([]);
});

it('the order of unrelated events changes no verdict', () => {
  fc.assert(
    fc.property(anyStory, anyOrder, (story, order) => {
      const judged = ({ verdict: { class: stopClass, reasons, judgements } }: Step) => ({
        class: stopClass,
        reasons: reasons.map(({ path }) => path),
        judgements: judgements.map(({ status, progress }, index) => [story.conditions[index]?.type, status, progress]),
      });
      expect(played(story, order).map(judged)).toEqual(played(story).map(judged));
    }),
  );
});

/** The same run of an agent that asks for nothing, claims nothing and lacks nothing. What fails, fails in other words. */
function silent(story: Story): Story {
  const iterations = story.iterations.map((one) => {
    const { request, toolFailures, ...observation } = one.observation;
    const other: Observation = {
      ...observation,
      ...(request === undefined ? {} : { request: { kind: 'none' } }),
      ...(toolFailures === undefined
        ? {}
        : { toolFailures: toolFailures.map(({ digest }) => ({ digest, text: '3 of 9 pages differ' })) }),
    };
    return { ...one, sources: { ...one.sources, said: [], claimed: [] }, observation: other };
  });
  return { ...story, iterations };
}

/** They can also be met by what an agent leaves behind. */
const ALSO_BY_WORK: readonly ConditionType[] = ['settled', 'checklist_done'];

it('what rests on the word of the agent is not met by one that says nothing of the kind', () => {
  const byWord = CONDITION_TYPES.filter((type) => CONDITION_CATALOG[type].evidence === 'agent');
  const judged = byWord.filter((type) => !ALSO_BY_WORK.includes(type));
  expect(judged).toContain('needs_person');
  fc.assert(
    fc.property(anyStory, (story) => {
      const met = played(silent(story)).flatMap(({ verdict }) =>
        verdict.judgements.flatMap(({ status }, index) => {
          const type = story.conditions[index]?.type;
          return status === 'met' && type !== undefined && judged.includes(type) ? [type] : [];
        }),
      );
      expect(met).toEqual([]);
    }),
  );
});

/** What may be missing from an iteration: facts that were not observed, and events that nobody reported. */
interface Missing {
  readonly facts?: readonly (keyof Observation)[];
  readonly events?: readonly EventType[];
  /** Conditions that may be met by what is missing, with the reason. */
  readonly meets?: Readonly<Partial<Record<ConditionType, string>>>;
}

const EXCUSED =
  'better tests, or new content, excuse what it counts; where there are none, what it counts is all there is';
const WEIGHED = 'each red or failing iteration counts; known new content only makes it weigh less';
const SETTLED = 'a known fact speaks against the word of the agent, or an idle iteration; the goal next to it verifies';
const PARTS: Readonly<Record<string, Missing>> = {
  tests: {
    facts: ['tests'],
    meets: {
      no_progress: EXCUSED,
      oscillation: EXCUSED,
      false_done: EXCUSED,
      same_tool_failure: EXCUSED,
      needs_person: EXCUSED,
    },
  },
  files: {
    facts: ['files'],
    meets: { test_failure_streak: WEIGHED, same_tool_failure: WEIGHED, settled: SETTLED },
  },
  'files elsewhere': {
    facts: ['also', 'outsideLines'],
    meets: {
      no_progress: EXCUSED,
      false_done: EXCUSED,
      needs_person: EXCUSED,
      test_failure_streak: WEIGHED,
      same_tool_failure: WEIGHED,
    },
  },
  probes: {
    facts: ['probes'],
    meets: {
      no_progress: EXCUSED,
      false_done: EXCUSED,
      same_tool_failure: EXCUSED,
      needs_person: EXCUSED,
    },
  },
  checks: { facts: ['checks'] },
  words: { facts: ['request', 'closing'], events: ['agent-said', 'claim-made'], meets: { settled: SETTLED } },
  tools: {
    facts: ['toolFailures', 'wroteFiles'],
    events: ['tool-called', 'tool-answered', 'permission-denied'],
    meets: { settled: SETTLED },
  },
  results: { facts: ['commandResults'], meets: { no_progress: EXCUSED } },
  errors: { events: ['error-seen'], meets: { settled: SETTLED } },
  usage: {
    events: ['usage-reported', 'context-reported', 'day-spend-seen', 'batch-spend-seen'],
  },
};
/** Each of them, and all together: then nothing is known but that the iteration ended. */
const MISSING: Readonly<Record<string, Missing>> = {
  ...PARTS,
  everything: {
    facts: Object.values(PARTS).flatMap(({ facts = [] }) => facts),
    events: Object.values(PARTS).flatMap(({ events = [] }) => events),
  },
};

function without(events: readonly RunEvent[], { facts = [], events: types = [] }: Missing): readonly RunEvent[] {
  return events
    .filter(({ type }) => !types.includes(type))
    .map((event) => {
      if (event.type !== 'iteration-ended') return event;
      const { ...observation } = event.observation;
      for (const name of facts) delete observation[name];
      return { ...event, observation };
    });
}

/** What is met, and what stops. */
function stopsIn({ judgements, reasons }: Verdict): ReadonlySet<string> {
  return new Set([...judgements.filter(({ status }) => status === 'met'), ...reasons].map(({ path }) => path));
}

/** Conditions that what is missing may meet, whatever it is. */
const ALWAYS: Missing['meets'] = {
  not: 'its subject is that its inside is not met, and silence can be known to be no',
  for: 'it counts how long its inside holds: a streak that an unknown iteration neither adds to nor breaks still holds',
};

/**
 * Whether each condition inside that is met was met before, or is met with all that is known: a streak that a known fact would
 * break holds as long as that is missing, and meets `all` when the rest comes to it.
 */
function holdsInside(condition: StopCondition, states: readonly RunState[], without: RunState): boolean {
  const isMet = (leaf: StopCondition, state: RunState) => {
    const policy = { success: [], failure: [], limits: [], conditions: [leaf] };
    return evaluateRun({ ...state, policy }).judgements.some(({ status }) => status === 'met');
  };
  const met = leavesOf(condition).filter((leaf) => isMet(leaf, without));
  return met.length > 0 && met.every((leaf) => states.some((state) => isMet(leaf, state)));
}

/** A budget whose spend is unknown is not known to be kept: it blocks the run. */
function mayMeet(condition: StopCondition | undefined, { meets = {} }: Missing): boolean {
  const allowed = { ...ALWAYS, ...meets };
  const isAllowed = (type: ConditionType) => allowed[type] !== undefined || CONDITION_CATALOG[type].spend === true;
  return condition !== undefined && typesIn(condition).some(isAllowed);
}

it('what is unknown of an iteration meets no condition and stops no run', () => {
  fc.assert(
    fc.property(anyStory, (story) => {
      const steps = played(story);
      const entries = policyEntries({ success: [], failure: [], limits: [], conditions: story.conditions });
      for (const [index, { before, events, verdict }] of steps.entries()) {
        const known = [verdict, steps[index - 1]?.verdict ?? verdict].map(stopsIn);
        for (const [name, missing] of Object.entries(MISSING)) {
          const state = reduceAll(without(events, missing), before);
          const found = stopsIn(evaluateRun(state));
          const added = [...found]
            .filter((path) => !known.some((paths) => paths.has(path)))
            .map((path) => entries.find((entry) => entry.path === path)?.condition)
            .filter((condition) => !mayMeet(condition, missing))
            .filter((one) => one === undefined || !holdsInside(one, [before, reduceAll(events, before)], state));
          if (added.length > 0) expect.fail(`without ${name}: ${JSON.stringify(added)}`);
        }
      }
    }),
    { numRuns: tries(60) },
  );
});
