import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FULL } from '../support/full-form.js';
import { FuzzProgram } from './fuzz-run.js';
import { mutantOf } from './mutator.js';
import { TARGETS } from './targets/index.js';

const COUNT = FULL ? 100_000 : 300;

const program = new FuzzProgram();
beforeAll(() => program.build(), 60_000);
afterAll(() => program.remove());

describe('mutated recordings', { timeout: FULL ? 1_800_000 : 120_000 }, () => {
  it.each(Object.keys(TARGETS))('%s: no crash, no hang, nothing without bounds, nothing malformed', async (name) => {
    expect(await program.run(name, COUNT)).toBeUndefined();
  });
});

describe('the mutator', () => {
  it('makes the same of the same seed, and other things of others', () => {
    const corpus = ['{"a":[1,2,3],"b":"text"}\n{"c":null}'];
    const made = (seed: number) => Array.from({ length: 200 }, (_, index) => mutantOf(corpus, seed, index).toString());
    expect(made(5)).toEqual(made(5));
    expect(new Set([...made(5), ...made(6)]).size).toBeGreaterThan(300);
  });
});
