import { didYouMean } from '../model/nearest.js';
import { bracesAround, fieldsOf } from '../model/placeholder.js';

/** What a template may ask for by `{{name}}`, beside the fields of the item. */
export const TEMPLATE_NAMES = ['attempt', 'feedback', 'reasons', 'output', 'last_output'] as const;

const PLACEHOLDER = bracesAround(`${fieldsOf('item')}|[A-Za-z_]\\w*(?:\\.\\w+)?`);
const PLACEHOLDER_HERE = new RegExp(PLACEHOLDER.source, 'y');
const FIELD = 'item.';

/** The value of a name; undefined for one that is not known, whose braces then stay. */
export type ValueOfName = (name: string) => string | undefined;

/** The names of a template in order, each once. */
export function namesIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The name that stands at a position, and how long it is with its braces. */
export function nameAt(template: string, at: number): { readonly name: string; readonly length: number } | undefined {
  PLACEHOLDER_HERE.lastIndex = at;
  const found = PLACEHOLDER_HERE.exec(template);
  return found === null ? undefined : { name: found[1] ?? '', length: found[0].length };
}

/** The field of the item that a name asks for; undefined when it asks for something else. */
export function fieldOf(name: string): string | undefined {
  return name.startsWith(FIELD) ? name.slice(FIELD.length) : undefined;
}

/** Replaces known names, once: what is put in is never searched again. */
export function fillIn(template: string, valueOf: ValueOfName): string {
  return template.replace(PLACEHOLDER, (braces, name: string) => valueOf(name) ?? braces);
}

/** Why a name cannot stand in a command or an output; undefined when it can. */
export function nameProblem(name: string, allowed: readonly string[] = TEMPLATE_NAMES): string | undefined {
  if (fieldOf(name) !== undefined || allowed.includes(name)) return undefined;
  const known = ['item.id', ...allowed];
  return `unknown name {{${name}}}${didYouMean(name, known)}; there are {{item.FIELD}}${allowed.map((one) => `, {{${one}}}`).join('')}`;
}

/** The variable that carries the value of a name into a shell; what cannot stand in such a name becomes `_`. */
export function variableOf(name: string): string {
  return `PAWL_${name.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase()}`;
}
