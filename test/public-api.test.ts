import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as pawl from '../src/index.js';

describe('the public API', () => {
  it('[c56] is a package of its own, whose entry points all come from an index of its sources', () => {
    const root = new URL('../', import.meta.url);
    const {
      name,
      private: isPrivate,
      exports,
      bin,
      dependencies,
      devDependencies,
      peerDependencies,
    } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    expect(name).toBe('pawl');
    expect(isPrivate).toBeUndefined();
    expect(bin).toEqual({ pawl: 'dist/bin/pawl.js' });
    const entries = Object.entries<{ types?: string; default?: string }>(exports).filter(([, { types }]) => types);
    expect(entries.map(([entry]) => entry)).toEqual(['.', './agent', './pipeline', './replay', './testing']);
    const needed = new Set<string>();
    for (const [, { types = '', default: code = '' }] of entries) {
      expect(types).toBe(code.replace(/\.js$/, '.d.ts'));
      const source = new URL(code.replace('./dist/', 'src/').replace(/\.js$/, '.ts'), root);
      for (const imported of packagesFrom(fileURLToPath(source))) needed.add(imported);
    }
    // What the build puts into the package is not installed with it; the price list is, and its types are used.
    expect(Object.keys(dependencies)).toEqual(['@pydantic/genai-prices']);
    const given = Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies });
    expect([...needed].filter((imported) => !given.includes(imported))).toEqual([]);
    expect(needed).toContain('yaml');
  });

  it('[c39] exports what SPEC-03 names from the index', () => {
    const named = [
      'maxIterations',
      'maxTokens',
      'maxInputTokens',
      'maxOutputTokens',
      'maxCost',
      'evaluateStopConditions',
      'calculateCost',
    ];
    for (const name of named) expect(pawl).toHaveProperty(name, expect.any(Function));
    expect(Object.keys(pawl.MODEL_PRICING)).toEqual(
      expect.arrayContaining([
        'claude-sonnet-4-5',
        'claude-opus-4-5',
        'claude-haiku-4-5',
        'gpt-4o',
        'gpt-4o-mini',
        'gemini-2.5-pro',
        'gemini-2.5-flash',
      ]),
    );
  });
});

/** Every package that a source imports, itself or through others of ours. */
function packagesFrom(path: string, seen = new Set<string>(), found = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return found;
  seen.add(path);
  const text = readFileSync(path, 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:import|export) (?!type\b)[^;]*?from '([^']+)'/gms)) {
    if (name.startsWith('.')) packagesFrom(resolve(dirname(path), name.replace(/\.js$/, '.ts')), seen, found);
    else if (!name.startsWith('node:'))
      found.add(
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
  }
  return found;
}
