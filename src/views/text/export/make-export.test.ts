import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  baseline,
  begin,
  type Draft,
  end,
  iteration,
  record,
  started,
  stateAfter,
  tests,
} from '../../../../test/support/record.js';
import { recordedRun } from '../../../../test/support/recorded-run.js';
import { exportOf } from '../../../../test/support/run-export.js';
import type { StopCondition } from '../../../model/condition.js';
import { conditionKey } from '../../../model/condition-key.js';
import { maxIterations } from '../../../stop/conditions.js';
import { evaluateRun } from '../../../stop/evaluate-policy.js';
import { csvExport } from './csv-export.js';
import { createExportCleaner } from './export-cleaner.js';
import { Newest } from './export-fold.js';

describe('the export of a run', () => {
  const exported = exportOf(recordedRun());

  it('has the shape that is promised', () => {
    const { run, outcome, figures, omitted } = exported;
    expect(Object.keys(exported)).toEqual([
      'version',
      'exportedAt',
      'pawl',
      'run',
      'outcome',
      'figures',
      'conditions',
      'iterations',
      'verdicts',
      'marks',
      'omitted',
    ]);
    expect(run).toMatchObject({ id: 'loop_01K8T6Q2N5DEM0RVNR0MANNVMS', kind: 'loop', agent: 'claude' });
    expect(outcome).toMatchObject({ status: 'completed', class: 'goal', exitCode: 0, isLive: false, isDamaged: false });
    expect(figures).toMatchObject({
      iterations: 6,
      isEstimated: true,
      tests: { before: { passed: 3, failed: 5, source: 'harness' }, after: { passed: 8, failed: 0 } },
    });
    expect(figures.costUsd).toBeCloseTo(0.614);
    expect(omitted).toEqual({ verdicts: 0, marks: 0, output: 0 });
  });

  it('has a row for each iteration, with what is not known absent', () => {
    expect(exported.iterations.map(({ outcome }) => outcome)).toEqual([
      'completed',
      'completed',
      'timed-out',
      'completed',
      'completed',
      'completed',
    ]);
    expect(exported.iterations[0]).toMatchObject({ iteration: 1, costUsd: 0.083, testsPassed: 4, changedFiles: 1 });
    expect(exported.iterations[0]?.contextPercent).toBeUndefined();
  });

  it('has every verdict, and how far each condition was at the end', () => {
    expect(exported.verdicts.map(({ iteration: number, stop }) => [number, stop])).toEqual([
      [0, false],
      [1, false],
      [2, false],
      [3, false],
      [4, false],
      [5, false],
      [6, true],
    ]);
    expect(exported.conditions).toContainEqual(expect.objectContaining({ path: 'stop.limits[0]', progress: 0.75 }));
  });

  it('says nothing of what was said, unless that is asked for', () => {
    expect(exported.output).toBeUndefined();
    const said = exportOf(recordedRun(), { hasOutput: true }).output ?? [];
    expect(said.map(({ type }) => type)).toContain('agent-said');
  });
});

it('more iterations than the state remembers are all exported', () => {
  const many = Array.from({ length: 130 }, (_, index) => iteration(index + 1)).flat();
  expect(
    exportOf(record([started(), ...many]))
      .iterations.map((row) => row.iteration)
      .at(0),
  ).toBe(1);
  expect(exportOf(record([started(), ...many])).iterations).toHaveLength(130);
});

it('an iteration whose agent was never started is not the one before a second time', () => {
  const unstarted = end(2, { agentStarted: false, outcome: 'interrupted', interruption: 'operator' });
  const { iterations } = exportOf(record([started(), ...iteration(1), begin(2), unstarted]));
  expect(iterations.map((row) => row.iteration)).toEqual([1]);
});

it('of too many only the newest are kept, and the rest is counted', () => {
  const newest = new Newest<number>(3);
  for (let number = 1; number <= 1000; number += 1) newest.add(number);
  expect(newest.all).toEqual([998, 999, 1000]);
  expect(newest.omitted).toBe(997);
});

