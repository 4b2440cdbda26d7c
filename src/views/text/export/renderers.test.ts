import fc from 'fast-check';
import { anyCharacter } from '../../../../test/support/any-character.js';
import { describe, expect, it } from 'vitest';
import { end, begin, iteration, record, started } from '../../../../test/support/record.js';
import { recordedRun } from '../../../../test/support/recorded-run.js';
import { exportOf, exportWithSummary } from '../../../../test/support/run-export.js';
import type { RunEvent } from '../../../model/run-event.js';
import { printable } from '../../../words/printable.js';
import { csvExport, csvText } from './csv-export.js';
import { htmlExport } from './html-export.js';
import { markdownExport } from './markdown-export.js';

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[click](https://evil.example)',
  '![pixel](https://evil.example/p.png)',
  'https://evil.example and www.evil.example',
  '@maintainer please merge #1 GH-1 deadbeefcafe',
  '` | </td> ``` | <b>',
  '\\| \\` | `',
  '-->\n\n# heading\n\n- [ ] list\n1. one',
  '$\\href{https://evil.example}{x}$',
  '&lt;b&gt; &#64;me',
  '=HYPERLINK("https://evil.example")',
  '\u202Eevil\u200B\u001b[2J',
  '*a* _b_ ~c~ **d**',
  'me@evil.example',
  '```\n</pre><script>',
];
const anything = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(fc.constantFrom(...HOSTILE, '`', '|', '\n', '\\', '@', '<', '~~~', 'a'), { maxLength: 6 })
    .map((parts) => parts.join('')),
);

const REVIEW = { iteration: 2, cause: 'goal', reviewer: 'r', evidence: 'e' } as const;

/** A run in which every text from outside is this one. */
function hostileRun(text: string): readonly RunEvent[] {
  return record([
    started({}, { agent: { name: text, usage: 'live', model: text } }),
    begin(1),
    { type: 'agent-said', text },
    { type: 'tool-called', name: text, input: text },
    { type: 'tool-answered', output: text },
    end(1, { observation: { summary: text } }),
    begin(2),
    end(2, { outcome: 'failed', error: text }),
    { type: 'review-started', ...REVIEW },
    { type: 'review-ended', ...REVIEW, opinion: { answer: 'not_done', reasons: [text] }, durationMs: 1 },
    {
      type: 'run-ended',
      state: 'stopped',
      class: 'failure',
      reasons: [{ path: text, class: 'failure', message: text }],
    },
  ] as const);
}
const hostileExport = (text: string) =>
  exportWithSummary(hostileRun(text), { hasOutput: true, read: { workingDir: `/srv/${text}`, problem: text } });

describe('csv', () => {
  /** RFC 4180, strictly. */
  function parse(text: string): readonly (readonly string[])[] {
    const rows: string[][] = [];
    const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
    let row: string[] = [];
    while (field.lastIndex < text.length) {
      const found = field.exec(text);
      if (found === null) throw new Error('this is no CSV');
      row.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '');
      if (found[3] !== ',') rows.push(row.splice(0));
    }
    return rows;
  }

  it('gives back what was put in, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anything, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        (rows) => {
          const back = parse(csvText(rows));
          const given = rows.map((row) => row.map((cell) => printable(cell)));
          expect(back.map((row) => row.map((cell, index) => [cell, index]))).toEqual(
            given.map((row) =>
              row.map((cell, index) => [
                /^[=+\-@\t\n＝＋－＠]/.test(cell) && !isNumber(cell) ? `'${cell}` : cell,
                index,
              ]),
            ),
          );
        },
      ),
    );
  });

  it.each(['=1+1', '+1+1', '-1+1', '@SUM(A1)', '\t=1', '\n=1', '＝1', '-', '--1', '-1e'])(
    'the formula %j is only text to a spreadsheet',
    (cell) => {
      expect(parse(csvText([[cell]]))[0]?.[0]).toBe(`'${cell}`);
    },
  );

  it.each(['-1', '+2.5', '-1e-7', '0'])('the number %s stays one', (cell) => {
    expect(csvText([[cell, Number(cell)]])).toBe(`${cell},${Number(cell)}\r\n`);
  });

  it('has a row for each iteration under names with units', () => {
    const [head = [], ...rows] = parse(csvExport(exportOf(recordedRun())));
    expect(head).toEqual(expect.arrayContaining(['run', 'iteration', 'cost_usd', 'duration_ms', 'tests_passed']));
    expect(rows).toHaveLength(6);
    expect(rows.every((row) => row.length === head.length)).toBe(true);
    expect(rows[0]?.[head.indexOf('cost_usd')]).toBe('0.083');
    expect(rows[0]?.[head.indexOf('context_percent')]).toBe('');
  });
});

