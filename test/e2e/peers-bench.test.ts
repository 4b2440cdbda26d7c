import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bounds } from '../../bench/peers/bounds.js';
import { endMarked, pidsOf } from '../../bench/peers/marked-processes.js';
import { cellOf, type Results } from '../../bench/peers/results.js';
import { until } from '../../bench/peers/scratch-run.js';

const BENCH = resolve('scripts/bench.mjs');
const IDS = process.env['PAWL_TEST_ALL'] === '1' ? ['bash', 'bare-node', 'pawl'] : ['bash', 'pawl'];

const SIGNALS = process.env['PAWL_TEST_ALL'] === '1' ? (['SIGINT', 'SIGTERM'] as const) : (['SIGTERM'] as const);

describe('the bench beside other runners, its quick form without them', () => {
  let folder: string;
  let out: string;
  let results: Results;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pawl-peers-bench-'));
    out = join(folder, 'results.json');
    const measures = 'iteration,survival,kill,max-iterations';
    const args = ['peers', '--quick', '--runners', IDS.join(','), '--measures', measures, '--out', out];
    const { stderr } = spawnSync(process.execPath, [BENCH, ...args], { encoding: 'utf8' });
    if (!existsSync(out)) throw new Error(stderr);
    results = JSON.parse(readFileSync(out, 'utf8')) as Results;
  }, 300_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('runs the floors and Pawl, and none of them is left out in silence', () => {
    expect(results.runners.map(({ id, cannot }) => [id, cannot])).toEqual(IDS.map((id) => [id, undefined]));
    for (const { rows } of results.tables) expect(rows).toHaveLength(IDS.length);
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
    for (const id of IDS) expect(cellOf(results, 'max-iterations', id, 'cap2')).toBe(2);
  });

  it('names no host and no path', () => {
    const text = readFileSync(out, 'utf8') + readFileSync(join(folder, 'results.md'), 'utf8');
    expect(text).not.toContain(tmpdir());
    expect(text).not.toContain(process.env['HOME'] ?? tmpdir());
  });

  it('leaves the whole results alone, under the name that was asked for', () => {
    expect(readdirSync(folder).sort()).toEqual(['results-iteration.svg', 'results.json', 'results.md', 'results.svg']);
  });

  it('draws both results, on a ground of its own in either theme', () => {
    for (const name of ['results.svg', 'results-iteration.svg']) {
      const svg = readFileSync(join(folder, name), 'utf8');
      expect(svg).toContain('prefers-color-scheme: dark');
      expect(svg).toContain('class="ground"');
    }
    const hazards = readFileSync(join(folder, 'results.svg'), 'utf8');
    expect(hazards).toContain('mark good');
    expect(hazards).toContain('mark bad');
    expect(hazards).toContain('>cannot<');
  });
});

describe('the bench beside other runners, told to end in the middle', () => {
  const childrenOf = (pid: number) =>
    readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);

  it.each(SIGNALS)('%s ends what it started and removes its folders', async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-abort-'));
    const scratches = join(folder, 'tmp');
    mkdirSync(scratches);
    const out = join(folder, 'results.json');
    const args = ['peers', '--quick', '--runners', 'bash', '--measures', 'iteration,survival', '--out', out];
    const seen = new Set<string>();
    const bench = spawn(process.execPath, [BENCH, ...args], {
      env: { ...process.env, TMPDIR: scratches },
      stdio: 'ignore',
    });
    try {
      const marks = () => readdirSync(scratches).filter((name) => /^pawl-peers-(?!command)/.test(name));
      const roles = ['agent', 'child', 'grandchild'] as const;
      const alive = (mark: string) => roles.filter((role) => pidsOf(role, mark).length > 0);
      expect(await until(() => marks().some((mark) => alive(mark).length === roles.length), 60_000)).toBe(true);
      const [mark = ''] = marks();
      seen.add(mark);
      for (const pid of childrenOf(bench.pid ?? 0)) process.kill(pid, signal);
      await once(bench, 'exit');
      expect(bench.exitCode).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(alive(mark)).toEqual([]);
      expect(readdirSync(scratches)).toEqual([]);
      expect(readdirSync(folder)).toContain('results.unfinished.json');
      expect(existsSync(out)).toBe(false);
    } finally {
      bench.kill();
      for (const mark of seen) await endMarked(mark);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
