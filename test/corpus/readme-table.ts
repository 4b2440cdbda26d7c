import { endOf } from '../../src/model/phase.js';
import type { RunState } from '../../src/model/run-state.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { LABELS } from './labels.js';
import type { Story } from './story.js';

/** The table of the README, from what is recorded and labelled. */
export function readmeTable(runs: readonly { readonly story: Story; readonly state: RunState }[]): string {
  const rows = runs.map(({ story, state }) => {
    const { stopAfter, losesGoal, falseGoal = false } = LABELS[story.name] ?? {};
    const { costUsd } = totalSpend(state.spend);
    const ended = falseGoal ? 'goal (false)' : (endOf(state)?.class ?? '');
    const person =
      stopAfter === null || stopAfter === undefined
        ? ''
        : `${stopAfter}${losesGoal === true ? ', loses the goal' : ''}`;
    const cost = costUsd === undefined ? 'unknown' : `$${costUsd.toFixed(2)}`;
    return `| ${story.name} | ${story.about} | ${state.iterations} | ${cost} | ${ended} | ${person} |`;
  });
  return [
    '| run | what happens | iterations | cost | ended by | a person stops after |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}
