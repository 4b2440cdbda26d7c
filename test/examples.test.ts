import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../src/config/load-config.js';
import { encodeRecord } from '../src/journal/record-scanner.js';
import { verifyJournal } from '../src/journal/verify-journal.js';
import { totalSpend } from '../src/model/spend-account.js';
import { createSpecRun } from '../src/run/run-handle.js';
import { recordedRun } from './support/recorded-run.js';

const examples = new URL('../examples/', import.meta.url);
const names = readdirSync(examples).filter((name) => /^\d\d-.*\.ts$/.test(name));

/** What an example says that it prints: the comment block at its end that starts with "Prints:". */
function promised(source: string): string[] {
  const [, block = ''] = source.split('// Prints:\n');
  return block
    .split('\n')
    .filter((line) => line.startsWith('//'))
    .map((line) => line.replace(/^\/\/ ?/, ''));
}

describe('examples', () => {
  it.each(names)('%s prints what it says', async (name) => {
    const printed: string[] = [];
    const log = vi.spyOn(console, 'log').mockImplementation((...words) => void printed.push(words.join(' ')));
    try {
      await import(new URL(name, examples).href);
    } finally {
      log.mockRestore();
    }
    expect(printed.join('\n').split('\n')).toEqual(promised(readFileSync(new URL(name, examples), 'utf8')));
  });

  it('are numbered without a gap', () => {
    expect(names.map((name) => Number(name.slice(0, 2)))).toEqual(names.map((_, index) => index + 1));
  });
});

describe('the recorded run', () => {
  const path = new URL('recorded-run/journal.jsonl', examples);

  it('is what its recorder makes', () => {
    const lines = recordedRun().map(({ v: _v, seq, at, activeMs, ...event }) =>
      encodeRecord(event, { seq, at, activeMs }).line.toString(),
    );
    if (process.env['PAWL_UPDATE'] === '1') writeFileSync(path, lines.join(''));
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
  });

  it('is a whole journal', async () => {
    const { state, torn } = await verifyJournal(path.pathname);
    expect(torn).toBeUndefined();
    expect(state).toMatchObject({ phase: { state: 'completed', end: { class: 'goal' } }, iterations: 6 });
  });
});

describe('the agent of one’s own', () => {
  it('is driven by the config alone', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pawl-example-own-'));
    try {
      cpSync(new URL('own-agent/', examples), folder, { recursive: true });
      const { spec } = loadConfig({ cwd: folder, env: { HOME: folder } });
      const run = createSpecRun(spec);
      const said: string[] = [];
      run.subscribe((event) => {
        if (event.type === 'agent-said') said.push(event.text);
        if (event.type === 'tool-called') said.push(`${event.name} ${event.input}`);
      });
      const { status } = await run.run();
      expect(status).toBe('completed');
      expect(said).toEqual(
        ['first', 'second', 'third'].flatMap((step) => [
          `"Make the next step.": the ${step} one.`,
          `append {"line":"${step}"}`,
        ]),
      );
      expect(run.runState).toMatchObject({ iterations: 3, agent: { name: 'stepper' }, session: { id: 'steps-1' } });
      expect(totalSpend(run.runState.spend)).toMatchObject({
        inputTokens: 3000,
        cacheReadTokens: 2400,
        outputTokens: 60,
        costUsd: 0.03,
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
