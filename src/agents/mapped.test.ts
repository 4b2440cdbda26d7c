import { describe, expect, it } from 'vitest';
import type { AgentDefinition } from '../model/agent-definition.js';
import type { AgentSpec } from '../model/run-spec.js';
import { mappedAgent } from './mapped.js';

const definition: AgentDefinition = {
  name: 'mine',
  command: ['mine', 'run'],
  args: ['--json'],
  modelFlag: '--model',
  resumeFlag: '--session=',
  usage: 'live',
  signals: ['SIGINT', 'SIGTERM'],
  output: 'ignore',
  events: { session: { when: {}, id: ['id'] } },
};
const spec: AgentSpec = { name: 'mine', args: ['-x'], env: { A: 'b' }, permissions: 'edit', allow: [] };
const request = { prompt: 'secret words', workingDir: '/', environment: { PATH: '/bin', PAWL_SESSION: 'outer' } };

describe('an agent by its definition', () => {
  it('gets model and session by its flags and the prompt by its input', () => {
    const mine = mappedAgent(definition);
    expect(mine.invocation({ ...spec, model: 'large' }, { ...request, session: 's-1' })).toEqual({
      command: 'mine',
      args: ['run', '--json', '--model', 'large', '--session=s-1', '-x'],
      env: { PATH: '/bin', A: 'b', PAWL_SESSION: 's-1', PAWL_MODEL: 'large' },
      input: 'secret words',
    });
  });

  it('without them it gets no flag, and not the session of an outer run', () => {
    const { args, env } = mappedAgent(definition).invocation(spec, request);
    expect(args).toEqual(['run', '--json', '-x']);
    expect(env['PAWL_SESSION']).toBe(undefined);
  });

  it('is another program when the config names one', () => {
    const { command, args } = mappedAgent(definition).invocation({ ...spec, command: ['/opt/mine', 'go'] }, request);
    expect([command, ...args]).toEqual(['/opt/mine', 'go', '--json', '-x']);
  });

  it('goes on with a session only if it can be told which', () => {
    const { resumeFlag: _none, ...unable } = definition;
    expect(mappedAgent(definition).canResume).toBe(true);
    expect(mappedAgent(unable).canResume).toBe(false);
    expect(mappedAgent({ ...unable, events: undefined }).canResume).toBe(true);
  });

  it('must say how it went only if there is a rule for it', () => {
    expect(mappedAgent(definition).tellsResult).toBe(false);
    expect(mappedAgent({ ...definition, events: { result: { when: { type: ['end'] } } } }).tellsResult).toBe(true);
  });
});
