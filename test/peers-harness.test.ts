import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bounds } from '../bench/peers/bounds.js';
import { pidsOf } from '../bench/peers/marked-processes.js';
import { ResultFile } from '../bench/peers/result-file.js';
import type { Results } from '../bench/peers/results.js';
import type { Runner } from '../bench/peers/runner.js';
import { interleaved } from '../bench/peers/samples.js';
import { withRun } from '../bench/peers/scratch-run.js';
import { shownCell } from '../bench/peers/table.js';

const ONCE = { iterations: 1, delay: 'none' } as const;

function runnerOf(id: string, changes: Partial<Runner> = {}): Runner {
  return {
    id,
    name: id,
    version: '1',
    prepare: () => {},
    command: () => ['bash', '-c', 'echo go | claude -p; wait'],
    resume: () => ({ cannot: 'has no resume' }),
    finished: () => undefined,
    ...changes,
  };
}

describe('one runner of the bench cannot spoil the others', () => {
  it('a run that takes too long is ended with all that it started, and its cell says so', async () => {
    let mark = '';
    const late = await withRun(
      runnerOf('slow'),
      ONCE,
      { kind: 'spawn-and-hang' },
      async ({ scratch, launched }) => {
        mark = scratch.mark;
        return launched.exited;
      },
      { limitMs: 1000 },
    );
    expect(typeof late === 'object' && shownCell(late, 'text')).toBe('not within 1 s');
    for (const role of ['agent', 'child', 'grandchild'] as const) expect(pidsOf(role, mark)).toEqual([]);
    expect(existsSync(join(tmpdir(), mark))).toBe(false);
  });

  it('what a runner throws is its own cell, without a path in it', async () => {
    const broken = runnerOf('broken', {
      prepare: (project) => {
        throw new Error(`no such file, open '${project}/prd.json'`);
      },
    });
    const cell = await withRun(broken, ONCE, { kind: 'work' }, async () => 1);
    expect(cell).toEqual({ cannot: "failed: no such file, open '..." });
  });

  it('what is thrown in one round leaves the samples of the others', async () => {
    const runners = [runnerOf('good'), runnerOf('bad')];
    const samples = await interleaved(runners, 3, async ({ id }) => {
      if (id === 'bad') throw new Error('git does not work here');
      return 7;
    });
    expect([...samples]).toEqual([
      ['good', 7],
      ['bad', { cannot: 'failed: git does not work here' }],
    ]);
  });

  it('a runner that takes long gets fewer rounds', async () => {
    const taken: string[] = [];
    const runners = [runnerOf('fast'), runnerOf('paused')];
    await interleaved(
      runners,
      ({ id }) => (id === 'paused' ? 1 : 3),
      async ({ id }) => taken.push(id),
    );
    expect(taken).toEqual(['fast', 'paused', 'fast', 'fast']);
  });
});

function resultsOf(kept: Readonly<Record<string, string>>): Results {
  const periods = { 'pawl-untracked': 8, keeper: 10, forgetful: 4, silent: 4 };
  const column = { id: 'x', title: 'x', unit: 'text' } as const;
  const table = (id: string, rows: Results['tables'][number]['rows']) => ({
    id,
    title: id,
    about: '',
    columns: [column],
    rows,
  });
  return {
    date: '2026-11-15',
    machine: { cpu: 'a', cores: 2, memoryGb: 4, system: 'linux', node: '20' },
    isQuick: false,
    hasNetwork: false,
    runners: Object.keys(periods).map((id) => ({ id, name: id, version: '1' })),
    unrunnable: [],
    tables: [
      table(
        'iteration',
        Object.entries(periods).map(([runner, periodMs]) => ({ runner, cells: { periodMs, ratio: periodMs / 4 } })),
      ),
      table(
        'kill',
        Object.entries(kept).map(([runner, words]) => ({ runner, cells: { kept: words } })),
      ),
    ],
  };
}

describe('what Pawl has to be faster than', () => {
  it('is a peer whose record survived kill -9; the others stand beside without a bound', () => {
    const found = bounds(resultsOf({ keeper: '2 of 2', forgetful: '0 of 2', silent: 'no record' }));
    expect(found.slice(1).map(({ figure, bound, holds }) => [figure, bound, holds])).toEqual([
      ['0.80 x', '< 1 x', true],
      ['2.00 x', undefined, undefined],
      ['2.00 x', undefined, undefined],
    ]);
    expect(found[2]?.what).toContain('does not survive kill -9');
  });

  it('is nobody when kill -9 was not measured, rather than everybody or a guess', () => {
    const found = bounds(resultsOf({})).slice(1);
    expect(found.map(({ what, bound }) => [what.endsWith('kill -9 not measured'), bound])).toEqual(
      found.map(() => [true, undefined]),
    );
  });

  it('a slower Pawl misses the bound', () => {
    const found = bounds(resultsOf({ keeper: '2 of 2', forgetful: '2 of 2' }));
    expect(found.filter(({ holds }) => holds === false).map(({ figure }) => figure)).toEqual(['2.00 x']);
  });
});

describe('the results of a run that is broken off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pawl-peers-file-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('are kept beside the last whole ones, which stay until a run is finished', () => {
    const path = join(folder, 'latest.json');
    const dateIn = (file: string) => (JSON.parse(readFileSync(file, 'utf8')) as Results).date;
    const first = resultsOf({});
    new ResultFile(path).finish(first);
    const second = new ResultFile(path);
    expect(second.unfinished).toBeUndefined();
    second.keep({ ...first, date: '2026-11-16' });
    expect(dateIn(path)).toBe('2026-11-15');
    expect(dateIn(second.unfinished ?? '')).toBe('2026-11-16');
    second.finish({ ...first, date: '2026-11-17' });
    expect(dateIn(path)).toBe('2026-11-17');
    expect(existsSync(join(folder, 'latest.unfinished.json'))).toBe(false);
  });
});
