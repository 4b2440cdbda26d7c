import { describe, expect, it } from 'vitest';
import { recordingTerminal } from '../../../test/support/terminal.js';
import type { LoopConfig } from '../../config/loop-config.js';
import { resolveConfig } from '../../config/resolve-config.js';
import { policyLines } from './policy-lines.js';

function headerOf(config: LoopConfig): readonly string[] {
  const { spec } = resolveConfig(config);
  return policyLines({ spec, policy: spec.policy }, recordingTerminal());
}

describe('the header of a run', () => {
  it('names the checks with their commands', () => {
    const lines = headerOf({ checks: { lint: 'npm run lint', [`the-longest-${'x'.repeat(30)}`]: 'true' } });
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}check lint +npm run lint$/));
    expect(lines).toContainEqual(expect.stringMatching(/^ {2}check the-longest-x+… +true$/));
  });

  it('says how often a goal is checked and from when on it counts', () => {
    const lines = headerOf({
      tests: 'x',
      stop: { success: ['all_tests_pass', { file_created: 'DONE', confirm: 3 }], confirm: 2, atLeast: 4 },
    });
    const text = lines.join('\n').replace(/\s+/g, ' ');
    expect(text).toMatch(/tests pass,[^,]* 2 times,[^,]* iteration 4/);
    expect(text).toMatch(/DONE exists,[^,]* 3 times,[^,]* iteration 4/);
    expect(text).toContain('limits after 25 iterations');
  });

  it('says that a run without a goal is never done by itself', () => {
    const text = (config: LoopConfig) => headerOf(config).join(' ').replace(/\s+/g, ' ');
    expect(text({})).toContain('done never by itself, because there is no goal');
    expect(text({ tests: 'x' })).not.toContain('never by itself');
  });

  it.each([
    ['none', 'the agent does not report its usage: Pawl cannot enforce a limit on it'],
    ['end', 'a limit on it can be exceeded by one iteration'],
  ] as const)('says what a limit on cost is worth with an agent of the config that tells %s', (usage, note) => {
    const config: LoopConfig = { agent: 'mine', agents: { mine: { command: 'mine', usage } } };
    const limited = headerOf({ ...config, stop: { limits: [{ max_cost: 5 }] } });
    expect(limited.join(' ').replace(/\s+/g, ' ')).toContain(note);
    expect(
      headerOf({ ...config, maxCostPerDay: 5 })
        .join(' ')
        .replace(/\s+/g, ' '),
    ).toContain(note);
    expect(headerOf(config).join(' ')).not.toContain('note');
  });
});
