import { describe, expect, it } from 'vitest';
import { documentedSnippets, snippetErrors, snippetsIn } from './architecture/snippets.js';

describe('the documentation', () => {
  it('has examples that compile', () => {
    expect(snippetErrors(documentedSnippets())).toEqual([]);
  });
});

describe('the checks themselves notice', () => {
  it('an example that does not compile', () => {
    const text = 'Text.\n\n```ts\nconst a: number = 1;\n```\n\n```ts\nconst a: string = 1;\n```\n';
    expect(snippetErrors(snippetsIn('a.md', text))).toEqual([
      "a.md:7 Type 'number' is not assignable to type 'string'.",
    ]);
  });
});
