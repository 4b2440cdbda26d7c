import { describe, expect, it, afterAll, beforeEach } from 'vitest';
import {
  begin,
  type Draft,
  end,
  started,
  stateAfter,
  baseline,
  iteration,
  tests,
  trees,
} from '../../test/support/record.js';
import { handoverOf, nextSession, promptValues } from './next-session.js';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  mkdirSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionConfig } from '../config/loop-config.js';
import { deleteRun } from '../journal/delete-run.js';
import { locateRun } from '../journal/list-runs.js';
import { maxIterations } from '../stop/conditions.js';
import { scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';
import type { Policy } from '../model/policy.js';
import { evaluateRun } from '../stop/evaluate-policy.js';

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

const base = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-session-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let workingDir: string;
beforeEach(() => {
  workingDir = mkdtempSync(join(base, 'tree-'));
});

const opens = (id: string) => ({ events: [{ kind: 'session', id }] as const });

function loop(session: SessionConfig, steps = [opens('s1')], limit = 1) {
  const agent = scriptedAgent(steps, { canResume: true });
  const warnings: string[] = [];
  const options = {
    agent,
    control: false,
    environment: { ...process.env, XDG_STATE_HOME: join(base, 'state') },
    onWarning: (message: string) => warnings.push(message),
  };
  const config = { workingDir, prompt: 'go', iterationDelay: 0, session, maxIterations: limit } as const;
  const resume = async (count: number) => {
    const run = await resumeRun({ workingDir, ...options });
    return run.run({ raise: [maxIterations(count)] });
  };
  return { runner: new LoopRunner(config, options), agent, warnings, resume };
}

const sessionFile = (runId: string, folder = '.ralph/sessions') => join(workingDir, folder, `${runId}.json`);

describe('the session of a run', () => {
  it('[c60] is continued by a restart, and its name is in the folder of the sessions', async () => {
    const { runner, agent, resume } = loop({});
    await runner.run();
    const kept = JSON.parse(readFileSync(sessionFile(runner.id), 'utf8')) as unknown;
    expect(kept).toMatchObject({ runId: runner.id, agent: 'scripted', session: 's1', workingDir });
    await resume(2);
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1']);
  });

  it('[c60] that is not to persist is continued within a process only, and leaves no file', async () => {
    const { runner, agent, resume } = loop({ persist: false }, [opens('s1')], 2);
    await runner.run();
    await resume(3);
    expect(agent.tasks.map(({ session }) => session)).toEqual([undefined, 's1', undefined]);
    expect(existsSync(join(workingDir, '.ralph', 'sessions'))).toBe(false);
  });

  it('[c60] is kept in the folder that state_dir names, which is no work of the agent', async () => {
    const { runner } = loop({ stateDir: 'kept/sessions' }, [opens('s1'), opens('s2'), {} as never], 3);
    await runner.run();
    expect(JSON.parse(readFileSync(sessionFile(runner.id, 'kept/sessions'), 'utf8'))).toMatchObject({ session: 's2' });
    expect(existsSync(join(workingDir, '.ralph', 'sessions'))).toBe(false);
    expect(runner.runState.recent.map(({ madeProgress }) => madeProgress)).not.toContain(true);
  });

  it('that is given up is not in the folder any more', async () => {
    const { runner } = loop({}, [opens('s1'), { events: [], end: { exitCode: 1 } } as never], 2);
    await runner.run();
    expect(readdirSync(join(workingDir, '.ralph', 'sessions'))).toEqual([]);
  });

  it('that an earlier process kept and this one gives up is not in the folder any more', async () => {
    const { runner, resume } = loop({}, [opens('s1'), { events: [], end: { exitCode: 1 } } as never]);
    await runner.run();
    await resume(2);
    expect(readdirSync(join(workingDir, '.ralph', 'sessions'))).toEqual([]);
  });

  it('is forgotten with the record of its run', async () => {
    const { runner } = loop({ stateDir: 'kept' });
    await runner.run();
    const environment = { XDG_STATE_HOME: join(base, 'state') };
    deleteRun(locateRun(workingDir, runner.id, environment), workingDir, environment);
    expect(readdirSync(join(workingDir, 'kept'))).toEqual([]);
  });

  it('that cannot be kept is a warning, and the run goes on', async () => {
    mkdirSync(join(workingDir, 'elsewhere'));
    symlinkSync('elsewhere', join(workingDir, 'link'));
    const { runner, warnings } = loop({ stateDir: 'link' }, [opens('s1')], 2);
    expect(await runner.run()).toMatchObject({ status: 'stopped', state: { iterations: 2 } });
    expect(warnings).toEqual([expect.stringContaining('session.state_dir')]);
    expect(readdirSync(join(workingDir, 'elsewhere'))).toEqual([]);
  });
});

/** What the next prompt says, after the verdict on these events. */
function valuesAfter(policy: Partial<Policy>, drafts: readonly Draft[], next: number) {
  const state = stateAfter(started(policy), ...drafts);
  return promptValues({ ...state, verdict: evaluateRun(state) }, next);
}

const leftAfter = (policy: Partial<Policy>, drafts: readonly Draft[], next: number) =>
  valuesAfter(policy, drafts, next).left;

const FILE = { type: 'file_created', path: 'DONE.md' } as const;
const MISSING = {
  [JSON.stringify({ path: 'DONE.md', type: 'file_created' })]: { met: false, detail: 'DONE.md does not exist' },
};

describe('what is left', () => {
  it('is the iteration, and how far each limit is used up', () => {
    const limits = [
      { type: 'max_iterations', count: 25 },
      { type: 'max_cost', usd: 10 },
      { type: 'max_duration', duration: '4h' },
      { type: 'max_tokens', count: 1_000_000 },
    ] as const;
    const late = { ...end(3), activeMs: 2_400_000 };
    expect(leftAfter({ limits }, [...iteration(1), ...iteration(2), begin(3), late], 4)).toMatch(
      /^Iteration 4 of 25\. Used so far: ~\$0\.\d+ of \$10\.00.*, 40m of 4h active, ~\d+ of 1,000,000 tokens.*\.$/,
    );
  });

  it('is the time to a deadline', () => {
    const limits = [{ type: 'deadline', at: '2026-03-01T03:00:00.000Z' }] as const;
    expect(leftAfter({ limits }, iteration(1), 2)).toMatch(/^Iteration 2\. Time left: 2h 59m until 2026-03-01T03:00/);
  });

  it('leaves out what is not known, and has no number where there is no limit', () => {
    const silent = [begin(1), end(1), begin(2), end(2)];
    expect(leftAfter({ limits: [{ type: 'max_cost', usd: 10 }] }, silent, 3)).toBe('Iteration 3.');
  });

  it('takes the smallest of several limits of iterations', () => {
    const limits = [
      { type: 'max_iterations', count: 25 },
      { type: 'max_iterations', count: 7 },
    ] as const;
    expect(leftAfter({ limits }, [], 1)).toBe('Iteration 1 of 7.');
  });

  it('names the goals that are open before the first iteration, where the feedback does not', () => {
    const seen = baseline({ probes: MISSING });
    expect(leftAfter({ success: [FILE] }, [seen], 1)).toBe('Iteration 1. Not done yet: DONE.md does not exist.');
    const unseen = leftAfter({ success: [FILE] }, [baseline()], 1);
    expect(unseen).toBe('Iteration 1.');
  });

  it('says nothing that the feedback says: neither the tests nor the goals', () => {
    const success = [{ type: 'all_tests_pass' }, FILE] as const;
    const red = baseline({ tests: tests(3, 2) });
    const first = valuesAfter({ success: [{ type: 'all_tests_pass' }] }, [red], 1);
    expect(first.feedback).toContain('Tests: 2 of 5 fail.');
    expect(first.left).toBe('Iteration 1.');
    const later = valuesAfter(
      { success },
      [begin(1), end(1, { observation: { tests: tests(3, 2), probes: MISSING } })],
      2,
    );
    expect(later.feedback).toContain('Not done yet:\n- 2 of 5 tests fail\n- DONE.md does not exist');
    expect(later.left).toBe('Iteration 2.');
  });

  it('names a claim of being done without any change, and no other claim', () => {
    const success = [{ type: 'all', conditions: [{ type: 'all_tests_pass' }, { type: 'settled' }] }] as const;
    const green = tests(3, 0);
    const done: Draft = { type: 'claim-made', claim: 'done', evidence: 'it works', by: 'the agent' };
    const after = (files: ReturnType<typeof trees>, ...said: readonly Draft[]) =>
      valuesAfter(
        { success },
        [
          baseline({ tree: 'a', tests: green }),
          begin(1),
          ...said,
          end(1, { observation: { ...files, tests: green, closing: 'plain' } }),
        ],
        2,
      ).feedback;
    expect(after(trees('a', 'a'), done)).toContain(
      'Not done yet:\n- you said that the task is done, but you have changed nothing that counts since the start',
    );
    expect(after(trees('a', 'a'))).not.toContain('Not done yet');
    expect(after(trees('a', 'b'), done)).not.toContain('Not done yet');
  });

  it('names an open goal that is cut from a long feedback, but does not press an agent to say that it is done', () => {
    const checks = { lint: { passed: false, output: 'x'.repeat(50_000) } };
    const long = [begin(1), end(1, { observation: { checks, probes: MISSING } })];
    expect(leftAfter({ success: [FILE] }, long, 2)).toBe('Iteration 2. Not done yet: DONE.md does not exist.');
    expect(leftAfter({ success: [{ type: 'agent_reports_done' }] }, long, 2)).toBe('Iteration 2.');
  });
});
