import { loopStateOf } from '../model/phase.js';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { isRunning } from '../../test/support/is-running.js';
import { begin, type Draft, end, iteration, record, started, stateAfter } from '../../test/support/record.js';
import { type Answers, WebListener } from '../../test/support/web-listener.js';
import type { LoopConfig } from '../config/loop-config.js';
import { reduceAll } from '../model/reduce.js';
import type { NewEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type ScriptedStep, scriptedAgent } from '../testing/scripted-agent.js';
import { LoopRunner } from './run-handle.js';
import type { Notification } from './notification.js';
import { Notifier, type NotifierPace, type RunEnd } from './notifier.js';
import type { RunOptions } from './run-options.js';

const base = mkdtempSync(join(tmpdir(), 'pawl-notify-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const open: WebListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

async function listen(...answers: Answers): Promise<WebListener> {
  const listener = await WebListener.open(...answers);
  open.push(listener);
  return listener;
}

const folder = () => mkdtempSync(join(base, 'tree-'));
const heard = ({ posts }: WebListener) => posts.map(({ body }) => JSON.parse(body) as Notification);

interface Loop {
  readonly workingDir?: string;
  readonly config: LoopConfig;
  readonly steps?: readonly ScriptedStep[];
  readonly options?: RunOptions;
}

function loop({ workingDir = folder(), config, steps = [{}], options = {} }: Loop) {
  const journal = memoryJournal();
  const warnings: string[] = [];
  const runner = new LoopRunner(
    { workingDir, prompt: 'go', iterationDelay: 0, trackFileChanges: false, maxIterations: 1, ...config },
    { journal, agent: scriptedAgent(steps), onWarning: (warning) => warnings.push(warning), ...options },
  );
  const sent = () =>
    journal.events.flatMap((event) => (event.type === 'notification-sent' ? [`${event.channel} ${event.event}`] : []));
  return { runner, journal, warnings, workingDir, sent };
}

const LIMITED: ScriptedStep = {
  events: [
    {
      kind: 'limit',
      limit: 'usage-limit',
      message: 'limit reached',
      resetsAt: new Date(Date.now() + 1e7).toISOString(),
    },
  ],
};

const OVERLOAD: Draft = { type: 'limit-hit', kind: 'overload', message: 'fetch failed' };
const TOO_LONG: Draft = {
  type: 'run-ended',
  state: 'stopped',
  class: 'blocked',
  reasons: [{ path: 'max_wait', class: 'blocked', message: 'x' }],
};
const VETO: Draft = { type: 'run-ended', state: 'stopped', class: 'veto', reasons: [] };

describe('a notification', () => {
  it('of the end goes to the webhook and, on its input and in variables, to the command', async () => {
    const listener = await listen(200);
    const { runner, workingDir, warnings } = loop({
      config: {
        notify: {
          webhook: listener.address,
          command: 'cat >told.json; printf "%s|" "$PAWL_EVENT" "$PAWL_STATE" "$PAWL_CLASS" "$PAWL_TEXT" >told.txt',
        },
      },
      options: { nextCommands: (runId, state) => [`pawl resume ${runId} ${loopStateOf(state)}`] },
    });
    await runner.run();
    await runner.notified();
    const name = workingDir.slice(base.length + 1);
    const { text } = heard(listener)[0] as { readonly text: string };
    expect(text.replace(/ Ran [^.]* UTC \(\d+m?s\)\./, '')).toBe(
      `Pawl in ${name}, "go": Iteration limit reached: 1 of 1 iteration. Next: pawl resume ${runner.id} stopped`,
    );
    expect(heard(listener)).toEqual([
      {
        version: 1,
        event: 'stopped',
        text,
        at: expect.any(String),
        runId: runner.id,
        workingDir,
        agent: 'scripted',
        state: 'stopped',
        class: 'limit',
        exitCode: 3,
        reasons: ['1 of 1 iteration'],
        waitingFor: null,
        until: null,
        iterations: 1,
        costUsd: null,
        activeMs: expect.any(Number),
        startedAt: expect.any(String),
        tests: null,
        questions: [],
        next: [`pawl resume ${runner.id} stopped`],
      },
    ]);
    expect(JSON.parse(readFileSync(join(workingDir, 'told.json'), 'utf8'))).toEqual(heard(listener)[0]);
    expect(readFileSync(join(workingDir, 'told.txt'), 'utf8')).toBe(`stopped|stopped|limit|${text}|`);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['completed', { tests: 'true', parseTests: false, stop: { success: ['all_tests_pass'] } }, [{}], 'goal'],
    ['blocked', {}, [{ events: [{ kind: 'error', error: 'auth', message: 'log in' }] }], 'blocked'],
    ['error', { prompt: undefined, promptPath: 'gone.md' }, [{}], null],
  ] as const)('says %s', async (event, config, steps, stopClass) => {
    const listener = await listen(200);
    const { runner } = loop({ config: { ...config, notify: { webhook: listener.address } } as LoopConfig, steps });
    await runner.run();
    await runner.notified();
    expect(heard(listener)).toMatchObject([{ event, class: stopClass }]);
  });

  it.each<[string, RunEnd['state'], string | undefined, string]>([
    [
      'free space on the disk',
      stateAfter(started(), ...iteration(1)),
      'cannot write to the record: ENOSPC: no space left on device',
      'Next: free some space on the disk of the record, then pawl resume X --cwd /p',
    ],
    [
      'check the network',
      stateAfter(started(), begin(1), OVERLOAD, end(1, { outcome: 'limited' }), TOO_LONG),
      undefined,
      'Next: check the network and the status page of the provider, then pawl resume X --cwd /p',
    ],
    [
      'undo a change of protected files',
      { ...stateAfter(started(), ...iteration(1), VETO), guardBroken: { iteration: 1, detail: 'x' } },
      undefined,
      'Next: review: pawl diff X --cwd /p; undo: pawl restore X 0 --cwd /p (all but ignored files, as before the first iteration); continue: pawl resume X --cwd /p (after the undo: Pawl refuses while protected files are changed)',
    ],
  ])('of an end says what to do before a resume: %s', async (_, state, error, text) => {
    const listener = await listen(200);
    const notifier = new Notifier({
      runId: 'loop_X',
      spec: { workingDir: folder(), notify: { webhook: listener.address } },
      environment: {},
      redact: { text: (words) => words, json: (words) => words },
      nextCommands: () => ['pawl diff X --cwd /p', 'pawl restore X 0 --cwd /p', 'pawl resume X --cwd /p'],
      now: Date.now,
    });
    notifier.begin(stateAfter(started()), () => true);
    notifier.end({ status: 'stopped', reasons: [], exitCode: 1, error, state });
    await notifier.settled();
    expect(heard(listener)[0]?.text.replace(/^.*?(?=Next: )/, '')).toBe(text);
    expect(heard(listener)[0]?.next).toHaveLength(3);
  });

  it('of a wait is sent while it lasts, recorded, and never repeated while nothing gets through', async () => {
    const listener = await listen(200);
    const { runner, sent } = loop({ config: { notify: { webhook: listener.address } }, steps: [LIMITED, LIMITED, {}] });
    let waits = 0;
    runner.subscribe((event) => {
      if (event.type !== 'waiting-started') return;
      waits += 1;
      const goOn = () => (sent().length > 0 ? void runner.send({ type: 'resume' }) : void setTimeout(goOn, 10));
      setTimeout(goOn, 10);
    });
    await runner.run();
    await runner.notified();
    expect(waits).toBe(2);
    expect(heard(listener)).toMatchObject([
      {
        event: 'waiting',
        state: 'waiting',
        waitingFor: 'usage-limit',
        until: expect.any(String),
        reasons: ['limit reached'],
      },
      { event: 'stopped' },
    ]);
    expect(sent()).toEqual(['webhook waiting']);
  });

  it('is sent when a hook pauses the run, not when a person does', async () => {
    const told = async (config: LoopConfig, isAsked: boolean) => {
      const listener = await listen(200);
      const { runner } = loop({ config: { maxIterations: 2, notify: { webhook: listener.address }, ...config } });
      runner.subscribe(({ type }) => {
        if (type === 'iteration-started' && isAsked) void runner.send({ type: 'pause' }).catch(() => undefined);
        if (type === 'paused') setImmediate(() => void runner.send({ type: 'stop' }));
      });
      await runner.run();
      await runner.notified();
      return heard(listener).map(({ event }) => event);
    };
    const hooks = { afterIteration: { command: 'false', onFailure: 'pause' } } as const;
    expect(await told({ hooks }, false)).toEqual(['paused', 'stopped']);
    expect(await told({}, true)).toEqual(['stopped']);
  });

  it('that fails is in the record, or a warning when that is closed; the run does not mind', async () => {
    const { runner, journal, warnings } = loop({
      config: { attendedMode: true, notify: { command: 'echo no bus >&2; exit 3' } },
    });
    runner.subscribe(({ type }) => {
      if (type === 'notification-sent') void runner.send({ type: 'approve' });
    });
    const { status } = await runner.run();
    await runner.notified();
    expect(status).toBe('stopped');
    expect(journal.events.filter(({ type }) => type === 'notification-sent')).toMatchObject([
      { channel: 'command', event: 'waiting', error: 'it exits with 3: no bus' },
    ]);
    expect(warnings).toEqual([expect.stringMatching(/^notify\.command .*3: no bus$/)]);
  });

  it('that hangs does not hold the run, and is ended with everything that it started', async () => {
    const listener = await listen('hang');
    const { runner, workingDir, warnings } = loop({
      config: { notify: { webhook: listener.address, command: 'sleep 600 & echo $! >pid; setsid sleep 600 & wait' } },
    });
    expect((await runner.run()).status).toBe('stopped');
    const file = join(workingDir, 'pid');
    await expect.poll(() => existsSync(file) && readFileSync(file, 'utf8') !== '', { timeout: 60_000 }).toBe(true);
    const stop = new AbortController();
    stop.abort();
    await runner.notified(stop.signal);
    expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false);
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^notify\.command .*ended with the run/),
      expect.stringMatching(/^notify\.webhook .*ended with the run/),
    ]);
  });

  it('holds no secret and calls nobody, whatever the agent says', async () => {
    const listener = await listen(200);
    const secret = 'sk-01234@56789<abcdef';
    const said = `<!channel> @all \u001b[31m\u202e${secret}\n<b>`;
    const { runner } = loop({
      config: { notify: { webhook: listener.address } },
      steps: [{ events: [{ kind: 'error', error: 'auth', message: said }] }],
      options: { environment: { ...process.env, MY_API_KEY: secret } },
    });
    await runner.run();
    await runner.notified();
    const [notification] = heard(listener);
    expect(listener.posts[0]?.body).not.toContain(secret);
    expect(notification?.reasons[0]).toContain('[MY_API_KEY]');
    expect(notification?.text).toMatch(/‹!channel› ＠all \[31m ?\[MY_API_KEY\] ‹b›/);
  });
});

