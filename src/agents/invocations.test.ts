import { describe, expect, it } from 'vitest';
import type { AgentSpec } from '../model/run-spec.js';
import type { AgentRequest } from './adapter.js';
import { findAdapter } from './find-adapter.js';

const NAMES = ['gemini', 'opencode', 'qwen', 'pi', 'copilot'] as const;
const call = (name: string, spec: Partial<AgentSpec> = {}, request: Partial<AgentRequest> = {}) => {
  const given = { name, args: [], env: {}, permissions: 'agent', allow: [], ...spec } as const;
  const invocation = findAdapter(name)?.invocation(given, {
    prompt: 'Fix it.',
    workingDir: '/tree',
    environment: {},
    ...request,
  });
  return invocation ?? expect.fail(`no agent ${name}`);
};
const wordsOf = (...given: Parameters<typeof call>) => {
  const { command, args } = call(...given);
  return [command, ...args].join(' ');
};

describe('how the other agents are called', () => {
  it.each([
    ['gemini', 'gemini --output-format stream-json'],
    ['opencode', 'opencode run --format json --title Pawl'],
    ['qwen', 'qwen --output-format stream-json'],
    ['pi', 'pi -p --mode json'],
    ['copilot', 'copilot --output-format json --no-auto-update --no-ask-user'],
  ])('%s is left to its own settings', (name, words) => expect(wordsOf(name)).toBe(words));

  it.each([
    ['gemini', '-m M --resume S --x'],
    ['opencode', '-m M --session S --x'],
    ['qwen', '--model M --resume S --x'],
    ['pi', '--model M --session S --x'],
    ['copilot', '--model M --resume=S --x'],
  ])('%s gets the model, the session, and last the words of the user', (name, words) => {
    expect(wordsOf(name, { model: 'M', args: ['--x'], command: ['npx', name] }, { session: 'S' })).toMatch(
      new RegExp(`^npx ${name} .*${words}$`),
    );
  });

  it.each([
    ['gemini', '--yolo --skip-trust'],
    ['opencode', '--auto --title Pawl'],
    ['qwen', '--yolo'],
    ['pi', '--mode json'],
    ['copilot', '--allow-all'],
  ])('%s may do everything only where it is said', (name, words) => {
    expect(wordsOf(name, { permissions: 'bypass' })).toMatch(new RegExp(`${words}$`));
    expect(wordsOf(name, { permissions: 'edit' })).not.toMatch(/--yolo|--auto |--auto$|--allow-all/);
  });

  it.each([
    [
      'gemini',
      '--approval-mode auto_edit --allowed-tools run_shell_command(npm test) --allowed-tools web_fetch --skip-trust',
    ],
    ['qwen', '--approval-mode auto-edit --allowed-tools run_shell_command(npm test) --allowed-tools web_fetch'],
    ['copilot', '--allow-tool=write --allow-tool=shell(npm test:*) --allow-tool=shell(web_fetch:*)'],
    ['pi', '--tools read,edit,write,grep,find,ls'],
  ])('%s may edit, and run what is allowed', (name, words) => {
    expect(wordsOf(name, { permissions: 'edit', allow: ['npm test', 'web_fetch'] }).endsWith(words)).toBe(true);
  });

  it('opencode has no options for that, but a setting; the last rule that fits counts', () => {
    const { env } = call('opencode', { permissions: 'edit', allow: ['npm test'] });
    expect(env['OPENCODE_PERMISSION']).toBe(
      '{"edit":"allow","bash":{"*":"deny","npm test":"allow","npm test *":"allow"},"external_directory":"deny"}',
    );
    expect(call('opencode', { permissions: 'agent' }).env).not.toHaveProperty('OPENCODE_PERMISSION');
  });

  it.each(NAMES)('%s gets the prompt by its standard input, never by its arguments', (name) => {
    const { args, input } = call(name);
    expect([input, args.includes('Fix it.')]).toEqual(['Fix it.', false]);
  });

  it.each(NAMES)('what the user has set for %s stays', (name) => {
    const env = { GEMINI_CLI_NO_RELAUNCH: 'false', OPENCODE_DISABLE_AUTOUPDATE: '0', OPENCODE_PERMISSION: '{}' };
    expect(call(name, { env, permissions: 'edit' }, { environment: { PATH: '/bin' } }).env).toEqual({
      PATH: '/bin',
      ...env,
    });
  });

  it('opencode gets a title for a new session, so that it does not ask the model for one', () => {
    expect(wordsOf('opencode', {}, { session: 'S' })).not.toContain('--title');
    expect(wordsOf('opencode', { args: ['--title', 'mine'] })).toMatch(/json --title mine$/);
  });

  it('copilot gets the id of a new session, unless the user chooses a session', () => {
    const request = { newSession: 'N' };
    expect(wordsOf('copilot', {}, request)).toMatch(/ --session-id=N$/);
    expect(call('copilot', {}, request).session).toBe('N');
    expect(wordsOf('copilot', {}, { ...request, session: 'S' })).toMatch(/ --resume=S$/);
    expect(call('copilot', {}, { ...request, session: 'S' }).session).toBe('S');
    const own = call('copilot', { args: ['--continue'] }, request);
    expect([own.args.at(-1), own.args.join(' ').includes('N'), own.session]).toEqual(['--continue', false, undefined]);
  });

  it.each([
    ['codex', 'Error: thread/resume: thread/resume failed: no rollout found for thread id x (code -32600)'],
    ['gemini', 'Error resuming session: Invalid session identifier "x".'],
    ['opencode', 'Error: Session not found'],
    ['opencode', '  message: "Session not found: ses_x",'],
    ['copilot', "Error: No session, task, or name matched 'x'."],
    ['qwen', 'No saved session found with ID x. Run `qwen --resume` without an ID.'],
    ['pi', "No session found matching 'x'"],
    ['copilot', "Error: No session or task matched 'x'"],
  ])('%s names a session that is not there on its standard error', (name, line) => {
    expect(findAdapter(name)?.parseError?.(line)).toEqual([{ kind: 'result', outcome: 'no-such-session', text: line }]);
    expect(findAdapter(name)?.parseError?.(`A tool printed: ${line}`)).toEqual([]);
  });
});
