import { describe, expect, it } from 'vitest';
import { withVariables } from './command-variables.js';
import { fillIn, namesIn, variableOf } from './template.js';

const FIELDS = ['file-name', 'Alt Text', 'größe', '名前', 'a.b', 'x'];

describe('a field that is called as columns are', () => {
  it.each(FIELDS)('%s is filled in, with spaces around it or without', (field) => {
    expect(fillIn(`<{{item.${field}}}> {{ item.${field} }}`, (name) => name)).toBe(`<item.${field}> item.${field}`);
  });

  it.each(FIELDS)('%s reaches a command in a variable that a shell knows', (field) => {
    const variable = variableOf(`item.${field}`);
    expect(variable).toMatch(/^PAWL_ITEM_[A-Z0-9_]+$/);
    expect(withVariables(`x {{item.${field}}}`)).toBe(`x "$${variable}"`);
  });

  it('ends at its braces and at the end of its line', () => {
    expect(namesIn('{{item.a b}} {{item.c}} {{item.d\n}} {{ no name }} {{item.}}')).toEqual(['item.a b', 'item.c']);
  });
});
