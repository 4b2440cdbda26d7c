import { endOf, loopStateOf } from '../model/phase.js';
import type { RunState } from '../model/run-state.js';
import type { Judgement, Verdict } from '../model/verdict.js';
import { evaluateRun } from './evaluate-policy.js';
import { plural } from '../model/figures.js';

/** Why a run that ended without its goal is not done: each goal in a sentence. Nothing where there is no goal. */
export function goalShortfall(state: RunState): readonly string[] {
  if (endOf(state)?.class === 'goal' || loopStateOf(state) === 'completed') return [];
  const judgements = lastVerdict(state)?.judgements ?? [];
  return judgements
    .filter((judgement) => judgement.class === 'goal')
    .map((judgement) => `${judgement.sentence}${whyItDoesNotCount(judgement, judgements, state)}`);
}

/** A run that broke was not judged at its end: the last verdict may be one of an earlier iteration. */
function lastVerdict(state: RunState): Verdict | undefined {
  return endOf(state) === undefined || loopStateOf(state) === 'error' ? evaluateRun(state) : state.verdict;
}

/** A goal that is met and has not ended the run needs an explanation. */
function whyItDoesNotCount({ status }: Judgement, judgements: readonly Judgement[], state: RunState): string {
  if (status !== 'met') return '';
  const vetoes = judgements.filter((judgement) => judgement.class === 'veto');
  const unseen = vetoes.find((veto) => veto.status === 'unknown');
  if (vetoes.some((veto) => veto.status === 'met')) return ', but a rejection goes before it';
  if (unseen !== undefined) return `, but a guard could not be checked: ${unseen.sentence}`;
  const { atLeast = 0 } = state.policy;
  return state.iterations < atLeast ? `, but goals count only after ${plural(atLeast, 'iteration')}` : '';
}
