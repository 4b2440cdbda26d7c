/** What it takes to add an agent CLI: one file. Everything that lists, finds, starts and reads agents follows from it. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScratchSource } from './support/scratch-source.js';

const FILE = 'src/agents/toy.ts';

const AGENT = `
import type { AgentEvent } from '../model/agent-event.js';
import { jsonObject, sessionEvent, textAt, textEvent } from './agent-events.js';
import { flag, invocationOf, type KnownAgent } from './known-agent.js';

export const toyAgent = {
  name: 'toy',
  title: 'Toy CLI',
  package: '@toys/cli',
  oldest: '2.0.0',
  offline: { TOY_OFFLINE: '1' },
  home: { variable: 'TOY_HOME', folder: '.toy' },
  login: { how: 'toy login', variables: ['TOY_KEY'], file: 'login.json' },
  hasAllow: false,
  edits: 'It edits toys,',
  refusesBypassAsRoot: true,
  usage: 'live',
  context: 'requests',
  namesModel: false,
  canResume: true,
  signals: ['SIGTERM'],
  graceMs: 1000,
  tellsResult: true,
  invocation: (agent, request) => invocationOf('toy', agent, request, ['go', ...flag('--resume=', request.session)]),
  review: (agent, request) => invocationOf('toy', agent, request, ['review']),
  parse,
  billing: (environment) => (environment['TOY_KEY'] === undefined ? [] : ['TOY_KEY is set: it pays']),
} satisfies KnownAgent;

function parse(line: string): readonly AgentEvent[] {
  const fields = jsonObject(line);
  const spend = { inputTokens: 10, outputTokens: 2, costUsd: 0.5 };
  switch (textAt(fields, 'type')) {
    case 'start':
      return sessionEvent(textAt(fields, 'id'));
    case 'said':
      return [...textEvent(textAt(fields, 'text')), { kind: 'usage', scope: 'request', spend }];
    case 'done':
      return [{ kind: 'result', outcome: 'success' }];
    default:
      return [];
  }
}
`;

/** It is older than what Pawl was tested with. Doctor sets `offline` when it asks for the version. */
const PROGRAM = `#!/bin/sh
[ "$1" = --version ] && echo "toy 1.9.$TOY_OFFLINE" && exit
cat > /dev/null
echo '{"type":"start","id":"s-1"}'
echo '{"type":"said","text":"I toyed."}'
touch toyed
echo '{"type":"done"}'
`;

const source = new ScratchSource();
const place = (...parts: readonly string[]) => join(source.root, 'place', ...parts);
const project = place('project');
const pawl = (...words: readonly string[]) => source.run('src/views/cli/main.ts', ...words).replace(/\s+/g, ' ');

beforeAll(() => {
  source.write(FILE, AGENT);
  source.script('scripts/agents.mjs');
  for (const folder of ['bin', 'home', 'project']) mkdirSync(place(folder), { recursive: true });
  writeFileSync(place('bin', 'toy'), PROGRAM);
  chmodSync(place('bin', 'toy'), 0o755);
  const PATH = `${place('bin')}:${process.env['PATH']}`;
  source.environment = { PATH, HOME: place('home'), TOY_KEY: 'secret', PAWL_TRUST: '1' };
});
afterAll(() => source.remove());

describe('a new agent', { timeout: 240_000 }, () => {
  it('takes one file of the sources, which compiles', () => {
    expect(source.touched).toEqual({ byHand: [FILE], made: ['src/agents/index.ts'] });
    expect(source.typeErrors()).toEqual([]);
  });

  it('runs, is read, and reports its session and its usage', () => {
    const events = pawl('run', '--cwd', project, '-p', 'Go.', '-a', 'toy', '--until', 'file_created: toyed', '--json');
    expect(events).toContain('"type":"session-opened","session":"s-1"');
    expect(events).toContain('"text":"I toyed."');
    expect(pawl('show', '--cwd', project)).toContain('$0.50');
  });

  it('is known to the config, its schema and the completion', () => {
    const schema = pawl('check', '--schema');
    expect(schema).toContain('pi, toy, command, or');
    expect(schema).toContain('qwen, pi, toy. ');
    expect(pawl('__complete', '--', 'run', '--agent', 't')).toContain('toy');
    const check = (text: string) => {
      writeFileSync(join(project, 'pawl.yaml'), `prompt: go\n${text}`);
      return pawl('check', '--cwd', project);
    };
    expect(check('agents: { toy: ./mine.sh }\n')).toContain('none that Pawl knows');
    expect(check('agents: { mine: ./mine.sh }\nagent: tyo\n')).toContain('did you mean "toy"');
    expect(check('agent: toy\n')).toContain('toy does not name its model');
  });

  it('is known to init and doctor', () => {
    expect(pawl('init', '--cwd', project, '--yes', '--force')).toContain(
      'agent toy (the first one installed with a login)',
    );
    expect(readFileSync(join(project, 'pawl.yaml'), 'utf8')).toContain('It edits toys, without asking');
    const doctor = pawl('doctor', '--cwd', project);
    expect(doctor).toContain('Toy CLI 1.9.1, ');
    expect(doctor).toContain('older than 2.0.0');
    expect(doctor).toContain('npm install -g @toys/cli@latest');
    expect(doctor).toContain('by TOY_KEY, which is set');
    expect(doctor).toContain('TOY_KEY is set: it pays');
  });
});
