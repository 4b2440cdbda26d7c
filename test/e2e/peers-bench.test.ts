import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounds } from '../../bench/peers/bounds.js';
import { cellOf, type Results } from '../../bench/peers/results.js';

describe('the bench beside other runners, its quick form without them', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-bench-'));
  const out = join(folder, 'results.json');
  let results: Results;

  beforeAll(() => {
    const measures = 'iteration,survival,kill,max-iterations';
    const args = ['peers', '--quick', '--runners', 'bash,bare-node,pawl', '--measures', measures, '--out', out];
    const { stderr } = spawnSync(process.execPath, [resolve('scripts/bench.mjs'), ...args], { encoding: 'utf8' });
    if (!existsSync(out)) throw new Error(stderr);
    results = JSON.parse(readFileSync(out, 'utf8')) as Results;
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs the floors and Pawl, and none of them is left out in silence', () => {
    expect(results.runners.map(({ id, cannot }) => [id, cannot])).toEqual([
      ['bash', undefined],
      ['bare-node', undefined],
      ['pawl', undefined],
    ]);
    for (const { rows } of results.tables) expect(rows).toHaveLength(3);
  });

  it('a loop without a supervisor leaves the grandchild alive, so the check can fail', () => {
    expect(cellOf(results, 'survival', 'bash', 'interruptLeft')).toContain('grandchild');
    expect(cellOf(results, 'survival', 'bash', 'timeoutLeft')).toEqual({ cannot: 'has no timeout' });
    expect(cellOf(results, 'kill', 'bash', 'twoAtOnce')).toBe(true);
    expect(cellOf(results, 'kill', 'bash', 'started')).toBe(8);
  });

  it('Pawl leaves nothing behind and keeps its cap over kill -9', () => {
    expect(bounds(results).map(({ what, holds }) => [what, holds])).toEqual([
      ['left alive', true],
      ['agents after kill -9, cap 5', true],
    ]);
    expect(cellOf(results, 'kill', 'pawl', 'twoAtOnce')).toBe(false);
  });

  it('a cap on iterations is counted by the agents that started', () => {
    for (const id of ['bash', 'bare-node', 'pawl']) expect(cellOf(results, 'max-iterations', id, 'cap2')).toBe(2);
  });

  it('names no host and no path', () => {
    const text = readFileSync(out, 'utf8') + readFileSync(join(folder, 'results.md'), 'utf8');
    expect(text).not.toContain(tmpdir());
    expect(text).not.toContain(process.env['HOME'] ?? tmpdir());
  });

  it('draws both results', () => {
    const svg = readFileSync(join(folder, 'results.svg'), 'utf8');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).toContain('✗');
    expect(svg).toContain('✓');
  });
});
