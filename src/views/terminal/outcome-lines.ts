import type { RunState } from '../../model/run-state.js';
import { outcomeWord } from '../../model/stop-class.js';
import { systemErrorWords } from '../../model/system-error-words.js';
import { type Style, type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

/** How a run ended, and why, in its own colour. */
export function outcomeLines(state: RunState, error: string | undefined, terminal: Terminal): readonly string[] {
  const broken = error ?? state.ended?.error;
  const outcome = broken === undefined ? outcomeWord(state.status, state.ended?.class) : 'error';
  const reason = state.ended?.reasons[0]?.message ?? '';
  const why = broken === undefined ? reason : systemErrorWords(broken);
  const already = outcome === 'completed' && state.iterations === 0 ? ' (already met, nothing was run)' : '';
  const headline = `${outcome}${why === '' ? '' : `: ${why}`}${already}`;
  return wrap(printable(headline), terminal.columns).map((line) => terminal.style(styleOf(outcome), line));
}

function styleOf(outcome: string): Style {
  return ['bold', outcome === 'completed' ? 'green' : outcome === 'error' ? 'red' : 'yellow'];
}
