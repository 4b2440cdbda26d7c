import type { RunState } from '../../model/run-state.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { type Style, type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

/** How a run ended, and why, in its own colour. */
export function outcomeLines(state: RunState, error: string | undefined, terminal: Terminal): readonly string[] {
  const broken = error ?? state.ended?.error;
  const outcome = broken === undefined ? state.status : 'error';
  const reason = state.ended?.reasons[0]?.message ?? '';
  const why = broken === undefined ? reason : systemErrorWords(broken);
  const already = outcome === 'completed' && state.iterations === 0 ? ' (already met, nothing was run)' : '';
  const headline = `${outcome}${why === '' ? '' : `: ${why}`}${already}`;
  return wrap(printable(headline), terminal.columns).map((line) => terminal.style(styleOf(outcome, state), line));
}

/** A pipeline that came to its end is good only if every item is. */
function styleOf(outcome: string, { pipeline, ended }: RunState): Style {
  const isGood = outcome === 'completed' && (pipeline === undefined || ended?.class === 'goal');
  return ['bold', isGood ? 'green' : outcome === 'error' ? 'red' : 'yellow'];
}