describe('what must not leave the machine', () => {
  const environment = { HOME: '/home/ada', DEPLOY_TOKEN: 'sesame-open-42' };
  const spec = {
    workingDir: '/home/ada/project',
    agent: {
      name: 'command',
      args: [],
      env: { PLAIN: 'db.internal', API_KEY: 'short' },
      permissions: 'edit',
      allow: [],
    },
    notify: { webhook: 'https://hooks.example/T0/secret' },
  };
  const events = record([
    started({ limits: [maxIterations(3)] }, { spec: spec as never, seal: 'f00dcafe' }),
    baseline({ tests: tests(1, 0) }),
    { ...begin(1), cookie: 'pawl-cookie-1' } as never,
    { type: 'agent-spawned', pid: 4242, startTime: '999888' },
    { type: 'agent-said', text: 'I read\n/home/ada/.netrc and found sesame-open-42, not /mnt/home/ada or /home/adam' },
    { type: 'command-received', command: { type: 'pause' }, by: 'the dashboard (pawl ui, pid 777)' },
    { type: 'limit-extended', limit: maxIterations(5), by: 'pawl extend (pid 778)' },
    end(1, { error: 'cannot open /home/ada', observation: { summary: 'used sesame-open-42' } }),
  ]);
  const text = JSON.stringify(exportOf(events, { environment, hasOutput: true, read: { workingDir: '/home/ada/x' } }));

  it.each([
    ['the value of a secret', 'sesame'],
    ['the home folder', '"/home/ada'],
    ['the home folder in the middle of a text', 'n/home/ada/.netrc'],
    ['a process', '4242'],
    ['the process of whoever gave a command', '777'],
    ['the start of a process', '999888'],
    ['the mark of its processes', 'pawl-cookie-1'],
    ["the user's seal", 'f00dcafe'],
    ["a variable of the agent's environment", 'db.internal'],
    ['a short one', 'short'],
    ['where its user is told', 'hooks.example'],
  ])('%s', (_, secret) => {
    expect(text).not.toContain(secret);
  });

  it('and everything else stays', () => {
    expect(text).toContain('I read\\n~/.netrc and found [DEPLOY_TOKEN], not /mnt/home/ada or /home/adam');
    expect(text).toContain('cannot open ~');
    expect(text).toContain('the dashboard (pawl ui');
  });
});

describe('without text', () => {
  const words = 'the quick brown fox';
  const said: StopCondition = { type: 'output_pattern', pattern: 'quick', is_regex: true };
  const policy = {
    success: [{ type: 'all', conditions: [{ type: 'agent_reports_done' }, said] }],
    failure: [{ type: 'on_error' }, { type: 'repeated_error', count: 1 }],
    limits: [maxIterations(3)],
  } as const;
  const begun: readonly Draft[] = [
    started(policy),
    begin(1),
    { type: 'claim-made', claim: 'done', evidence: words, by: 'the agent (pawl mcp, pid 4242)' },
    { type: 'permission-denied', tool: words, detail: words },
    { type: 'waiting-started', for: 'answer', reason: words },
    { type: 'waiting-ended' },
    { type: 'agent-said', text: words, matches: { [conditionKey(said)]: words } },
    { type: 'tool-called', name: words, input: words },
    { type: 'error-seen', kind: 'auth', message: words, fingerprint: words },
    { type: 'command-received', command: { type: 'stop' }, by: 'pawl stop (pid 4242)' },
    end(1, {
      outcome: 'failed',
      error: words,
      observation: {
        summary: words,
        request: { kind: 'request', sentence: words },
        outputTail: words,
        tests: tests(1, 1, { output: words, details: [{ name: words, status: 'failed' }] }),
      },
    }),
  ];
  const verdict = evaluateRun(stateAfter(...begun));
  const { reasons } = verdict;
  const events = record([
    ...begun,
    { type: 'verdict-reached', iteration: 1, verdict },
    { type: 'run-ended', state: 'stopped', class: 'operator', reasons },
  ]);

  it('no word of the agent is in it, and the figures are', () => {
    expect(reasons.filter(({ message }) => message.includes('fox')).length).toBeGreaterThanOrEqual(4);
    const exported = exportOf(events, { isWithoutText: true, hasOutput: true });
    expect(JSON.stringify(exported)).not.toContain('fox');
    expect(exported.iterations[0]).toMatchObject({ outcome: 'failed', testsFailed: 1, claims: ['done'] });
    expect(exported.conditions.map(({ sentence }) => sentence)).toEqual([
      expect.stringMatching(/agent reports.*done.*\/quick\//),
      'on any error',
      expect.stringMatching(/same error.*1 time/),
      '1 of 3 iterations',
    ]);
    expect(exported.outcome.reasons).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/logged in$/) }),
    );
  });

  it('nor is one in the events', () => {
    const cleaner = createExportCleaner({ environment: {}, isWithoutText: true });
    const lines = events.map((event) => JSON.stringify(cleaner.event(event, policy)));
    expect(lines.filter((line) => line.includes('fox'))).toEqual([]);
    expect(lines.at(-1)).toContain('on any error');
  });

  it('with or without text no process is named', () => {
    for (const isWithoutText of [true, false]) {
      const cleaner = createExportCleaner({ environment: {}, isWithoutText });
      const all = [events.map((event) => cleaner.event(event, policy)), exportOf(events, { isWithoutText })];
      expect(JSON.stringify(all)).not.toContain('4242');
      expect(JSON.stringify(all)).toContain('stop requested (pawl stop)"');
    }
  });
});

