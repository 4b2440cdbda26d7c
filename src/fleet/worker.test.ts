/** Workers on a fleet in memory: the same code as on Postgres, on any Node. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { memoryFleet, type MemoryFleet } from 'pawl/testing';
import { newRunId } from '../journal/run-places.js';
import { Worker } from './worker.js';

const SOON = { timeout: 60_000, interval: 20 };
const STEP = 'cat >/dev/null; n=$(cat steps.txt 2>/dev/null | wc -l); echo "step $((n + 1))" >>steps.txt';

let remote: GitRemote;
let fleet: MemoryFleet;
let ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  remote = new GitRemote();
  fleet = memoryFleet();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  remote.remove();
});

function submit(steps: number, line = STEP): string {
  const id = newRunId();
  const config = `iteration_delay: 0s
stop:
  success: [{ file_contains: { path: steps.txt, content: step ${steps} } }]
  limits: [{ max_iterations: ${steps * 4} }]
`;
  const spec = { config, flags: { prompt: 'add a step', command: ['sh', '-c', line] } };
  fleet.submit({ id, repository: remote.url, base: 'main', spec });
  return id;
}

function start(name = 'home'): { worker: Worker; lines: string[] } {
  const lines: string[] = [];
  const worker = new Worker({
    engine: fleet.engine(),
    home: join(remote.folder, name),
    slots: 1,
    labels: [],
    environment: remote.environment,
    now: Date.now,
    onLine: (line) => lines.push(line),
    lookMs: 20,
  });
  const working = worker.work();
  ends.push(async () => {
    worker.drain(true);
    await working;
  });
  return { worker, lines };
}

const ended = (id: string) => vi.waitFor(() => expect(fleet.run(id).state).toBe('ended'), SOON);
const typesOf = (id: string) => fleet.run(id).events.map(({ type }) => type);
const stepsOf = (id: string) => remote.ask('show', `pawl/${id}:steps.txt`).split('\n');

it('works on what is submitted, and its branch holds what was done', async () => {
  const id = submit(2);
  start();
  await ended(id);
  expect(fleet.run(id)).toMatchObject({ epoch: 1, outcome: { class: 'goal' } });
  expect(stepsOf(id)).toEqual(['step 1', 'step 2']);
});

it('a run that is drained from one worker goes on with the next, without an iteration that is done twice', async () => {
  const id = submit(4, `${STEP}; sleep 0.2`);
  const first = start();
  await vi.waitFor(() => expect(typesOf(id)).toContain('iteration-started'), SOON);
  first.worker.drain();
  await vi.waitFor(() => expect(fleet.run(id).state).toBe('queued'), SOON);
  start('another home');
  await ended(id);
  expect(fleet.run(id)).toMatchObject({ epoch: 2, crashes: 0, outcome: { class: 'goal' } });
  expect(typesOf(id).filter((type) => type === 'iteration-ended')).toHaveLength(4);
});

it('a worker of which nothing is heard has its run taken over, and records nothing more', async () => {
  const go = join(remote.folder, 'go');
  const id = submit(2, `${STEP}; while [ ! -e '${go}' ]; do sleep 0.05; done`);
  const { lines } = start();
  await vi.waitFor(() => expect(typesOf(id)).toContain('agent-spawned'), SOON);
  fleet.silence(id);
  start('another home');
  await vi.waitFor(() => expect(fleet.run(id).epoch).toBe(2), SOON);
  writeFileSync(go, '');
  await ended(id);
  expect(fleet.run(id)).toMatchObject({ epoch: 2, outcome: { class: 'goal' } });
  await vi.waitFor(() => expect(lines).toContainEqual(expect.stringContaining('is not ours any more')), SOON);
  const seqs = fleet.run(id).events.map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_seq, index) => index + 1));
  expect(stepsOf(id)).toEqual(['step 1', 'step 2']);
});

it('what somebody says and wishes reaches a run that is worked on', async () => {
  const begun = join(remote.folder, 'begun');
  const id = submit(9, `${STEP}; touch '${begun}'; sleep 0.2`);
  start();
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true), SOON);
  fleet.send(id, { type: 'steer', text: 'mind the gap' }, 'ann');
  await vi.waitFor(() => expect(typesOf(id)).toContain('command-received'), SOON);
  fleet.wish(id, 'pause');
  await vi.waitFor(() => expect(fleet.run(id).state).toBe('queued'), SOON);
  fleet.wish(id, 'cancel');
  await ended(id);
  expect(fleet.run(id).outcome).toMatchObject({ status: 'stopped', class: 'operator' });
  expect(fleet.run(id).events.filter(({ type }) => type === 'command-received')).toHaveLength(2);
});
