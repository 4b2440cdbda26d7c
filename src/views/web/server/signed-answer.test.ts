import { createHmac } from 'node:crypto';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebListener } from '../../../../test/support/web-listener.js';
import { answerKey, signAnswer, makeUserKey } from '../../../journal/run-seal.js';
import { openQuestions } from '../../../model/questions.js';
import { waitingOf } from '../../../model/phase.js';
import { findSockets } from '../../../run/control-place.js';
import { sendQuestion } from '../../../run/control-client.js';
import { LoopRunner } from '../../../run/run-handle.js';
import { resumeRun } from '../../../run/resume-run.js';
import type { Notification, SignedWay } from '../../../run/notification.js';
import { type ScriptedStep, scriptedAgent } from '../../../testing/scripted-agent.js';
import { createContext } from '../../cli/command-context.js';
import { Keys, newSecret } from './keys.js';
import { type Dashboard, openDashboard } from './open-dashboard.js';

const WAIT = { timeout: 60_000, interval: 5 };
let home = '';
let environment: Record<string, string | undefined> = {};
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-signed-')));
  for (const name of ['XDG_STATE_HOME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME']) vi.stubEnv(name, join(home, 'x'));
  environment = { PATH: process.env['PATH'], XDG_STATE_HOME: join(home, 'x'), XDG_RUNTIME_DIR: join(home, 'x') };
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly expires?: number;
  readonly body?: string;
  readonly signed?: string;
  readonly signature?: string;
  readonly headers?: Record<string, string>;
}

/** A run that waits for answers, whoever is notified of it, and a dashboard. */
async function scene(questions: readonly string[], maxWait: string | 0 = '1h') {
  const folder = realpathSync(mkdtempSync(join(home, 'project-')));
  const listener = await WebListener.open(200);
  const prompts: string[] = [];
  const step: ScriptedStep = {
    async work({ cookie, claimKey: key, prompt }) {
      prompts.push(prompt);
      if (prompts.length > 1) return;
      const [socket = ''] = findSockets(runner.id, environment);
      for (const text of questions) {
        const report = { question: { text, choices: ['red', 'blue'] }, cookie, key };
        await sendQuestion({ socket, runId: runner.id, report, by: 'the agent' });
      }
    },
  };
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      iterationDelay: 0,
      trackFileChanges: false,
      maxIterations: 2,
      questions: { callWait: 0, maxWait },
      notify: { webhook: listener.address, answers: true },
    },
    { agent: scriptedAgent([step]), environment },
  );
  const running = runner.run();
  const dashboard = await openDashboard({
    folder,
    context: createContext(process),
    host: '127.0.0.1',
    port: 0,
    keys: new Keys(newSecret()),
  });
  onTestFinished(async () => {
    await runner.shutdown();
    await Promise.all([listener.close(), dashboard.close()]);
  });
  await vi.waitUntil(() => listener.posts.length > 0, WAIT);
  const notification: Notification = JSON.parse(listener.posts[0]?.body ?? '');
  const [way] = notification.questions.map(({ answer }) => answer as SignedWay);
  if (way === undefined) throw new Error('nothing was sent to answer with');
  const restarted = async () => {
    const another = await openDashboard({
      folder,
      context: createContext(process),
      host: '127.0.0.1',
      port: 0,
      keys: new Keys(newSecret()),
    });
    onTestFinished(() => another.close());
    return (sent: Sent) => send(another, way, sent);
  };
  return { runner, running, prompts, notification, way, restarted, send: (sent: Sent) => send(dashboard, way, sent) };
}

/** As a program of the user does it that knows the notification and nothing else. */
async function send({ port }: Dashboard, way: SignedWay, sent: Sent) {
  const { path = way.path, key = way.key, expires = way.expires, body = '{"answer":"blue"}' } = sent;
  const [, , , runId = '', question = ''] = path.split('/');
  const text = `${runId}\n${question}\n${expires}\n${sent.signed ?? body}`;
  const signature = sent.signature ?? createHmac('sha256', key).update(text).digest('hex');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'pawl-expires': String(expires),
      'pawl-signature': signature,
      ...sent.headers,
    },
  });
  return { status: response.status, answer: await response.json() };
}