it('of a record without an event neither cost nor tokens are known', () => {
  const { figures } = exportOf([]);
  expect([figures.costUsd, figures.tokens]).toEqual([undefined, {}]);
});

it('a pipeline is exported by its items', () => {
  const attempt = (index: number, outcome: 'approved' | 'rejected', message?: string) =>
    [
      { type: 'item-started', item: `frame-${index}`, index },
      { type: 'attempt-started', item: `frame-${index}`, index, attempt: 1 },
      { type: 'attempt-ended', item: `frame-${index}`, index, attempt: 1, outcome, message, durationMs: 50 },
      { type: 'item-ended', item: `frame-${index}`, index, status: outcome, attempts: 1 },
    ] as const;
  const events = record([
    started({}, { kind: 'pipeline', items: 3 }),
    ...attempt(0, 'approved'),
    ...attempt(1, 'rejected', 'too dark'),
    { type: 'item-started', item: 'frame-2', index: 2 },
    { type: 'attempt-started', item: 'frame-2', index: 2, attempt: 1 },
  ]);
  const { items, figures } = exportOf(events);
  expect(items?.map(({ item, status, message }) => [item, status, message])).toEqual([
    ['frame-0', 'approved', undefined],
    ['frame-1', 'rejected', 'too dark'],
    ['frame-2', 'in_progress', undefined],
  ]);
  expect(figures.items).toEqual({ total: 3, approved: 1, rejected: 1, failed: 0, left: 1, attempts: 2 });
});

it('the guide names every field there is', () => {
  const guide = readFileSync(new URL('../../../../docs/guide/export.md', import.meta.url), 'utf8');
  const named = new Set([...guide.matchAll(/`([\w.]+)`/g)].map(([, name]) => name));
  const { run, outcome, figures, iterations, verdicts, conditions, omitted, ...rest } = exportOf(recordedRun(), {
    hasOutput: true,
  });
  const parts = [rest, run, outcome, figures, figures.tokens, omitted, iterations[0], verdicts[0], conditions[0]];
  const fields = [...parts, figures.tests.before].flatMap((part) => Object.keys(part ?? {}));
  expect(fields.filter((field) => !named.has(field))).toEqual([]);
  const columns = csvExport(exportOf(recordedRun())).split('\r\n')[0]?.split(',') ?? [];
  expect(columns.filter((column) => !named.has(column))).toEqual([]);
});
