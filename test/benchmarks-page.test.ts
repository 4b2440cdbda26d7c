import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { summary as cheatingSummary } from '../bench/cheating/render.js';
import { readResults as readCheatingResults } from '../bench/cheating/results-file.js';
import { LATEST, rendered } from '../bench/peers/render.js';
import { readResultFile } from '../bench/peers/result-file.js';
import { summary as peersSummary } from '../bench/peers/summary.js';
import { publishedPart } from '../bench/published-page.js';
import { picture } from '../bench/stopping/picture.js';
import { PICTURE, summary as stoppingSummary } from '../bench/stopping/publish.js';
import { readResults } from '../bench/stopping/results-file.js';

const read = (path: string) => readFileSync(resolve(path), 'utf8');

// Each is made anew by `npm run bench -- stopping --render` and `npm run bench -- peers --render`.
describe('the published page of benchmarks says what the newest results say', () => {
  it('of where runs stop', () => {
    expect(publishedPart('stopping')).toBe(stoppingSummary(readResults()));
    expect(read(PICTURE)).toBe(picture(readResults()));
    const scenarios = new Set(readResults().outcomes.map(({ scenario }) => scenario)).size;
    expect(read('README.md')).toContain(`${scenarios} scripted scenarios`);
  });

  it('of green tests without the work', () => {
    expect(publishedPart('cheating')).toBe(cheatingSummary(readCheatingResults()));
  });

  it('of the peers', () => {
    const results = readResultFile(resolve(LATEST));
    expect(results.isQuick).toBe(false);
    expect(publishedPart('peers')).toBe(peersSummary(results));
    for (const [ending, text] of Object.entries(rendered(results))) {
      expect(read(LATEST.replace('.json', ending))).toBe(text);
    }
  });

  it('and every picture that the pages show is there', () => {
    const pages = [
      ['README.md', '.'],
      ['bench/BENCHMARKS.md', 'bench'],
    ] as const;
    const shown = pages.flatMap(([page, folder]) =>
      [...read(page).matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)].map(([, path = '']) => resolve(folder, path)),
    );
    expect(shown.filter((path) => !existsSync(path))).toEqual([]);
  });
});