describe('a notifier', () => {
  const notifierFor = (webhook: string, pace: Partial<NotifierPace>) => {
    const workingDir = folder();
    const same = (text: string) => text;
    const notify = { webhook };
    const redact = { text: same, json: same };
    return new Notifier({
      runId: 'loop_01TEST',
      spec: { workingDir, notify },
      environment: {},
      redact,
      now: Date.now,
      pace,
    });
  };
  /** Time passes only when the test says so. */
  const holdTime = () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
  };
  const ask = (iterations: number): Draft[] => [
    started(),
    ...Array.from({ length: iterations }, (_, index): Draft[] => [
      { type: 'iteration-started', iteration: index + 1, try: 1 },
      {
        type: 'iteration-ended',
        iteration: index + 1,
        outcome: 'completed',
        agentStarted: true,
        durationMs: 1,
        observation: {},
      },
    ]).flat(),
    { type: 'waiting-started', for: 'approval' },
  ];
  const hearLast = (notifier: Notifier, drafts: readonly Draft[]) => {
    const events = record(drafts);
    const last = events.at(-1);
    if (last !== undefined) notifier.hear(last, reduceAll(events));
  };

  it('tells a run that asks again and again at a measured pace, and the last question late', async () => {
    const listener = await listen(200);
    holdTime();
    const notifier = notifierFor(listener.address, {});
    const recorded: NewEvent[] = [];
    notifier.begin(stateAfter(started()), (event) => recorded.push(event) > 0);
    for (let iterations = 0; iterations < 4; iterations += 1) hearLast(notifier, ask(iterations));
    await notifier.settled();
    expect(heard(listener).map(({ iterations }) => iterations)).toEqual([0]);
    vi.advanceTimersByTime(60_000);
    await notifier.settled();
    expect(heard(listener).map(({ iterations }) => iterations)).toEqual([0, 3]);
    expect(recorded).toHaveLength(2);
  });

  it('does not tell what was answered before its turn came', async () => {
    const listener = await listen(200);
    holdTime();
    const notifier = notifierFor(listener.address, {});
    notifier.begin(stateAfter(started()), () => true);
    hearLast(notifier, ask(0));
    hearLast(notifier, ask(1));
    hearLast(notifier, [...ask(1), { type: 'waiting-ended', reason: 'approved' }]);
    await notifier.settled();
    vi.advanceTimersByTime(60_000);
    await notifier.settled();
    expect(heard(listener)).toHaveLength(1);
  });

  it('does not tell again, after a restart, of the wait that goes on', async () => {
    const listener = await listen(200);
    const notifier = notifierFor(listener.address, {});
    notifier.begin(stateAfter(...ask(2)), () => true);
    hearLast(notifier, ask(2));
    await notifier.settled();
    expect(heard(listener)).toEqual([]);
    hearLast(notifier, ask(3));
    await notifier.settled();
    expect(heard(listener)).toMatchObject([{ event: 'waiting', iterations: 3 }]);
  });

  it('waits for the last ones only so long', async () => {
    const listener = await listen('hang');
    const notifier = notifierFor(listener.address, { timeoutMs: 200, retryDelaysMs: [] });
    const state = stateAfter(started());
    notifier.begin(state, () => false);
    notifier.end({ status: 'error', reasons: [], error: 'the disk is full', exitCode: 1, state });
    await notifier.settled();
    expect(heard(listener)).toMatchObject([{ event: 'error', reasons: ['the disk is full'], exitCode: 1 }]);
  });
});
