import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../model/agent-event.js';
import type { AgentSpec } from '../model/run-spec.js';
import { supervise } from '../process/supervise.js';
import { commandAgent } from './command.js';

const SPEC: AgentSpec = {
  name: 'command',
  command: ['./agent.sh', 'a b'],
  args: ['--fast'],
  env: { MINE: '1' },
  permissions: 'edit',
  allow: [],
};

it('runs the words as they are and hands the prompt over by standard input', () => {
  const request = { prompt: 'Fix "it".', workingDir: '/w', environment: { PATH: '/bin' } };
  expect(commandAgent.invocation(SPEC, request)).toEqual({
    command: './agent.sh',
    args: ['a b', '--fast'],
    env: { PATH: '/bin', MINE: '1' },
    input: 'Fix "it".',
  });
});

it('the session and the model go by the environment, and those of an outer run are not passed on', () => {
  const environment = { PAWL_SESSION: 'outer', PAWL_MODEL: 'outer' };
  const request = { prompt: '', workingDir: '/w', environment };
  const inner = commandAgent.invocation({ ...SPEC, model: 'm' }, { ...request, session: 's-1' }).env;
  expect(inner).toMatchObject({ PAWL_SESSION: 's-1', PAWL_MODEL: 'm' });
  const fresh = commandAgent.invocation(SPEC, request).env;
  expect([fresh['PAWL_SESSION'], fresh['PAWL_MODEL']]).toEqual([undefined, undefined]);
});

describe('the agent in the guide', () => {
  const guide = readFileSync(new URL('../../docs/guide/own-agent.md', import.meta.url), 'utf8');
  const script = /^```bash\n(.*?)^```$/ms.exec(guide)?.[1] ?? '';

  it.each([
    ['says what its model says, and what it used', 'cat; echo', 0, ['session', 'output', 'usage', 'result']],
    ['tells that its model failed', 'exit 3', 1, ['session', 'error']],
  ])('%s', async (_title, model, exitCode, kinds) => {
    const folder = await mkdtemp(join(tmpdir(), 'pawl-guide-agent-'));
    try {
      await writeFile(join(folder, 'agent.sh'), script, { mode: 0o755 });
      await writeFile(join(folder, 'my-model'), `#!/bin/sh\n${model}\n`, { mode: 0o755 });
      const events: AgentEvent[] = [];
      const environment = { PATH: `${folder}:${process.env['PATH']}` };
      const { ended } = supervise({
        ...commandAgent.invocation(
          { ...SPEC, command: ['./agent.sh'], args: [] },
          { prompt: 'Say this.', session: 's-1', workingDir: folder, environment },
        ),
        cwd: folder,
        cookie: randomUUID(),
        signals: commandAgent.signals,
        graceMs: commandAgent.graceMs,
        timeoutMs: 30_000,
        onLine: ({ text }, source) => source === 'stdout' && events.push(...commandAgent.parse(text)),
      });
      expect(await ended).toMatchObject({ cause: 'exit', exitCode });
      expect(events.map(({ kind }) => kind)).toEqual(kinds);
      expect(events[0]).toEqual({ kind: 'session', id: 's-1' });
      if (exitCode === 0) expect(events[1]).toEqual({ kind: 'output', text: 'Say this.' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
