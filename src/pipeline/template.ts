import { didYouMean } from '../model/nearest.js';

/** What a template may ask for by `{{name}}`, beside the fields of the item. */
export const TEMPLATE_NAMES = ['attempt', 'feedback', 'reasons', 'output', 'last_output'] as const;

const PLACEHOLDER = /\{\{ *([A-Za-z_]\w*(?:\.\w+)?) *\}\}/g;

/** The value of a name; undefined for one that is not known, whose braces then stay. */
export type ValueOfName = (name: string) => string | undefined;

/** The names of a template in order, each once. */
export function namesIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** Replaces known names, once: what is put in is never searched again. */
export function fillIn(template: string, valueOf: ValueOfName): string {
  return template.replace(PLACEHOLDER, (braces, name: string) => valueOf(name) ?? braces);
}

/** Why a name cannot stand in a command or an output; undefined when it can. */
export function nameProblem(name: string, allowed: readonly string[] = TEMPLATE_NAMES): string | undefined {
  if (/^item\.\w+$/.test(name) || allowed.includes(name)) return undefined;
  const known = ['item.id', ...allowed];
  return `unknown name {{${name}}}${didYouMean(name, known)}; there are {{item.FIELD}}${allowed.map((one) => `, {{${one}}}`).join('')}`;
}

/** The variable that carries the value of a name into a shell. */
export function variableOf(name: string): string {
  return `PAWL_${name.replace('.', '_').toUpperCase()}`;
}
