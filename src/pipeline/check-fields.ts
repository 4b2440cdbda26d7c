import { ConfigError } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import type { Item } from './item.js';
import { nearName } from './near-name.js';
import { fieldOf, namesIn } from './template.js';

const MOST_ISSUES = 20;

/** Throws ConfigError when a template asks for a field that an item does not have. */
export function checkFields(templates: readonly (string | undefined)[], items: readonly Item[]): void {
  const names = new Set(templates.flatMap((template) => namesIn(template ?? '')));
  const fields = [...names].flatMap((name) => fieldOf(name) ?? []);
  const issues = fields.flatMap((field) => {
    const without = items.find((item) => !Object.hasOwn(item.fields, field));
    if (without === undefined) return [];
    const known = Object.keys(without.fields);
    const message = `the item ${clip(JSON.stringify(without.id))} has no ${field}${nearName(field, known) || `; it has ${clip(known.join(', '))}`}`;
    return [{ path: 'items', place: without.place, message }];
  });
  if (issues.length > 0) throw new ConfigError(issues.slice(0, MOST_ISSUES));
}
