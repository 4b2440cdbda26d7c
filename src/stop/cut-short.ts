import { count } from '../model/figures.js';
import type { IterationSummary, RunState } from '../model/run-state.js';
import { endOf } from '../model/phase.js';
import { systemErrorWords } from '../model/system-error-words.js';

/** The run itself broke in it, and could still record that. */
export function isBroken({ interruption, error }: IterationSummary): boolean {
  return interruption === 'crash' && error !== undefined;
}

/** Iterations that a crash cut short, and from which the run was resumed. */
export function cutShortNote(state: RunState): string | undefined {
  const { recent } = state;
  const last = recent.at(-1);
  const cut = recent.filter((one) => {
    const isEnd = one === last && isBroken(one) && endOf(state)?.error !== undefined;
    return one.interruption === 'crash' && !isEnd;
  });
  if (cut.length === 0) return undefined;
  const isOne = cut.length === 1;
  const which = `Iteration${isOne ? '' : 's'} ${listed(cut.map(({ iteration }) => count(iteration)))}`;
  const why = whyText(cut);
  const resumed = `${which} ${isOne ? 'was' : 'were'} cut short ${why}; the run was resumed${isOne ? '' : ' each time'} on the files as they were then`;
  return [resumed, ...costTexts(cut)].join('. ');
}

function whyText(cut: readonly IterationSummary[]): string {
  if (cut.every(({ error }) => error === undefined)) return 'when Pawl was killed or the machine went down';
  const [error] = cut.length === 1 ? cut.map((one) => one.error) : [];
  return error === undefined ? 'when Pawl was killed or failed' : `when Pawl failed (${systemErrorWords(error)})`;
}

/** What it spent is not recorded where it died before it reported that. */
function costTexts(cut: readonly IterationSummary[]): readonly string[] {
  const unreported = cut.filter(({ estimated }) => estimated);
  if (unreported.length === 0) return [];
  const whose = cut.length === 1 ? 'Its cost' : 'Their cost';
  return [
    unreported.some(({ spend }) => spend.costUsd === undefined) ? `${whose} is unknown` : `${whose} is an estimate`,
  ];
}

function listed(numbers: readonly string[]): string {
  const last = numbers.at(-1) ?? '';
  return numbers.length < 2 ? last : `${numbers.slice(0, -1).join(', ')} and ${last}`;
}