function isNumber(text: string): boolean {
  return /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text);
}

describe('markdown', () => {
  /** What is left when code is taken out, block by block, as CommonMark reads it. */
  function outsideOfCode(text: string): string {
    let fence = '';
    const lines = text.split('\n').filter((line) => {
      const closes = fence !== '' && /^ {0,3}`+\s*$/.test(line) && line.trim().length >= fence.length;
      const isInside = fence !== '';
      if (closes) fence = '';
      else if (!isInside) fence = /^(`{3,})text$/.exec(line)?.[1] ?? '';
      return !isInside && fence === '';
    });
    return lines
      .map((line) => (line.startsWith('|') ? line.split('|').map(withoutSpans).join('|') : withoutSpans(line)))
      .join('\n');
  }
  function withoutSpans(text: string): string {
    return text.replace(/(?<!`)(`+)(?!`)(?:[\s\S]*?[^`])\1(?!`)/g, '');
  }

  it.each(HOSTILE)('%j is shown and becomes nothing', (text) => {
    expectHarmless(markdownExport(...hostileExport(text)));
  });

  it('nothing that an agent writes becomes markup', () => {
    fc.assert(fc.property(anything, (text) => expectHarmless(markdownExport(...hostileExport(text)))));
  });

  function expectHarmless(text: string): void {
    const rest = outsideOfCode(text)
      .replaceAll(/<\/?sub>/g, '')
      .replaceAll(/> \*\*Note:\*\*|\*\*Why:\*\*|^\*\*Iteration \d\*\*$/gm, '');
    expect(rest).not.toMatch(/[<>[\]@`\\~_&*!$]|https?:|www\.|GH-|#\d|\b[0-9a-f]{7,}\b/);
    // Only our own headings, and tables that have as many cells in each row.
    const headings = rest.split('\n').filter((line) => line.startsWith('#'));
    expect(headings.map((line) => line.replace(/:.*/, ''))).toEqual([
      '## Run 01TEST',
      '### Iterations',
      '### Reviews',
      '### Output',
    ]);
    const rows = rest.split('\n').filter((line) => line.startsWith('|'));
    expect([...new Set(rows.map((line) => line.split('|').length))].toSorted((a, b) => a - b)).toEqual([4, 6, 9]);
  }

  it('starts with the outcome and why', () => {
    const [title, , why] = markdownExport(...exportWithSummary(recordedRun())).split('\n');
    expect(title).toBe('## Run 01K8T6Q2N5: done');
    expect(why).toContain('all 8 tests pass');
  });

  it('of many iterations shows the first and the last, says what it leaves out, and fits into an issue', () => {
    const many = Array.from({ length: 3000 }, (_, index) => iteration(index + 1, { summary: 'x'.repeat(5000) })).flat();
    const text = markdownExport(...exportWithSummary(record([started(), ...many])));
    expect(text).toMatch(/2,950 iterations.*pawl export --format csv/);
    expect(text).toContain('| 10 |');
    expect(text).not.toContain('| 11 |');
    expect(text).toContain('| 3000 |');
    expect(text.length).toBeLessThan(60_000);
  });
});

describe('html', () => {
  const OWN_TAG =
    /<(?:!doctype html|html lang="en"|meta charset="utf-8"|meta (?:http-equiv|name)="[\w-]+" content="[^"<>]*"|t[dh](?: scope="(?:row|col)"| colspan="\d+")?|p class="(?:why|note)"|\/?(?:html|head|title|style|body|h[123]|table|thead|tbody|tr|td|th|p|pre|footer))>/g;

  it.each(HOSTILE)('%j is shown and becomes nothing', (text) => {
    expectHarmless(htmlExport(...hostileExport(text)));
  });

  it('nothing that an agent writes becomes markup', () => {
    fc.assert(fc.property(anything, (text) => expectHarmless(htmlExport(...hostileExport(text)))));
  });

  function expectHarmless(page: string): void {
    const rest = page.replace(OWN_TAG, '');
    expect(rest).not.toMatch(/[<>]/);
    expect(page).not.toMatch(/<script|<img|<a |<link|url\(/);
  }

  it('loads and runs nothing', () => {
    const page = htmlExport(...exportWithSummary(recordedRun(), { hasOutput: true }));
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('all 8 tests pass');
    expect(page).toContain('ALL TESTS PASS');
  });

  it('says that a run goes on and that not all of it could be read', () => {
    const page = htmlExport(
      ...exportWithSummary(recordedRun(), { read: { isLive: true, isDamaged: true, problem: 'line 7' } }),
    );
    expect(page).toMatch(/class="note">The run .* record .* read: line 7</);
  });
});
