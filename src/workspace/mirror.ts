import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NODE_DISK, makeFolder } from '../journal/disk.js';
import { acquireLock, type Lock, newHolder } from '../journal/lock.js';
import { LockedError, messageOf } from '../model/errors.js';
import { remoteFailure, CloneFailed } from './clone-failed.js';
import type { RemoteGit } from './remote-git.js';
import { repositoryFolder } from './repository-name.js';

/**
 * What a machine keeps of a repository, so that the next run need not download it again. A clone gets its objects as hard
 * links and does not depend on the mirror: the mirror may be repacked or deleted at any time. The lock only prevents
 * double downloads: git itself allows two processes in one repository.
 */

/** Longer than most downloads take. After that a run downloads on its own, because the holder of the lock may be frozen. */
const PATIENCE_MS = 10 * 60_000;
/** More packs than this are repacked: many small packs make every access slow. */
const MOST_PACKS = 50;
/** A younger file may be written at this moment, by the git of a process that was killed. */
const LEFT_BEHIND_MS = 60 * 60_000;
const SHORTEST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

export interface MirrorRequest {
  readonly home: string;
  readonly repository: string;
  readonly git: RemoteGit;
  readonly runId: string;
  readonly patienceMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Brings the refs, with all that they need, into a repository that was just made. The commits of the refs, in their
 * order. Throws CloneFailed.
 */
export async function bringObjects(
  request: MirrorRequest,
  refs: readonly RemoteRef[],
  gitDir: string,
): Promise<readonly string[]> {
  const { git } = request;
  const commits = await withMirror(request, async (mirror) => {
    await prepareMirror(git, mirror, refs);
    if (!(await hasAll(git, mirror, refs))) {
      await fetchRefs(git, mirror, refs);
      await tidy(git, mirror);
    }
    await linkPacks(mirror, gitDir);
    return commitsOf(git, mirror, refs);
  });
  if (commits !== undefined) return commits;
  await fetchRefs(git, gitDir, refs);
  return commitsOf(git, gitDir, refs);
}

/** Deletes a mirror that cannot be read. */
export async function dropMirror(request: MirrorRequest): Promise<void> {
  await withMirror(request, async (mirror) => rm(mirror, { recursive: true, force: true }));
}

/** Where a ref of the remote is kept: flat, as `a` and `a/b` may both have been branches, one after the other. */
function keptRef({ name }: RemoteRef): string {
  return `refs/pawl/${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
}

/** Undefined when others held the mirror for too long. */
async function withMirror<T>(request: MirrorRequest, work: (mirror: string) => Promise<T>): Promise<T | undefined> {
  const { home, repository, runId, patienceMs = PATIENCE_MS, signal } = request;
  const folder = makeFolder(NODE_DISK, { base: home, segments: ['mirrors'], makesBase: true }, 'refuse');
  const mirror = join(folder, `${repositoryFolder(repository)}.git`);
  const lock = await waitForLock(`${mirror}.lock`, runId, performance.now() + patienceMs, signal);
  if (lock === undefined) return undefined;
  try {
    return await work(mirror);
  } finally {
    lock.release();
  }
}

/** Waits while another run holds it, in this process or in another. Undefined when time is up or the signal is aborted. */
async function waitForLock(
  path: string,
  runId: string,
  endsAtMs: number,
  signal: AbortSignal | undefined,
): Promise<Lock | undefined> {
  const holder = newHolder(runId);
  for (let pauseMs = SHORTEST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 1.5)) {
    try {
      return acquireLock({ path, holder });
    } catch (error) {
      if (!(error instanceof LockedError)) throw error;
    }
    if (signal?.aborted === true || performance.now() > endsAtMs) return undefined;
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await pause(pauseMs);
  }
}

/** A mirror appears complete, or not at all. */
async function prepareMirror(git: RemoteGit, mirror: string, refs: readonly RemoteRef[]): Promise<void> {
  if (existsSync(join(mirror, 'HEAD'))) return;
  const draft = `${mirror}.new`;
  await rm(draft, { recursive: true, force: true });
  await git.local(draft, 'init', '--quiet', '--bare', '--template=', formatOf(refs));
  await rm(mirror, { recursive: true, force: true });
  await rename(draft, mirror);
}

/** The kind of hashes that the remote uses. */
export function formatOf(refs: readonly RemoteRef[]): string {
  return `--object-format=${refs.some(({ object }) => object.length === 64) ? 'sha256' : 'sha1'}`;
}

/** A ref is set only after all that it needs has arrived. */
async function hasAll(git: RemoteGit, mirror: string, refs: readonly RemoteRef[]): Promise<boolean> {
  const kept = await git.local(mirror, 'for-each-ref', '--format=%(refname) %(objectname)', ...refs.map(keptRef));
  const lines = new Set(kept.split('\n'));
  return refs.every((ref) => lines.has(`${keptRef(ref)} ${ref.object}`));
}

async function fetchRefs(git: RemoteGit, gitDir: string, refs: readonly RemoteRef[]): Promise<void> {
  const fetch = () =>
    git.tryRemote(
      gitDir,
      FETCH,
      refs.map((ref) => `+${ref.name}:${keptRef(ref)}`),
    );
  let result = await fetch();
  const inTheWay = /Unable to create '([^']+\.lock)': File exists/.exec(result.stderr)?.[1];
  if (result.exitCode !== 0 && inTheWay?.startsWith(gitDir) === true) {
    // A git that was killed has left it: git holds such a lock for a moment only.
    await rm(inTheWay, { force: true });
    result = await fetch();
  }
  if (result.exitCode === 0) return;
  const unknown = /not our ref (\S+)|couldn't find remote ref (\S+)/.exec(result.stderr);
  if (unknown === null) throw remoteFailure(git.shown, result, git.scrub, gitDir);
  const which = unknown[1] ?? unknown[2] ?? '';
  throw new CloneFailed('no-base', `there is no ${which} in ${git.shown}, or it does not hand it out`);
}

const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'];

/** The commit of each ref; a tag may have an object of its own before it. */
async function commitsOf(git: RemoteGit, gitDir: string, refs: readonly RemoteRef[]): Promise<readonly string[]> {
  try {
    return (await git.local(gitDir, 'rev-parse', ...refs.map((ref) => `${keptRef(ref)}^{commit}`))).split('\n');
  } catch (error) {
    if (!/expected commit type/.test(messageOf(error))) throw error;
    throw new CloneFailed('no-base', `${refs.map(({ name }) => name).join(' or ')} of ${git.shown} is not a commit`);
  }
}

/** Removes what killed gits left, and repacks many packs. A failure to repack is ignored. */
async function tidy(git: RemoteGit, mirror: string): Promise<void> {
  const folder = join(mirror, 'objects', 'pack');
  const names = await readdir(folder);
  const drafts = names.filter((name) => name.startsWith('tmp_')).map((name) => join(folder, name));
  await Promise.all(drafts.map(removeIfOld));
  if (names.filter((name) => name.endsWith('.pack')).length <= MOST_PACKS) return;
  await git.local(mirror, 'repack', '--quiet', '-d', '--geometric=2').catch(() => undefined);
}

async function removeIfOld(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found !== undefined && Date.now() - found.mtimeMs > LEFT_BEHIND_MS) await rm(file, { force: true });
}

const PART_OF_A_PACK = /^pack-[0-9a-f]+\.(?:pack|idx|rev)$/;

async function linkPacks(mirror: string, gitDir: string): Promise<void> {
  const [from, to] = [mirror, gitDir].map((folder) => join(folder, 'objects', 'pack')) as [string, string];
  await mkdir(to, { recursive: true });
  const names = (await readdir(from)).filter((name) => PART_OF_A_PACK.test(name));
  await Promise.all(names.map((name) => linkOrCopy(join(from, name), join(to, name))));
}

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch {
    // A file system without hard links.
    await copyFile(from, to);
  }
}

/** A ref or commit of the remote that a clone begins with. */
interface RemoteRef {
  /** As the remote calls it, such as `refs/heads/main`; for a commit that was named by its hash, the hash. */
  readonly name: string;
  readonly object: string;
}

export interface RemoteRefs {
  /** Undefined only when the branch exists, so that the base is not needed. */
  readonly base?: RemoteRef | undefined;
  /** Undefined when nothing was pushed for the run yet. */
  readonly branch?: RemoteRef | undefined;
}

const WHOLE_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const PART_OF_A_HASH = /^[0-9a-f]{7,63}$/i;

/** Asks the remote for a base (a branch, a tag, a hash or HEAD) and of a run's branch. Throws CloneFailed. */
export async function findRemoteRefs(git: RemoteGit, base: string, branch: string): Promise<RemoteRefs> {
  const own = `refs/heads/${branch}`;
  const names = [`refs/heads/${base}`, `refs/tags/${base}`, ...(/^(?:HEAD$|refs\/)/.test(base) ? [base] : [])];
  const listed = await git.listRemote(own, ...names);
  const objects = new Map(
    listed.split('\n').flatMap((line) => {
      const [object, name] = line.split('\t');
      return object === undefined || name === undefined ? [] : [[name, object] as const];
    }),
  );
  const found = (name: string): readonly RemoteRef[] => {
    const object = objects.get(name);
    return object === undefined ? [] : [{ name, object }];
  };
  const [branchRef] = found(own);
  const [baseRef = namedByHash(base)] = names.flatMap(found);
  if (baseRef === undefined && branchRef === undefined) throw noBase(git.shown, base);
  return { base: baseRef, branch: branchRef };
}

function namedByHash(base: string): RemoteRef | undefined {
  return WHOLE_HASH.test(base) ? { name: base.toLowerCase(), object: base.toLowerCase() } : undefined;
}

function noBase(repository: string, base: string): CloneFailed {
  const advice = PART_OF_A_HASH.test(base) ? '; a commit must be named by its whole hash' : '';
  return new CloneFailed('no-base', `there is no branch or tag ${JSON.stringify(base)} in ${repository}${advice}`);
}
