import { leavesOf } from '../model/condition.js';
import { policyEntries } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { changedBetween, digestOf, type Guarded, GuardedFiles } from '../observation/guarded-files.js';

/** The protected files of a run, from iteration to iteration. */
export interface GuardWatch {
  /** Takes what an iteration starts from. */
  begin(): Promise<void>;
  /** Protected paths that have changed since; undefined when it cannot be told. */
  changes(): Promise<readonly string[] | undefined>;
  /** Of the last look, for the record: after a crash it is all that is left to compare with. */
  readonly digest: string | undefined;
  /** What is protected, as it is written, where the path that changed cannot be told. */
  readonly protectedPath: string;
}

/** Undefined when the policy protects nothing. */
export function watchGuard({ policy, workingDir }: RunSpec): GuardWatch | undefined {
  const leaves = policyEntries(policy).flatMap(({ condition }) => leavesOf(condition));
  const conditions = leaves.filter((leaf) => leaf.type === 'protected_path_changed');
  if (conditions.length === 0) return undefined;
  const files = new GuardedFiles(workingDir, conditions);
  let before: Guarded = { contents: new Map(), problem: 'nobody has looked yet' };
  let last = before;
  return {
    async begin() {
      before = await files.look();
      last = before;
    },
    async changes() {
      last = await files.look();
      return changedBetween(before, last);
    },
    protectedPath: conditions[0]?.paths[0] ?? '',
    get digest() {
      return digestOf(last);
    },
  };
}
