import { describe, expect, it } from 'vitest';
import { started, stateAfter } from '../../test/support/record.js';
import { resolveConfig } from '../config/resolve-config.js';
import { runName, taskLine } from './run-name.js';

const named = (config: object, rest: object = {}) =>
  runName(stateAfter(started({}, { spec: resolveConfig(config).spec, ...rest })));

describe('the name of a run', () => {
  it('is the first line of its prompt, without the marks of a heading', () => {
    expect(named({ prompt: '\n## Fix the parser  \n\nAll of it.' })).toBe('Fix the parser');
    expect(taskLine('# \n\n')).toBeUndefined();
  });

  it.each(['# Task', '## Goal:', 'PROMPT', '# Your task'])('is not the heading %j, but what follows it', (heading) => {
    expect(named({ prompt: `${heading}\n\nFix the parser.\n\n# How to work\n` })).toBe('Fix the parser.');
    expect(taskLine(heading)).toBe(heading.replace(/^#+ /, ''));
  });

  it('of a run with a prompt file is what was recorded when it started', () => {
    expect(named({}, { task: 'Fix the parser' })).toBe('Fix the parser');
  });

  it('of a record without a prompt is its command or its agent', () => {
    expect(named({ agent: { command: './agent.sh --fast' } })).toContain('./agent.sh');
    expect(named({ agent: 'codex' }, { agent: { name: 'codex', usage: 'end' } })).toBe('codex');
  });
});
