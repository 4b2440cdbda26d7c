/**
 * W1: no work is overwritten. A clone belongs to one epoch of one run, its push is fast-forward only, and it is pushed from
 * another repository than the one in which the agent works.
 */
import { realpathSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NODE_DISK, makeFolder } from '../journal/disk.js';
import { acquireLock, newHolder } from '../journal/lock.js';
import { checkRunId } from '../journal/run-places.js';
import { messageOf } from '../model/errors.js';
import type { Environment } from '../process/run-tool.js';
import { unpushedCommits } from './unpushed-commits.js';
import { removeClone, cloneFolder, CLONE_LOCK } from './clone-folder.js';
import { bringObjects, dropMirror, formatOf, type MirrorRequest, findRemoteRefs, type RemoteRefs } from './mirror.js';
import { type Published, publishWork } from './publish-work.js';
import { RemoteGit } from './remote-git.js';
import { checkRepository } from './repository-name.js';
import { CloneFailed } from './clone-failed.js';

/** The last commit that the record of a run calls pushed. */
export interface PushedWork {
  readonly commit: string;
  readonly iteration: number;
}

export interface CloneRequest {
  /** Contains the mirrors and the clones of this machine. */
  readonly home: string;
  /** A URL or an absolute path. */
  readonly repository: string;
  /** A branch, a tag, the whole hash of a commit, or HEAD. */
  readonly base: string;
  /** The default is `pawl/<run>`. */
  readonly branch?: string | undefined;
  /** What the record calls pushed: the branch must hold it. */
  readonly pushed?: PushedWork | undefined;
  readonly runId: string;
  readonly epoch: number;
  /** With everything that gives git access to the repository. */
  readonly environment: Environment;
  /** How long to wait while another run downloads the same repository. */
  readonly patienceMs?: number | undefined;
  /** Stops the clone while it is made. */
  readonly signal?: AbortSignal | undefined;
}

export interface RunClone {
  /** The top of the working tree, its real path. */
  readonly path: string;
  readonly branch: string;
  /** The commit that it begins with. */
  readonly start: string;
  /** It begins with commits that an earlier epoch pushed. */
  readonly isContinued: boolean;
  /** Pushes a commit of this clone to its branch. Never rejects. */
  publish(commit: string, signal?: AbortSignal): Promise<Published>;
  /** Names commits that would be lost with the clone. Never rejects. */
  unpushed(): Promise<string | undefined>;
  /** Removes it with all that is in it. Never rejects: `error` names what cannot be removed. */
  remove(): Promise<{ readonly error?: string | undefined }>;
}

/** Where the work of a run is pushed to. */
export function branchOfRun(runId: string): string {
  return `pawl/${runId}`;
}

/** Where the parts of a clone are. */
interface Places {
  readonly folder: string;
  readonly tree: string;
  readonly gitDir: string;
  readonly outbox: string;
}

/**
 * A working tree of its own on the run's branch, at the tip of what was pushed for the run, else at the base. Throws
 * CloneFailed, and leaves nothing behind then.
 */
export async function openClone(request: CloneRequest): Promise<RunClone> {
  const { home, repository, base, epoch, environment, signal } = request;
  checkRepository(repository);
  const runId = checkRunId(request.runId);
  const branch = request.branch ?? branchOfRun(runId);
  const folder = claimFolder(home, cloneFolder(runId, epoch), runId);
  try {
    const git = new RemoteGit({ repository, environment, home: folder, signal });
    await checkBranch(git, branch);
    const refs = await findRemoteRefs(git, base, branch);
    if (refs.branch === undefined && request.pushed !== undefined) throw lostWork(branch, request.pushed);
    const mirror: MirrorRequest = { ...request, home: dirname(dirname(folder)), git };
    const places = placesIn(folder);
    const start = await fill(mirror, refs, branch, places).catch(async (error: unknown) => {
      if (!(error instanceof CloneFailed) || error.kind !== 'damaged') throw error;
      await dropMirror(mirror);
      return fill(mirror, refs, branch, places);
    });
    await checkPushed(git, places, branch, start, request.pushed);
    // Without the signal, which must not stop the last push.
    const pusher = new RemoteGit({ repository, environment, home: folder });
    return cloneIn(places, pusher, { branch, start, isContinued: refs.branch !== undefined });
  } catch (error) {
    await removeClone(folder);
    throw error instanceof CloneFailed ? error : new CloneFailed('local', messageOf(error));
  }
}

