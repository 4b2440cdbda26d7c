import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitRemote } from '../../test/support/git-remote.js';
import { newRunId } from '../journal/run-places.js';
import { openClone, type CloneRequest } from './clone.js';
import { remoteFailure, type CloneFailed } from './clone-failed.js';

const SECRET = 'pa%24sw0rd';
let remote: GitRemote;
let server: Server;
let port: number;

beforeAll(async () => {
  remote = new GitRemote();
  server = createServer((request, response) => {
    const status = Number(/\/(\d{3})\//.exec(request.url ?? '')?.[1] ?? 404);
    response.writeHead(status, status === 401 ? { 'WWW-Authenticate': 'Basic realm="x"' } : {}).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => {
  server.close();
  remote.remove();
});

/** Why there is no workspace. */
async function failure(repository: string, more: Partial<CloneRequest> = {}): Promise<CloneFailed> {
  const { home, environment } = remote;
  const asked = { home, repository, base: 'main', runId: newRunId(), epoch: 1, environment, ...more };
  const { path } = await openClone(asked).catch((error: CloneFailed) => ({ path: error }));
  if (typeof path === 'string') throw new Error(`${path} was made`);
  expect(existsSync(home) ? readdirSync(join(home, 'workspaces')) : []).toEqual([]);
  expect(path.message).not.toMatch(/sw0rd|token-of/);
  return path;
}

describe('a repository that cannot be cloned', () => {
  it('because it is not there is named', async () => {
    const missing = join(remote.folder, 'missing.git');
    expect(await failure(missing)).toMatchObject({ kind: 'not-found', message: expect.stringContaining(missing) });
    expect(await failure(remote.folder)).toMatchObject({ kind: 'not-found' });
    expect(await failure(`http://127.0.0.1:${port}/404/repo`)).toMatchObject({ kind: 'not-found' });
  });

  it('because it lets nobody in is named without its credentials', async () => {
    const found = await failure(`http://user:${SECRET}@127.0.0.1:${port}/401/repo`);
    expect(found).toMatchObject({
      kind: 'not-allowed',
      message: expect.stringContaining(`http://127.0.0.1:${port}/401/repo `),
    });
    expect(await failure(`http://token-of-me@127.0.0.1:${port}/403/repo`)).toMatchObject({ kind: 'not-allowed' });
    expect(await failure(`http://127.0.0.1:${port}/401/repo`)).toMatchObject({ kind: 'not-allowed' });
  });

  it('because nobody answers may be tried again', async () => {
    expect(await failure(`http://user:${SECRET}@127.0.0.1:1/repo`)).toMatchObject({ kind: 'unreachable' });
    expect(await failure(`http://127.0.0.1:${port}/500/repo?key=token-of-me`)).toMatchObject({ kind: 'unreachable' });
  });

  it('over ssh is not asked for a password', async () => {
    const called = join(remote.folder, 'called');
    const ssh = join(remote.folder, 'ssh');
    writeFileSync(
      ssh,
      `#!/bin/sh\necho "$@" >> '${called}'\necho "git@host: Permission denied (publickey)." >&2\nexit 255\n`,
      {
        mode: 0o755,
      },
    );
    const PATH = `${remote.folder}:${process.env['PATH']}`;
    const found = await failure('git@host:team/repo.git', { environment: { ...remote.environment, PATH } });
    expect(found).toMatchObject({ kind: 'not-allowed', message: expect.stringContaining('(publickey)') });
    expect(readFileSync(called, 'utf8')).toContain('-oBatchMode=yes');
    const chosen = { ...remote.environment, GIT_SSH_COMMAND: `'${ssh}' chosen` };
    expect(await failure('ssh://git@host/repo', { environment: chosen })).toMatchObject({ kind: 'not-allowed' });
    expect(readFileSync(called, 'utf8')).toMatch(/^chosen (?!.*BatchMode)/m);
  });

  it('because its address, its run or its branch is none is told before anything is done', async () => {
    for (const repository of ['', 'repo', './repo', '~/repo', '--upload-pack=x', 'https://a/b\nc']) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await failure(repository)).toMatchObject({ kind: 'invalid' });
    }
    expect(await failure(remote.url, { branch: 'a..b' })).toMatchObject({ kind: 'invalid' });
    expect((await failure(remote.url, { runId: '../../x' })).message).toMatch(/\bid of a run/);
  });

  it('because git is missing, the home is a file or it was stopped is told', async () => {
    const noGit = { ...remote.environment, PATH: join(remote.folder, 'nothing') };
    expect(await failure(remote.url, { environment: noGit })).toMatchObject({
      kind: 'local',
      message: expect.stringContaining('git cannot be started'),
    });
    const home = join(remote.url, 'HEAD');
    expect(await failure(remote.url, { home })).toMatchObject({
      kind: 'local',
      message: expect.stringContaining(home),
    });
    expect(await failure(remote.url, { signal: AbortSignal.abort() })).toMatchObject({ kind: 'stopped' });
  });
});

describe('what git says', () => {
  const OWN = '/home/me/fleet/mirrors/x.git';
  const kindOf = (stderr: string) => {
    const result = { exitCode: 128, timedOut: false, aborted: false, overflow: false, stdout: Buffer.alloc(0), stderr };
    return remoteFailure('https://host/x', result, (text) => text, OWN).kind;
  };

  it.each([
    `fatal: Unable to create temporary file '${OWN}/objects/pack/tmp_pack_XXXXXX': Permission denied\nfatal: fetch-pack: invalid index-pack output`,
    `error: insufficient permission for adding an object to repository database ./objects\nfatal: failed to write object`,
    `error: cannot lock ref 'refs/pawl/x': Unable to create '${OWN}/./refs/pawl/x.lock': Permission denied`,
    `error: unable to open ${OWN}/objects/pack: Permission denied`,
    `fatal: detected dubious ownership in repository at '${OWN}'`,
    'fatal: write error: No space left on device',
  ])("of the worker's own disk may pass: %s", (said) => {
    expect(kindOf(said)).toBe('local');
  });

  it.each([
    'git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.',
    "fatal: detected dubious ownership in repository at '/srv/x.git'",
    `remote: ${OWN}: Permission denied\nfatal: Authentication failed for 'https://host/x'`,
  ])('of a remote that lets nobody in stays so: %s', (said) => {
    expect(kindOf(said)).toBe('not-allowed');
  });
});
