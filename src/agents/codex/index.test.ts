import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../../model/run-spec.js';
import type { AgentRequest } from '../adapter.js';
import { codexAgent } from './index.js';

const SPEC: AgentSpec = { name: 'codex', args: [], env: {}, permissions: 'agent', allow: [] };
const REQUEST: AgentRequest = { prompt: 'Fix it.', workingDir: '/tree', environment: {} };
const call = (spec: Partial<AgentSpec> = {}, request: Partial<AgentRequest> = {}) =>
  codexAgent.invocation({ ...SPEC, ...spec }, { ...REQUEST, ...request });
const argsOf = (...given: Parameters<typeof call>) => call(...given).args.join(' ');
const START = 'exec --json --skip-git-repo-check';

describe('how Codex is called', () => {
  it('the prompt goes by standard input, never by the arguments', () => {
    expect(call({}, { environment: { PATH: '/bin' } })).toEqual({
      command: 'codex',
      args: [...START.split(' '), '--disable', 'plugins', '-'],
      env: { PATH: '/bin' },
      input: 'Fix it.',
    });
  });

  it('a thread that is gone on with stands after all options, those of the user too', () => {
    const { command, args } = call(
      { command: ['npx', 'codex'], model: 'gpt-5.5', args: ['-c', 'a=1'], permissions: 'edit' },
      { session: 'abc' },
    );
    expect([command, ...args].join(' ')).toBe(
      'npx codex exec resume --json --skip-git-repo-check -c sandbox_mode="workspace-write" -c approval_policy="never" --disable plugins -m gpt-5.5 -c a=1 abc -',
    );
  });

  it('bypass uses its own switch', () => {
    expect(argsOf({ permissions: 'bypass' })).toBe(
      `${START} --dangerously-bypass-approvals-and-sandbox --disable plugins -`,
    );
  });

  it.each([['--enable', 'plugins'], ['--disable', 'plugins'], ['--enable=plugins'], ['-c', 'features.plugins=true']])(
    'plugins are left to a user who has an opinion: %s %s',
    (...args) => {
      expect(argsOf({ args })).toBe(`${START} ${args.join(' ')} -`);
    },
  );

  it('what the user has set wins over what the runner has', () => {
    expect(call({ env: { CODEX_HOME: '/mine' } }, { environment: { CODEX_HOME: '/theirs' } }).env).toEqual({
      CODEX_HOME: '/mine',
    });
  });
});

it('a key that pays instead of a subscription is named, and not shown', () => {
  expect(codexAgent.billing?.({ CODEX_API_KEY: 'secret' })).toEqual([
    expect.stringMatching(/^CODEX_API_KEY is set.*bills that key/),
  ]);
  expect([codexAgent.billing?.({}), codexAgent.billing?.({ CODEX_API_KEY: '' })]).toEqual([[], []]);
});
