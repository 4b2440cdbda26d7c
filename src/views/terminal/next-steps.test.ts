import { describe, expect, it } from 'vitest';
import { started, stateAfter } from '../../../test/support/record.js';
import { resolveConfig } from '../../config/resolve-config.js';
import type { RunSpec } from '../../model/run-spec.js';
import type { RunState } from '../../model/run-state.js';
import { nextSteps } from './next-steps.js';

const RUN = 'loop_01K9ZZZZZZ0000000000000000';

function endedIn(
  repository: string,
  more: Partial<RunSpec> = {},
  state: 'completed' | 'stopped' = 'completed',
): RunState {
  const { spec } = resolveConfig({});
  const path = '/state/it is';
  const placed = { ...spec, workingDir: `${path}/sub`, worktree: { path, branch: 'pawl/try', repository }, ...more };
  return stateAfter(started(spec.policy, { spec: placed }), {
    type: 'run-ended',
    state,
    class: 'operator',
    reasons: [],
  });
}

describe('what comes after a run in a worktree', () => {
  it('is to merge its branch, to remove it, and to look at it there', () => {
    expect(nextSteps(RUN, endedIn(process.cwd(), { commit: 'iteration' }))).toEqual([
      'git merge pawl/try',
      "git worktree remove '/state/it is'",
      "pawl show 01K9ZZZZZZ --cwd '/state/it is/sub'",
    ]);
  });

  it('names the tree to merge into where the user stands elsewhere', () => {
    const steps = nextSteps(RUN, endedIn('/home/user/repo', { commit: 'end' }, 'stopped'), ' --cwd repo');
    expect(steps.slice(0, 3)).toEqual([
      'pawl resume 01K9ZZZZZZ --cwd repo',
      'git -C /home/user/repo merge pawl/try',
      "git -C /home/user/repo worktree remove '/state/it is'",
    ]);
  });

  it('begins with the commit that nobody has made', () => {
    expect(nextSteps(RUN, endedIn(process.cwd(), { commit: 'never' }))[0]).toBe(
      "git -C '/state/it is' add --all && git -C '/state/it is' commit",
    );
  });
});
