import { bracesAround, fieldsOf } from '../../model/placeholder.js';

/** What a prompt may name as `{{name}}`, in addition to the fields of the item. */
const TEMPLATE_NAMES = ['attempt', 'feedback', 'reasons', 'output', 'last_output'] as const;

export const PLACEHOLDER = bracesAround(`${fieldsOf('item')}|[A-Za-z_]\\w*(?:\\.\\w+)?`);
const FIELD = 'item.';

/** The value of a name; undefined for one that is not known, whose braces then stay. */
export type ValueOfName = (name: string) => string | undefined;

/** The names of a template in order, each once. */
export function namesIn(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name))];
}

/** The field of the item that a name asks for; undefined when it asks for something else. */
export function fieldOf(name: string): string | undefined {
  return name.startsWith(FIELD) ? name.slice(FIELD.length) : undefined;
}

/** Replaces known names, once: what is put in is never searched again. */
export function fillIn(template: string, valueOf: ValueOfName): string {
  return template.replace(PLACEHOLDER, (braces, name: string) => valueOf(name) ?? braces);
}

export function isKnownName(name: string): boolean {
  return fieldOf(name) !== undefined || (TEMPLATE_NAMES as readonly string[]).includes(name);
}

/** The variable that carries the value of a name into a shell; what cannot appear in such a name becomes `_`. */
export function variableOf(name: string): string {
  return `PAWL_${name.replace(/[^A-Za-z0-9_]/gu, '_').toUpperCase()}`;
}
