import type { StopCondition } from '../model/condition.js';
import { messageOf } from '../model/errors.js';
import type { LoopCommand } from '../model/loop-command.js';
import { canPause, isTerminal } from '../model/loop-state.js';
import { EMPTY_POLICY } from '../model/policy.js';
import type { RunState } from '../model/run-state.js';
import { evaluatePolicy } from '../stop/evaluate-policy.js';
import { factsOf } from '../stop/facts.js';
import { checkBudgetIsEnforceable } from './enforceable.js';

/** Why the state does not allow a command; undefined when it does. */
export function refusalOf(command: LoopCommand, state: RunState): string | undefined {
  const { status, waiting, open } = state;
  const refused = `cannot ${command.type} a run that is ${status}`;
  if (command.type === 'extend') {
    return status === 'completed' || status === 'error' ? refused : whyNotHeld(command.limit, state);
  }
  if (isTerminal(status) || status === 'idle') return refused;
  switch (command.type) {
    case 'pause':
      return canPause(status) ? undefined : refused;
    case 'resume':
      return status === 'paused' || (status === 'waiting' && waiting?.for !== 'approval') ? undefined : refused;
    case 'skip':
      if (status !== 'running') return refused;
      return open === undefined ? 'cannot skip: no iteration is under way' : undefined;
    case 'approve':
    case 'reject':
      return waiting?.for === 'approval' ? undefined : `${refused}, not waiting for approval`;
    case 'stop':
    case 'reboot':
    case 'steer':
      return undefined;
    default:
      return command satisfies never;
  }
}

/** A limit that nobody can hold would only stop the run. */
function whyNotHeld(limit: StopCondition, state: RunState): string | undefined {
  const policy = { ...EMPTY_POLICY, limits: [limit] };
  const { reasons } = evaluatePolicy(policy, factsOf(state));
  const blocked = reasons.find(({ condition, class: stopClass }) => condition !== undefined && stopClass === 'blocked');
  if (blocked !== undefined) return `cannot extend: ${blocked.message}`;
  try {
    if (state.agent !== undefined) checkBudgetIsEnforceable(policy, state.agent);
    return undefined;
  } catch (error) {
    return `cannot extend: ${messageOf(error)}`;
  }
}
