/**
 * W1: nobody's work is overwritten. A workspace belongs to one epoch of one run, its push is fast-forward only, and the
 * git that pushes reads no setting that an agent could have made.
 */
import { realpathSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { NODE_DISK } from '../journal/disk.js';
import { acquireLock } from '../journal/lock.js';
import { newHolder } from '../journal/lock-holder.js';
import { makeFolder } from '../journal/make-folder.js';
import { checkRunId } from '../journal/run-id.js';
import { messageOf } from '../model/errors.js';
import type { PushedWork } from './pushed-work.js';
import { unpushedCommits } from './unpushed-commits.js';
import { removeWorkspace, workspaceFolder, WORKSPACE_LOCK } from './workspace-folder.js';
import { bringObjects, dropMirror, formatOf, type MirrorRequest } from './mirror.js';
import { type Published, publishWork } from './publish-work.js';
import { findRemoteRefs, type RemoteRefs } from './remote-refs.js';
import { type Environment, RepositoryGit } from './repository-git.js';
import { checkRepository } from './repository-name.js';
import { WorkspaceFailed } from './workspace-failed.js';

export interface WorkspaceRequest {
  /** Holds the mirrors and the workspaces of a worker. */
  readonly home: string;
  /** A URL or an absolute path. */
  readonly repository: string;
  /** A branch, a tag, the whole hash of a commit, or HEAD. */
  readonly base: string;
  /** `pawl/<run>` unless said otherwise. */
  readonly branch?: string | undefined;
  /** What the record calls pushed: the branch must hold it. */
  readonly pushed?: PushedWork | undefined;
  readonly runId: string;
  readonly epoch: number;
  /** The worker's, with all that lets git in. */
  readonly environment: Environment;
  /** How long to wait for others that download the same repository. */
  readonly patienceMs?: number | undefined;
  /** Stops whatever goes on. */
  readonly signal?: AbortSignal | undefined;
}

export interface Workspace {
  /** The top of the working tree, its real path. */
  readonly path: string;
  readonly branch: string;
  /** The commit that it begins with. */
  readonly start: string;
  /** It begins with what an earlier epoch has pushed. */
  readonly isContinued: boolean;
  /** Pushes a commit of this workspace to its branch. Never rejects. */
  publish(commit: string, signal?: AbortSignal): Promise<Published>;
  /** Tells of commits in it that would be gone with it. Never rejects. */
  unpushed(): Promise<string | undefined>;
  /** Takes it away, whatever is in it. Never rejects; what cannot be removed is told. */
  remove(): Promise<{ readonly error?: string | undefined }>;
}

/** Where the parts of a workspace are. */
interface Places {
  readonly folder: string;
  readonly tree: string;
  readonly gitDir: string;
  readonly outbox: string;
}

/**
 * A working tree of its own on the run's branch, at the tip of what was pushed for the run, else at the base. Throws
 * WorkspaceFailed, and leaves nothing behind then.
 */
export async function openWorkspace(request: WorkspaceRequest): Promise<Workspace> {
  const { home, repository, base, epoch, environment, signal } = request;
  checkRepository(repository);
  const runId = checkRunId(request.runId);
  const branch = request.branch ?? `pawl/${runId}`;
  const folder = claimFolder(home, workspaceFolder(runId, epoch), runId);
  try {
    const git = new RepositoryGit({ repository, environment, home: folder, signal });
    await checkBranch(git, branch);
    const refs = await findRemoteRefs(git, base, branch);
    if (refs.branch === undefined && request.pushed !== undefined) throw lostWork(branch, request.pushed);
    const mirror: MirrorRequest = { ...request, home: dirname(dirname(folder)), git };
    const places = placesIn(folder);
    const start = await fill(mirror, refs, branch, places).catch(async (error: unknown) => {
      if (!(error instanceof WorkspaceFailed) || error.kind !== 'damaged') throw error;
      await dropMirror(mirror);
      return fill(mirror, refs, branch, places);
    });
    await checkPushed(git, places, branch, start, request.pushed);
    // A lease that is lost stops the opening, and must not keep the last push from being told.
    const pusher = new RepositoryGit({ repository, environment, home: folder });
    return workspaceIn(places, pusher, { branch, start, isContinued: refs.branch !== undefined });
  } catch (error) {
    await removeWorkspace(folder);
    throw error instanceof WorkspaceFailed ? error : new WorkspaceFailed('local', messageOf(error));
  }
}

function workspaceIn(
  { folder, tree: path, gitDir, outbox }: Places,
  git: RepositoryGit,
  begun: Pick<Workspace, 'branch' | 'start' | 'isContinued'>,
): Workspace {
  const { branch, start } = begun;
  let tip = begun.isContinued ? start : undefined;
  return {
    path,
    ...begun,
    publish: async (commit, signal) => {
      // Once there is a branch, the remote itself sees to it that nothing is taken out of it.
      const since = tip === undefined ? start : undefined;
      const answer = await publishWork({ git, outbox, branch, commit, since, signal });
      if (answer === 'pushed') tip = commit;
      return answer;
    },
    unpushed: () => unpushedCommits({ git, gitDir, pushed: [start, ...(tip === undefined ? [] : [tip])] }),
    remove: () => removeWorkspace(folder),
  };
}

/** Throws WorkspaceFailed when the branch is there and was moved back, or to something else. */
async function checkPushed(
  git: RepositoryGit,
  { gitDir }: Places,
  branch: string,
  tip: string,
  pushed: PushedWork | undefined,
): Promise<void> {
  if (pushed === undefined || tip === pushed.commit || (await git.holds(gitDir, tip, pushed.commit))) return;
  throw lostWork(branch, pushed);
}

function lostWork(branch: string, { commit, iteration }: PushedWork): WorkspaceFailed {
  const what = `${commit.slice(0, 7)} any more, which was pushed after iteration ${iteration}`;
  return new WorkspaceFailed('no-base', `its branch ${branch} does not hold ${what}`);
}

/** Throws WorkspaceFailed when another process works there, and leaves it alone. */
function claimFolder(home: string, name: string, runId: string): string {
  try {
    const place = { base: home, segments: ['workspaces', name], makesBase: true } as const;
    const folder = realpathSync(makeFolder(NODE_DISK, place, 'refuse'));
    acquireLock({ path: join(folder, WORKSPACE_LOCK), holder: newHolder(runId) });
    return folder;
  } catch (error) {
    throw new WorkspaceFailed('local', `a workspace cannot be made in ${home}: ${messageOf(error)}`);
  }
}

function placesIn(folder: string): Places {
  const tree = join(folder, 'tree');
  return { folder, tree, gitDir: join(tree, '.git'), outbox: join(folder, 'outbox.git') };
}

async function checkBranch(git: RepositoryGit, branch: string): Promise<void> {
  if (await git.agrees('check-ref-format', `refs/heads/${branch}`)) return;
  throw new WorkspaceFailed('invalid', `${JSON.stringify(branch)} cannot be the name of a branch`);
}

/** Makes the working tree and what it is pushed from. The commit that it begins with. */
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
  // The agent sees where its work comes from; the credentials stay with the worker.
  await git.local(gitDir, 'remote', 'add', 'origin', git.shown);
  const base = /^refs\/heads\/(.+)$/.exec(found.base?.name ?? '')?.[1];
  if (base !== undefined) await git.local(gitDir, 'update-ref', `refs/remotes/origin/${base}`, commits.at(-1) ?? start);
  await makeOutbox(git, places, formatOf(refs));
  return start;
}

async function makeOutbox(git: RepositoryGit, { outbox, gitDir }: Places, format: string): Promise<void> {
  await rm(outbox, { recursive: true, force: true });
  await git.local(outbox, 'init', '--quiet', '--bare', '--template=', format);
  const info = join(outbox, 'objects', 'info');
  await mkdir(info, { recursive: true });
  await writeFile(join(info, 'alternates'), `${join(gitDir, 'objects')}\n`);
}
