import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { newRunId } from '../journal/run-places.js';
import { PushRefused, WorkPublisher } from './work-publisher.js';
import { openClone, type RunClone } from './clone.js';

let remote: GitRemote;
let clone: RunClone;
let commit: string;
let told: (string | undefined)[];
const given = new AbortController().signal;

beforeEach(async () => {
  remote = new GitRemote();
  const { home, url: repository, environment } = remote;
  clone = await openClone({ home, repository, base: 'main', runId: newRunId(), epoch: 1, environment });
  commit = remote.commit(clone.path, { work: 'done' });
  told = [];
});
afterEach(() => remote.remove());

function publisher(more: { slowMs?: number; lastTriesMs?: number; signal?: AbortSignal } = {}): WorkPublisher {
  const onTrouble = (trouble: string | undefined) => told.push(trouble);
  return new WorkPublisher({ clone, environment: remote.environment, signal: given, onTrouble, ...more });
}

/** Of the remote; it counts how often it was asked. */
function hook(lines: string): void {
  mkdirSync(join(remote.url, 'hooks'), { recursive: true });
  writeFileSync(join(remote.url, 'hooks', 'pre-receive'), `#!/bin/sh\necho x >>'${asked()}'\n${lines}\n`, {
    mode: 0o755,
  });
}
const asked = () => join(remote.folder, 'asked');
const tip = () => remote.ask('rev-parse', clone.branch);

it('what a remote refuses for a while is there in the end, and the trouble has passed', async () => {
  hook(`[ -e '${join(remote.folder, 'open')}' ]`);
  const publishing = publisher().publish(given);
  while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  writeFileSync(join(remote.folder, 'open'), '');
  await publishing;
  expect(tip()).toBe(commit);
  expect(told).toEqual([expect.stringContaining('does not take the branch'), undefined]);
});

it('a run that is to end while the remote refuses has one more try at once', async () => {
  hook('exit 1');
  const ending = new AbortController();
  const publishing = publisher().publish(ending.signal);
  while (told.length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  rmSync(join(remote.url, 'hooks', 'pre-receive'));
  ending.abort('limit');
  await publishing;
  expect(tip()).toBe(commit);
});

it('a run that is to end anyway does not fail at one refusal', async () => {
  hook(`[ "$(wc -l <'${asked()}')" -gt 2 ]`);
  await publisher().publish(AbortSignal.abort('limit'));
  expect(tip()).toBe(commit);
});

it('a remote that does not answer is told while it is waited for, and not waited for when the run is to end', async () => {
  hook('sleep 1000');
  const ending = new AbortController();
  const publishing = publisher({ slowMs: 100, lastTriesMs: 300 }).publish(ending.signal);
  while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(told).toEqual([expect.stringContaining('has not answered for')]);
  ending.abort('limit');
  await expect(publishing).rejects.toThrow(/not pushed: the remote does not answer/);
});

it('a push that nobody waits for is ended at once', async () => {
  hook('sleep 1000');
  const nobody = new AbortController();
  const publishing = publisher({ signal: AbortSignal.any([given, nobody.signal]) }).publish(given);
  while (!existsSync(asked())) await new Promise((resolve) => setTimeout(resolve, 20));
  nobody.abort();
  await expect(publishing).rejects.toThrow('its work is not pushed');
});

it('a branch that has gone on without us is not tried again', async () => {
  const other = remote.commit(join(remote.folder, 'author'), { other: 'work' });
  remote.git(join(remote.folder, 'author'), 'push', '-q', 'origin', `HEAD:refs/heads/${clone.branch}`);
  await expect(publisher().publish(given)).rejects.toBeInstanceOf(PushRefused);
  expect([tip(), told]).toEqual([other, []]);
});
