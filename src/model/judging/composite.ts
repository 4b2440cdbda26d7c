import { type Answer, type InnerResult, type Inside, unknown } from './answer.js';
import type { AnyCondition } from './condition-definition.js';

type Children = readonly InnerResult[];

/** What goes without saying is left out, unless nothing else is left to say. */
export function sentences(children: Children, separator: string): string {
  const said = children.filter(({ isImplied }) => isImplied !== true);
  return (said.length > 0 ? said : children).map(({ reason }) => reason).join(separator);
}

/** Remembers whether unknown spend is behind it, so that a limit can fail closed. */
export function stillUnknown(open: Children, progress: number | undefined, inside: Inside): Answer {
  const problem = open.find((child) => child.spendUnknown !== undefined)?.spendUnknown;
  return unknown(sentences(open, ', '), progress, { ...inside, spendUnknown: problem });
}

/** Without its "when", which the condition around it says. */
export function insideOf(text: string): string {
  return text.replace(/^when,? /, '');
}

/** Brackets keep `a and (b or c)` apart from `(a and b) or c`. */
export function grouped(inner: AnyCondition, text: string): string {
  return inner.type === 'all' || inner.type === 'any' ? `(${text})` : text;
}
