import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { encodeRecord } from '../src/journal/record-line.js';
import { verifyJournal } from '../src/journal/verify-journal.js';
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
    expect(state).toMatchObject({ status: 'completed', iterations: 6, ended: { class: 'goal' } });
  });
});
