import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type BundledFixture, bundleFixture } from '../../test/crash/bundled-fixture.js';
import { GitRemote } from '../../test/support/git-remote.js';
import { acquireLock, newHolder } from '../journal/lock.js';
import { newRunId } from '../journal/run-places.js';
import { openClone, type CloneRequest } from './clone.js';
import { removeAbandonedClones } from './clone-folder.js';

let first: GitRemote;
let remote: GitRemote;
let opener: BundledFixture;
const children: ChildProcess[] = [];

beforeAll(async () => {
  first = new GitRemote();
  opener = await bundleFixture('open-clone');
});
afterAll(() => {
  first.remove();
  opener.remove();
});
beforeEach(() => {
  remote = new GitRemote(first);
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  remote.remove();
});

function request(more: Partial<CloneRequest> = {}): CloneRequest {
  const { home, url: repository, environment } = remote;
  return { home, repository, base: 'main', runId: newRunId(), epoch: 1, environment, ...more };
}

const open = (more?: Partial<CloneRequest>) => openClone(request(more));

/** Another process that opens a workspace and stays. */
function openElsewhere(asked: CloneRequest): ChildProcess {
  const child = spawn(process.execPath, [opener.path, JSON.stringify(asked)], { stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

const inMirrors = () => readdirSync(join(remote.home, 'mirrors'));
const mirror = () => join(remote.home, 'mirrors', inMirrors().find((name) => name.endsWith('.git')) ?? '');
const packs = () => readdirSync(join(mirror(), 'objects', 'pack')).filter((name) => name.endsWith('.pack'));

describe('the mirror of a repository', () => {
  it('is downloaded once for four that come at the same time', async () => {
    const sent = join(remote.folder, 'sent');
    const HOME = homeThatSends(`echo once >> '${sent}'`);
    const all = await Promise.all([1, 2, 3, 4].map(() => open({ environment: { ...remote.environment, HOME } })));
    const tip = remote.ask('rev-parse', 'main');
    expect(all.map(({ path }) => remote.git(path, 'rev-parse', 'HEAD'))).toEqual([tip, tip, tip, tip]);
    expect(readFileSync(sent, 'utf8')).toBe('once\n');
    expect(inMirrors()).toHaveLength(1);
  });

  it('can go, and the workspaces have all that they need', async () => {
    const workspace = await open();
    rmSync(join(remote.home, 'mirrors'), { recursive: true });
    expect(remote.git(workspace.path, 'fsck', '--connectivity-only')).toBe('');
    expect(await workspace.publish(remote.commit(workspace.path, { work: 'done' }))).toBe('pushed');
  });

  it('that others hold for too long is done without', async () => {
    await open();
    const lock = acquireLock({ path: `${mirror()}.lock`, holder: newHolder(newRunId(), new Date()) });
    const news = remote.advance('main', 'news');
    const workspace = await open({ patienceMs: 20 });
    expect([workspace.start, packs().length]).toEqual([news, 1]);
    expect(await workspace.publish(remote.commit(workspace.path, { work: 'done' }))).toBe('pushed');
    lock.release();
  });

  it('that is damaged is made anew, and those who have begun go on', async () => {
    const begun = await open();
    for (const pack of packs()) {
      rmSync(join(mirror(), 'objects', 'pack', pack));
      writeFileSync(join(mirror(), 'objects', 'pack', pack), 'PACK, once');
    }
    const next = await open();
    expect(remote.git(next.path, 'fsck', '--strict')).toBe('');
    expect(remote.git(begun.path, 'fsck', '--strict')).toBe('');
    rmSync(join(mirror(), 'HEAD'));
    expect((await open()).start).toBe(next.start);
    writeFileSync(join(mirror(), 'HEAD'), '');
    expect((await open()).start).toBe(next.start);
  });

  it('is not held up by what a killed git left in it', async () => {
    await open();
    const [ref = ''] = readdirSync(join(mirror(), 'refs', 'pawl'));
    writeFileSync(join(mirror(), 'refs', 'pawl', `${ref}.lock`), '');
    const [old, young] = ['tmp_pack_old', 'tmp_pack_young'].map((name) => join(mirror(), 'objects', 'pack', name));
    for (const file of [old, young]) writeFileSync(file ?? '', 'PACK');
    utimesSync(old ?? '', new Date(0), new Date(0));
    const news = remote.advance('main', 'news');
    expect((await open()).start).toBe(news);
    expect([existsSync(old ?? ''), existsSync(young ?? '')]).toEqual([false, true]);
  });

  it('of many small packs is packed anew', async () => {
    await open();
    const script = `for i in $(seq 60); do echo $i | git hash-object -w --stdin | git pack-objects -q objects/pack/pack; done`;
    execFileSync('sh', ['-c', script], { cwd: mirror(), env: remote.environment, stdio: 'ignore' });
    expect(packs().length).toBeGreaterThan(60);
    const news = remote.advance('main', 'news');
    expect((await open()).start).toBe(news);
    expect(packs().length).toBeLessThan(50);
  });
});

describe('a worker that is killed', () => {
  it('in the middle of a clone leaves nothing that holds up the next one', async () => {
    const [hold, reached] = [join(remote.folder, 'hold'), join(remote.folder, 'reached')];
    writeFileSync(hold, '');
    const HOME = homeThatSends(`touch '${reached}'\nwhile [ -e '${hold}' ]; do sleep 0.05; done`);
    const killed = request({ environment: { ...remote.environment, HOME } });
    const child = openElsewhere(killed);
    await expect.poll(() => existsSync(reached), { timeout: 60_000, interval: 20 }).toBe(true);
    await kill(child);
    const next = await open({ runId: killed.runId, epoch: 2 });
    // Its git is still there, and comes to its end after the next one has.
    rmSync(hold);
    expect(next.start).toBe(remote.ask('rev-parse', 'main'));
    expect(await removeAbandonedClones(remote.home)).toBe(1);
    expect(readdirSync(join(remote.home, 'workspaces'))).toEqual([`${killed.runId}.2`]);
    expect((await open()).start).toBe(next.start);
  });

  it('leaves a workspace that is taken away, but not before it is gone', async () => {
    const child = openElsewhere(request());
    const [told] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const path = told.toString().trim();
    expect([await removeAbandonedClones(remote.home), existsSync(path)]).toEqual([0, true]);
    await kill(child);
    expect([await removeAbandonedClones(remote.home), existsSync(path)]).toEqual([1, false]);
  });

  it('while it removed a workspace has the rest removed', async () => {
    const workspace = await open();
    const folder = join(workspace.path, '..');
    renameSync(folder, `${folder}.removed-0`);
    expect(await removeAbandonedClones(remote.home)).toBe(1);
    expect(readdirSync(join(remote.home, 'workspaces'))).toEqual([]);
    expect(await removeAbandonedClones(join(remote.home, 'nowhere'))).toBe(0);
  });
});

/** A home whose git, before it sends objects to anybody, runs these commands. */
function homeThatSends(commands: string): string {
  const home = join(remote.folder, 'sender');
  const hook = join(home, 'hook');
  mkdirSync(home);
  writeFileSync(hook, `#!/bin/sh\n${commands}\nexec "$@"\n`, { mode: 0o755 });
  writeFileSync(join(home, '.gitconfig'), `[uploadpack]\n\tpackObjectsHook = "'${hook}'"\n`);
  return home;
}