describe('a signed answer', () => {
  it('is taken once: sent again it changes nothing, and the next prompt has the first', async () => {
    const { runner, running, prompts, restarted, send: post, notification } = await scene(['Which one?']);
    expect(notification).toMatchObject({ event: 'waiting', waitingFor: 'person' });
    expect(notification.questions).toMatchObject([{ id: 'q1', text: 'Which one?', choices: ['red', 'blue'] }]);
    expect(notification.text).toContain('"Which one?" (1 "red", 2 "blue")');
    const body = '{"answer":"2"}';
    expect(await post({ body })).toMatchObject({ status: 200, answer: { effect: expect.stringContaining('"blue"') } });
    expect((await post({ body })).status).toBe(409);
    await running;
    expect(await post({ body })).toMatchObject({ status: 409 });
    expect(await (await restarted())({ body })).toMatchObject({ status: 409 });
    expect(prompts[1]).toContain('The answer: blue');
    const given = runner.runState;
    expect(openQuestions(given)).toEqual([]);
  });

  it.each([
    ['without the key', { key: 'a'.repeat(64) }],
    ['with another text than the one that was signed', { signed: '{"answer":"red"}' }],
    ['with a later time than the key has', { expires: 9_999_999_999 }],
    ['for another run', { path: '/api/answers/loop_01ARZ3NDEKTSV4RRFFQ69G5FAV/q1' }],
    ['for an address that is none', { path: '/api/answers/x/y' }],
    ['with half a signature', { signature: 'ab' }],
  ] satisfies [string, Sent][])('%s is refused in the same words, and nothing is recorded', async (_, sent) => {
    const { runner, send: post } = await scene(['Which one?']);
    const before = openQuestions(runner.runState);
    expect(before).toHaveLength(1);
    const refused = 'the answer is not signed with the key of this question';
    expect(await post(sent)).toEqual({ status: 401, answer: { error: refused } });
    expect(openQuestions(runner.runState)).toEqual(before);
    expect(waitingOf(runner.runState)?.for).toBe('person');
  });

  it('by the key of one question does not answer another', async () => {
    const { runner, send: post, notification } = await scene(['First?', 'Second?']);
    const [first, second] = notification.questions.map(({ answer }) => answer as SignedWay);
    expect(first?.key).not.toBe(second?.key);
    expect((await post({ path: second?.path ?? '' })).status).toBe(401);
    expect((await post({ path: second?.path ?? '', key: second?.key ?? '' })).status).toBe(200);
    expect(openQuestions(runner.runState).map(({ id }) => id)).toEqual(['q1']);
  });

  it('that has expired is refused, although it is signed', async () => {
    const { runner, send: post } = await scene(['Which one?']);
    const ticket = { runId: runner.id, question: 'q1', expires: Math.floor(Date.now() / 1000) - 1 };
    const key = answerKey(ticket, makeUserKey(environment));
    const body = '{"answer":"red"}';
    const signature = signAnswer(ticket, body, key);
    expect(await post({ expires: ticket.expires, signature, body })).toMatchObject({ status: 410 });
    expect(openQuestions(runner.runState)).toHaveLength(1);
  });

  it('that makes no sense is refused in words', async () => {
    const { send: post } = await scene(['Which one?']);
    const statuses = async (...bodies: string[]) => {
      const answers = [];
      for (const body of bodies) answers.push((await post({ body })).status);
      return answers;
    };
    const long = JSON.stringify({ answer: 'x'.repeat(9000) });
    expect(await statuses('x', '[]', '{"answer":" "}', '{"answer":7}', '{"answer":"a","by":"me"}', long)).toEqual([
      400, 400, 400, 400, 400, 400,
    ]);
    expect((await post({ headers: { origin: 'http://evil.example' } })).status).toBe(403);
    expect((await post({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  });

  it('is not guessed: after ten wrong ones everybody waits', async () => {
    const { send: post } = await scene(['Which one?']);
    const statuses: number[] = [];
    for (let time = 1; time <= 11; time += 1) statuses.push((await post({ key: String(time) })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
    expect((await post({})).status).toBe(429);
  });

  it('to a run that has ended without one is recorded for its resume', async () => {
    const { runner, running, prompts, send: post, notification } = await scene(['Which one?'], 0);
    expect(await running).toMatchObject({ exitCode: 5 });
    expect(notification).toMatchObject({ event: 'blocked', class: 'blocked', exitCode: 5 });
    expect(await post({})).toMatchObject({ status: 200, answer: { effect: expect.stringContaining('pawl resume') } });
    expect(await post({ body: '{"answer":"red"}' })).toMatchObject({ status: 409 });
    const agent = scriptedAgent([{ work: ({ prompt }) => void prompts.push(prompt) }]);
    const { workingDir = '' } = runner.runState.spec ?? {};
    const again = await resumeRun({ workingDir, run: runner.id, agent, environment });
    await again.run();
    expect(prompts.at(-1)).toContain('The answer: blue');
  });

  it('is offered to nobody unless the config says so', async () => {
    const listener = await WebListener.open(200);
    onTestFinished(() => listener.close());
    const folder = mkdtempSync(join(home, 'project-'));
    const runner = new LoopRunner(
      {
        workingDir: folder,
        prompt: 'go',
        maxIterations: 1,
        trackFileChanges: false,
        notify: { webhook: listener.address },
      },
      { agent: scriptedAgent([{}]), environment },
    );
    await runner.run();
    await runner.notified();
    expect(JSON.parse(listener.posts[0]?.body ?? '')).toMatchObject({ questions: [] });
  });
});
