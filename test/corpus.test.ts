import { endOf } from '../src/model/phase.js';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readJournal } from '../src/journal/read-journal.js';
import { sealLine } from '../src/journal/record-scanner.js';
import { verifyJournal } from '../src/journal/verify-journal.js';
import type { RunEvent } from '../src/model/run-event.js';
import { INITIAL_STATE, type RunState } from '../src/model/run-state.js';
import { journalPath } from './corpus/journal-path.js';
import { LABELS } from './corpus/labels.js';
import { lasting } from './corpus/lasting.js';
import { playStory } from './corpus/play-story.js';
import { readmeTable } from './corpus/readme-table.js';
import { STORIES } from './corpus/stories/index.js';
import { beatsOf, type Story } from './corpus/story.js';

const NAMES = STORIES.map(({ name }) => name);
const LARGEST_BYTES = 3_100_000;
const runs = new URL('corpus/runs/', import.meta.url);
const readme = new URL('corpus/README.md', import.meta.url);
const TABLE = /(?<=<!-- table -->\n)[^]*(?=<!-- \/table -->)/;
const isUpdate = process.env['PAWL_UPDATE'] === '1';

async function recorded(name: string): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of readJournal(journalPath(name))) events.push(event);
  return events;
}

async function recordAll(): Promise<void> {
  rmSync(runs, { recursive: true, force: true });
  for (const story of STORIES) {
    const path = journalPath(story.name);
    mkdirSync(dirname(path), { recursive: true });
    // oxlint-disable-next-line no-await-in-loop -- each has the clock to itself
    const events = await playStory(story);
    writeFileSync(path, Buffer.concat(events.map((event) => sealLine(JSON.stringify(event)))));
  }
}

describe('the corpus of recorded runs', () => {
  const states = new Map<string, RunState>();

  beforeAll(async () => {
    if (isUpdate) await recordAll();
    for (const name of NAMES) {
      // oxlint-disable-next-line no-await-in-loop -- a few milliseconds each
      const { state, torn } = await verifyJournal(journalPath(name));
      expect(torn).toBeUndefined();
      states.set(name, state);
    }
  });

  it('holds every story once, and nothing else', () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(48);
    expect(new Set(NAMES).size).toBe(NAMES.length);
    expect(existsSync(runs) ? readdirSync(runs).toSorted() : []).toEqual(NAMES.toSorted());
  });

  it('is small', () => {
    const bytes = NAMES.reduce((sum, name) => sum + statSync(journalPath(name)).size, 0);
    expect(bytes).toBeLessThan(LARGEST_BYTES);
  });

  it.each(STORIES)('$name is what its story makes', async (story) => {
    const [committed, made] = [await recorded(story.name), await playStory(story)];
    expect(committed.map(lasting)).toEqual(made.map(lasting));
  });

  it.each(STORIES)('$name was played to its end', (story) => {
    expect(states.get(story.name)?.faults).toBeUndefined();
    const { iterations } = states.get(story.name) ?? {};
    const ended = endOf(states.get(story.name) ?? INITIAL_STATE);
    const length = beatsOf(story).length;
    const isCutShort = ended?.class === 'operator' || ended?.class === 'blocked';
    if (isCutShort) expect(iterations).toBeLessThan(length);
    else expect(iterations).toBe(length);
  });

  it('is described by its table', () => {
    const table = `\n${readmeTable(STORIES.flatMap((story) => withState(story, states)))}\n\n`;
    const text = readFileSync(readme, 'utf8');
    if (isUpdate) writeFileSync(readme, text.replace(TABLE, table));
    expect(TABLE.exec(readFileSync(readme, 'utf8'))?.[0]).toBe(table);
  });

  describe('has labels', () => {
    it('for every run, and no others', () => {
      expect(Object.keys(LABELS)).toEqual(NAMES);
    });

    it.each(NAMES)('%s: a person stops it before its end or not at all, and says why', (name) => {
      const { stopAfter, losesGoal, falseGoal = false, why } = LABELS[name] ?? {};
      const { iterations = 0 } = states.get(name) ?? {};
      const ended = endOf(states.get(name) ?? INITIAL_STATE);
      const hasGoal = ended?.class === 'goal';
      if (typeof stopAfter === 'number') {
        expect(stopAfter).toBeGreaterThan(0);
        expect(stopAfter).toBeLessThan(iterations);
      }
      expect(losesGoal).toBe(typeof stopAfter === 'number' && hasGoal && !falseGoal);
      if (falseGoal) expect(hasGoal).toBe(true);
      expect(why).toMatch(/^[A-Z0-9].{20,}\.$/);
    });

    it.each([2, 3, 4, 5, 6, 7, 8, 9, 10])(
      'that no count of %i iterations without a change can meet in all runs',
      (threshold) => {
        const misjudged = STORIES.filter((story) => isMisjudged(story, threshold));
        expect(misjudged.length).toBeGreaterThanOrEqual(8);
      },
    );
  });
});

function withState(story: Story, states: ReadonlyMap<string, RunState>) {
  const state = states.get(story.name);
  return state === undefined ? [] : [{ story, state }];
}

/** Told from the script alone: the count stops what a person lets run, or lets run what a person has stopped. */
function isMisjudged(story: Story, threshold: number): boolean {
  const { stopAfter = null } = LABELS[story.name] ?? {};
  let empty = 0;
  const firstStop = beatsOf(story).findIndex(({ tree }) => (empty = tree === 'same' ? empty + 1 : 0) >= threshold) + 1;
  return stopAfter === null ? firstStop > 0 : firstStop === 0 || firstStop > stopAfter;
}
