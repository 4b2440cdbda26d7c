import type * as z from 'zod/mini';
import { CONDITION_CATALOG, CONDITION_TYPES } from '../../src/model/condition-catalog.js';
import { isOptional } from '../../src/model/fields.js';
import { allowedBy } from '../../src/model/read-value.js';

/** Every condition that a file can have, with each field, as markdown. */
export function conditionReference(): string {
  const definitions = CONDITION_TYPES.map((type) => CONDITION_CATALOG[type])
    .filter(({ onlyInCode }) => onlyInCode !== true)
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return definitions
    .map(({ type, about, fields, short, class: stopClass, neutral, live, where, streak }) => {
      const rows = Object.entries(fields).map(
        ([name, schema]) =>
          `| \`${name}\`${name === short ? ' (short form)' : ''} | ${cell(takes(schema))} | ${isOptional(schema) ? '' : 'required'} |`,
      );
      const facts = [
        neutral === true ? 'Its class is the list it is in' : `Class: ${stopClass}`,
        live === true ? 'checked during an iteration' : 'checked after each iteration',
        ...(streak === true ? ['counts iterations in a row'] : []),
        ...(where === 'both'
          ? ['in runs and pipelines']
          : where === 'pipeline'
            ? ['in pipelines only']
            : ['in runs only']),
      ];
      const table = rows.length === 0 ? '' : `\n| field | takes | |\n|---|---|---|\n${rows.join('\n')}\n`;
      return `## ${type}\n\n${about === 'never' ? 'Never met' : `Met when ${about}`}.\n\n${facts.join('; ')}.\n${table}`;
    })
    .join('\n');
}

const takes = (schema: z.ZodMiniType) =>
  allowedBy(isOptional(schema) ? (schema._zod.def.innerType as z.ZodMiniType) : schema);
const cell = (text: string) => text.replaceAll('|', '\\|');
