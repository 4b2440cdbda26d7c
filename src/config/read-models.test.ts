import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FAILURE_MODEL } from '../../test/support/failure-model.js';
import { ConfigError } from '../model/errors.js';
import { loadConfig } from './load-config.js';
import { textWithModels } from './read-models.js';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-models-')));
  mkdirSync(join(folder, 'tuned'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const load = (flags = {}) => loadConfig({ cwd: folder, env: {}, flags, defaultAgent: 'claude' });

function withModel(model: string, entry = 'likely_to_fail: { model: tuned/fail.json, above: 0.9 }') {
  writeFileSync(join(folder, 'tuned', 'fail.json'), model);
  writeFileSync(join(folder, 'pawl.yaml'), `prompt: go\nstop:\n  failure:\n    - ${entry}\n`);
}

function issuesOf(read: () => unknown) {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.issues;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('the model of likely_to_fail', () => {
  it.each([
    ['likely_to_fail: { model: tuned/fail.json, above: 0.9 }'],
    ['{ type: likely_to_fail, model: tuned/fail.json, above: 0.9 }'],
  ])('is read with the config, and is itself in the policy: %s', (entry) => {
    withModel(JSON.stringify(FAILURE_MODEL), entry);
    expect(load().spec.policy.failure).toEqual([{ type: 'likely_to_fail', model: FAILURE_MODEL, above: 0.9 }]);
    rmSync(join(folder, 'tuned'), { recursive: true });
    const message = 'tuned/fail.json: no such file; pawl tune --out FILE writes one';
    expect(issuesOf(load)).toMatchObject([{ place: expect.stringMatching(/^pawl\.yaml:\d+:\d+$/), message }]);
  });

  it('may be inside another condition, and in one that a flag adds', () => {
    withModel(
      JSON.stringify(FAILURE_MODEL),
      'all: [{ likely_to_fail: { model: tuned/fail.json, above: 0.5 } }, { max_cost: 1 }]',
    );
    expect(load().spec.policy.failure[0]).toMatchObject({ conditions: [{ model: FAILURE_MODEL }, {}] });
    const flags = { 'give-up': ['likely_to_fail: { model: tuned/fail.json, above: 0.7 }'] };
    expect(load(flags).spec.policy.failure[1]).toMatchObject({ model: FAILURE_MODEL, above: 0.7 });
  });

  it.each([
    ['a value', { ...FAILURE_MODEL, bias: 'high' }, 'tuned/fail.json:3:11', 'bias must be a number'],
    [
      'a feature',
      { ...FAILURE_MODEL, features: { luck: { weight: 1, mean: 0, deviation: 1 } } },
      'tuned/fail.json:5:13',
      expect.stringMatching(/^features\.luck is not a feature; the features are calls_against_median, /),
    ],
    ['a list', [], 'tuned/fail.json:1:1', 'must be a model that pawl tune has written'],
  ])('that is wrong is refused by its file, line and key: %s', (_, model, place, message) => {
    withModel(JSON.stringify(model, undefined, 2));
    expect(issuesOf(load)).toEqual([{ path: '', place, message }]);
  });

  it.each([
    ['likely_to_fail: { model: tuned/fail.json, above: 0.9 } # why'],
    ['all: [{ type: likely_to_fail, model: tuned/fail.json, above: 0.5 }, { max_cost: 1 }] # why'],
  ])('is put into a text that another machine reads: %s', (entry) => {
    withModel(JSON.stringify(FAILURE_MODEL), entry);
    const { policy } = load().spec;
    const text = textWithModels(readFileSync(join(folder, 'pawl.yaml'), 'utf8'), folder);
    rmSync(join(folder, 'tuned'), { recursive: true });
    writeFileSync(join(folder, 'pawl.yaml'), text);
    expect(load().spec.policy).toEqual(policy);
    expect(text).toContain('# why');
    expect(textWithModels(text, folder)).toBe(text);
  });

  it('that is no JSON is refused with its place', () => {
    withModel('{\n  "version": oops\n}');
    expect(issuesOf(load)[0]).toMatchObject({ place: 'tuned/fail.json:2:14' });
  });
});
