import type { RemoteGit } from './remote-git.js';
import { CloneFailed } from './clone-failed.js';

/** A ref or commit of the remote that a clone begins with. */
export interface RemoteRef {
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
