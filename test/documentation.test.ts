import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_NAMES, findAdapter } from '../src/agents/find-adapter.js';
import { documentedSnippets, snippetErrors, snippetsIn } from './architecture/snippets.js';

describe('the documentation', () => {
  it('has examples that compile', () => {
    expect(snippetErrors(documentedSnippets())).toEqual([]);
  });

  it('links only to files that exist', () => {
    const folders = ['docs/guide', 'docs/decisions'];
    const pages = [
      'README.md',
      'SECURITY.md',
      ...folders.flatMap((folder) => pagesIn(folder).map((name) => join(folder, name))),
    ];
    const missing = pages.flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .filter(([, target = '']) => !existsSync(join(dirname(page), target)))
        .map(([, target = '']) => `${page}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  it.each(['docs/guide', 'docs/decisions'])('has every page of %s in its index', (folder) => {
    const index = readFileSync(join(folder, 'README.md'), 'utf8');
    expect(pagesIn(folder).filter((name) => name !== 'README.md' && !index.includes(`](${name})`))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = readFileSync('README.md', 'utf8');

  it('shows of each agent that it lists what Pawl knows about it', () => {
    const rows = [...readme.matchAll(/^\|[^|]+\(`([\w-]+)`\) \|[^|]+\|[^|]+\| ([^|]+) \| ([^|]+) \|$/gm)];
    const listed = rows.map(([, name = '', session = '', context = '']) => ({ name, session, context }));
    const names = listed.map(({ name }) => name);
    expect(names).toEqual(AGENT_NAMES.filter((name) => names.includes(name)));
    expect(listed).toEqual(names.map(knownOf));
    expect(names.length).toBeGreaterThan(5);
  });

  it('says what the first install needs before it, and where runs are recorded where they first are', () => {
    const [first = ''] = readme.split('```sh\n');
    expect(first).toMatch(/npm registry/);
    const [, ran = ''] = readme.split('pawl list ');
    expect(ran.slice(0, ran.indexOf('\n- **'))).toMatch(/`\.ralph`/);
  });

  it('comes to its first list of links within two screens', () => {
    const before = readme.slice(0, readme.indexOf('\n- ['));
    expect(before.split('\n').length).toBeLessThan(100);
  });
});

const pagesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.md'));

function knownOf(name: string) {
  if (name === 'command') return { name, session: 'if reported', context: 'if reported' };
  const adapter = findAdapter(name);
  const context = adapter?.context === 'requests' ? 'computed' : (adapter?.context ?? 'not known');
  return { name, session: adapter?.canResume === true ? 'resumed' : 'new each time', context };
}

describe('the checks themselves notice', () => {
  it('an example that does not compile', () => {
    const text = 'Text.\n\n```ts\nconst a: number = 1;\n```\n\n```ts\nconst a: string = 1;\n```\n';
    expect(snippetErrors(snippetsIn('a.md', text))).toEqual([
      "a.md:7 Type 'number' is not assignable to type 'string'.",
    ]);
  });
});
