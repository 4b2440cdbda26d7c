import type { Tone } from '../../model/outcome.js';
import type { RunSummary } from '../../stop/run-summary.js';
import { type Style, type Terminal, wrap } from '../cli/terminal.js';
import { printable } from './printable.js';

const COLOURS: Readonly<Record<Tone, Extract<Style, string>>> = {
  good: 'green',
  bad: 'red',
  warn: 'yellow',
  live: 'cyan',
  still: 'reset',
};

/** The colour of an outcome on a terminal. */
export function colourOf({ tone }: { readonly tone: Tone }): Extract<Style, string> {
  return COLOURS[tone];
}

/** What happened and why, in its colour; below it what the agent said and did. */
export function summaryLines({ outcome, sentence, notes }: RunSummary, terminal: Terminal): readonly string[] {
  return [
    ...wrap(printable(sentence), terminal.columns).map((line) => terminal.style(['bold', colourOf(outcome)], line)),
    ...notes.flatMap((note) => wrap(printable(note), terminal.columns)),
  ];
}
