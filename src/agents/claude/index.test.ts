import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../model/run-spec.js';
import type { AgentRequest } from '../adapter.js';
import { claudeAgent } from './index.js';

const SPEC: AgentSpec = { name: 'claude', args: [], env: {}, permissions: 'agent', allow: [] };
const REQUEST: AgentRequest = { prompt: 'Fix it.', workingDir: '/tree', environment: {} };
const call = (spec: Partial<AgentSpec> = {}, request: Partial<AgentRequest> = {}) =>
  claudeAgent.invocation({ ...SPEC, ...spec }, { ...REQUEST, ...request });
const argsOf = (...given: Parameters<typeof call>) => call(...given).args.join(' ');
const STREAM = '--output-format stream-json --verbose --include-partial-messages';

describe('how Claude Code is called', () => {
  it('the prompt goes by standard input, never by the arguments', () => {
    expect(call()).toEqual({
      command: 'claude',
      args: ['-p', ...STREAM.split(' ')],
      env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '1', DISABLE_AUTOUPDATER: '1' },
      input: 'Fix it.',
    });
  });

  it('another program brings its own first words, and the words of the user come last', () => {
    const { command, args } = call(
      { command: ['npx', 'claude@2'], model: 'opus', args: ['--effort', 'high'] },
      { session: 'abc', budgetUsd: 2 },
    );
    expect([command, ...args].join(' ')).toBe(
      `npx claude@2 -p ${STREAM} --model opus --resume abc --max-budget-usd 2.00 --effort high`,
    );
  });

  it.each([
    [0.012, '0.02'],
    [1.1, '1.11'],
    [0, '0.01'],
    [-3, '0.01'],
    [25, '25.00'],
  ])('a budget of %d is given as %s: never as nothing, never as less', (budgetUsd, given) => {
    expect(argsOf({}, { budgetUsd })).toContain(`--max-budget-usd ${given}`);
  });

  it.each([undefined, Number.POSITIVE_INFINITY, Number.NaN])('a budget of %s is none', (budgetUsd) => {
    expect(argsOf({}, { budgetUsd })).not.toContain('budget');
  });
});

describe('what Claude Code may do', () => {
  it('edits are for the tree only, and a command in `allow` is a rule for Bash', () => {
    const allow = ['npm test', 'R', 'WebSearch', 'Bash(git diff:*)', 'Read(//usr/include/**)', 'mcp__db__query'];
    expect(call({ permissions: 'edit', allow }).args.slice(1, 14)).toEqual([
      '--permission-mode',
      'dontAsk',
      '--allowedTools',
      'Read(./**)',
      'Edit(./**)',
      'Bash(npm test:*)',
      'Bash(R:*)',
      'WebSearch',
      'Bash(git diff:*)',
      'Read(//usr/include/**)',
      'mcp__db__query',
      '--output-format',
      'stream-json',
    ]);
  });

  it('bypass uses its own switch and does not claim that there is a sandbox', () => {
    expect(argsOf({ permissions: 'bypass' })).toBe(`-p --dangerously-skip-permissions ${STREAM}`);
    expect(call({ permissions: 'bypass' }).env).not.toHaveProperty('IS_SANDBOX');
    expect(call({ permissions: 'bypass', env: { IS_SANDBOX: '1' } }).env).toHaveProperty('IS_SANDBOX', '1');
  });

  it('agent leaves everything to its own settings', () => {
    expect(argsOf({ permissions: 'agent', allow: ['npm test'] })).toBe(`-p ${STREAM}`);
  });
});

describe('its environment', () => {
  it('what an outer Claude Code has left is taken out, unless the user wants it', () => {
    const environment = { PATH: '/bin', CLAUDECODE: '1', CLAUDE_CODE_SSE_PORT: '5', CLAUDE_CODE_ENTRYPOINT: 'cli' };
    expect(Object.keys(call({ env: { CLAUDE_CODE_ENTRYPOINT: 'mine' } }, { environment }).env).sort()).toEqual([
      'CLAUDE_CODE_DISABLE_BACKGROUND_TASKS',
      'CLAUDE_CODE_ENTRYPOINT',
      'DISABLE_AUTOUPDATER',
      'PATH',
    ]);
  });

  it('what the user has set stays', () => {
    const environment = { DISABLE_AUTOUPDATER: '0', ANTHROPIC_API_KEY: 'from-runner' };
    const { env } = call(
      { env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '', ANTHROPIC_API_KEY: 'mine' } },
      { environment },
    );
    expect(env).toEqual({
      DISABLE_AUTOUPDATER: '0',
      CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: '',
      ANTHROPIC_API_KEY: 'mine',
    });
  });
});

describe('who pays', () => {
  const KEY = 'ANTHROPIC_API_KEY is set: Claude Code bills that key, not a subscription';
  it.each([
    [{}, []],
    [{ ANTHROPIC_API_KEY: '' }, []],
    [{ ANTHROPIC_API_KEY: 'secret' }, [KEY]],
    [
      { ANTHROPIC_API_KEY: 'secret', ANTHROPIC_AUTH_TOKEN: 'secret' },
      ['ANTHROPIC_AUTH_TOKEN is set: Claude Code bills the account of that token, not a subscription'],
    ],
    [
      { ANTHROPIC_API_KEY: 'secret', CLAUDE_CODE_USE_BEDROCK: '1' },
      ['CLAUDE_CODE_USE_BEDROCK is set: Claude Code bills an AWS account through Bedrock'],
    ],
    [{ ANTHROPIC_API_KEY: 'secret', CLAUDE_CODE_USE_VERTEX: '0' }, [KEY]],
    [
      { ANTHROPIC_BASE_URL: 'https://user:secret@gateway.example/v1?key=secret' },
      ['ANTHROPIC_BASE_URL is set: requests go to gateway.example, and it decides who pays'],
    ],
    [
      { ANTHROPIC_BASE_URL: 'nonsense' },
      ['ANTHROPIC_BASE_URL is set: requests go to another server, and it decides who pays'],
    ],
    [{ ANTHROPIC_BASE_URL: 'https://api.anthropic.com' }, []],
  ])('%j', (environment, sentences) => {
    expect(claudeAgent.billing?.(environment)).toEqual(sentences);
    expect(sentences.join()).not.toContain('secret');
  });
});