function cloneIn(
  { folder, tree: path, gitDir, outbox }: Places,
  git: RemoteGit,
  begun: Pick<RunClone, 'branch' | 'start' | 'isContinued'>,
): RunClone {
  const { branch, start } = begun;
  let tip = begun.isContinued ? start : undefined;
  return {
    path,
    ...begun,
    publish: async (commit, signal) => {
      // Once the branch exists, the remote itself refuses a push that would remove commits.
      const since = tip === undefined ? start : undefined;
      const answer = await publishWork({ git, outbox, branch, commit, since, signal });
      if (answer === 'pushed') tip = commit;
      return answer;
    },
    unpushed: () => unpushedCommits({ git, gitDir, pushed: [start, ...(tip === undefined ? [] : [tip])] }),
    remove: () => removeClone(folder),
  };
}

/** Throws CloneFailed when the branch was moved back, or to something else. */
async function checkPushed(
  git: RemoteGit,
  { gitDir }: Places,
  branch: string,
  tip: string,
  pushed: PushedWork | undefined,
): Promise<void> {
  if (pushed === undefined || tip === pushed.commit || (await git.holds(gitDir, tip, pushed.commit))) return;
  throw lostWork(branch, pushed);
}

function lostWork(branch: string, { commit, iteration }: PushedWork): CloneFailed {
  const what = `${commit.slice(0, 7)}, which was pushed after iteration ${iteration}`;
  return new CloneFailed('no-base', `its branch ${branch} no longer contains ${what}`);
}

/** Throws CloneFailed when another process works there, and leaves it alone. */
function claimFolder(home: string, name: string, runId: string): string {
  try {
    const place = { base: home, segments: ['workspaces', name], makesBase: true } as const;
    const folder = realpathSync(makeFolder(NODE_DISK, place, 'refuse'));
    acquireLock({ path: join(folder, CLONE_LOCK), holder: newHolder(runId) });
    return folder;
  } catch (error) {
    throw new CloneFailed('local', `a clone cannot be made in ${home}: ${messageOf(error)}`);
  }
}

function placesIn(folder: string): Places {
  const tree = join(folder, 'tree');
  return { folder, tree, gitDir: join(tree, '.git'), outbox: join(folder, 'outbox.git') };
}

async function checkBranch(git: RemoteGit, branch: string): Promise<void> {
  if (await git.agrees('check-ref-format', `refs/heads/${branch}`)) return;
  throw new CloneFailed('invalid', `${JSON.stringify(branch)} cannot be the name of a branch`);
}

/** Makes the working tree and the repository that pushes. Returns the commit that the tree begins with. */
async function fill(request: MirrorRequest, found: RemoteRefs, branch: string, places: Places): Promise<string> {
  const { git } = request;
  const { tree, gitDir } = places;
  const refs = [found.branch, found.base].filter((ref) => ref !== undefined);
  await rm(tree, { recursive: true, force: true });
  await mkdir(tree);
  await git.local(gitDir, 'init', '--quiet', '--template=', `--initial-branch=${branch}`, formatOf(refs));
  const commits = await bringObjects(request, refs, gitDir);
  const start = commits[0] ?? '';
  await git.local(gitDir, `--work-tree=${tree}`, 'reset', '--quiet', '--hard', start);
  // The agent sees where its work comes from, without the credentials.
  await git.local(gitDir, 'remote', 'add', 'origin', git.shown);
  const base = /^refs\/heads\/(.+)$/.exec(found.base?.name ?? '')?.[1];
  if (base !== undefined) await git.local(gitDir, 'update-ref', `refs/remotes/origin/${base}`, commits.at(-1) ?? start);
  await makeOutbox(git, places, formatOf(refs));
  return start;
}

async function makeOutbox(git: RemoteGit, { outbox, gitDir }: Places, format: string): Promise<void> {
  await rm(outbox, { recursive: true, force: true });
  await git.local(outbox, 'init', '--quiet', '--bare', '--template=', format);
  const info = join(outbox, 'objects', 'info');
  await mkdir(info, { recursive: true });
  await writeFile(join(info, 'alternates'), `${join(gitDir, 'objects')}\n`);
}
