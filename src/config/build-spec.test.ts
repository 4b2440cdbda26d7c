import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AGENT_NAMES } from '../agents/find-adapter.js';
import { ConfigError } from '../model/errors.js';
import { loadConfig } from './load-config.js';
import type { LoopConfig } from './loop-config.js';
import { resolveConfig } from './resolve-config.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-own-agent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function load(yaml: string, flags = {}) {
  writeFileSync(join(folder, 'pawl.yaml'), yaml);
  return loadConfig({ cwd: folder, env: { HOME: folder }, flags });
}

function issuesOf(act: () => unknown): readonly string[] {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ place, path, message }) => `${place ?? ''} ${path}: ${message}`.trimStart());
  }
  return [];
}

describe('agents of the config', () => {
  it('have every name but those that Pawl knows', () => {
    for (const name of AGENT_NAMES) {
      expect(issuesOf(() => resolveConfig({ agents: { [name]: 'x' } }))).toEqual([
        expect.stringMatching(`^agents.${name}: .*name .*Pawl knows`),
      ]);
    }
  });

  it('the one that is named goes into the spec, with its defaults, and nothing of the others', () => {
    const { spec } = load('agent: mine\nagents:\n  mine: mine --json\n  other: { command: x, usage: none }\n');
    expect(spec.agent).toMatchObject({ name: 'mine', args: [] });
    expect(spec.agent.command).toBe(undefined);
    expect(spec.agent.definition).toEqual({
      name: 'mine',
      command: ['mine', '--json'],
      args: [],
      usage: 'live',
      signals: ['SIGTERM'],
      output: 'text',
    });
  });

  it('a built-in agent has no definition', () => {
    expect(load('agent: codex\nagents: { mine: x }\n').spec.agent).not.toHaveProperty('definition');
    expect(load('agents: { mine: x }\n', { agent: 'mine' }).spec.agent.definition?.name).toBe('mine');
  });

  it('is data that survives the record, short forms written out', () => {
    const { spec } = load(`
agent: { name: mine, model: large }
agents:
  mine:
    command: [mine]
    model_flag: --model
    resume_flag: --resume
    signals: [SIGINT, SIGTERM]
    events:
      session: [thread_id, id]
      text: { when: { type: message, role: [assistant, model] }, text: 'content[*].text' }
      tool_call: { each: content, name: tool }
      usage: { input: usage.in, cache_read: usage.cached, input_includes_cache: false, scope: turn }
      limit: wait.why
      error: { when: { ok: false }, message: error }
      result: { when: { type: end }, success_when: { code: 0 } }
`);
    expect(JSON.parse(JSON.stringify(spec.agent.definition))).toEqual(spec.agent.definition);
    expect(spec.agent.definition).toEqual({
      name: 'mine',
      command: ['mine'],
      args: [],
      modelFlag: '--model',
      resumeFlag: '--resume',
      usage: 'live',
      signals: ['SIGINT', 'SIGTERM'],
      output: 'ignore',
      events: {
        session: { when: {}, id: ['thread_id', 'id'] },
        text: { when: { type: ['message'], role: ['assistant', 'model'] }, text: ['content[*].text'] },
        toolCall: { when: {}, each: ['content'], name: ['tool'] },
        usage: {
          when: {},
          input: ['usage.in'],
          cacheRead: ['usage.cached'],
          scope: 'turn',
          inputIncludesCache: false,
          outputIncludesReasoning: true,
        },
        limit: { when: {}, message: ['wait.why'], limit: 'usage-limit' },
        error: { when: { ok: [false] }, message: ['error'] },
        result: { when: { type: ['end'] }, successWhen: { code: [0] } },
      },
    });
  });

  it('with rules but none for usage tells none', () => {
    const config: LoopConfig = { agent: 'mine', agents: { mine: { command: 'x', events: { text: 'text' } } } };
    expect(resolveConfig(config).spec.agent.definition?.usage).toBe('none');
  });

  it('one in the project takes the place of the whole one of the user', () => {
    const userFolder = join(folder, '.config', 'pawl');
    mkdirSync(userFolder, { recursive: true });
    writeFileSync(join(userFolder, 'config.yaml'), 'agents: { mine: { command: a, args: [-a] }, theirs: b }\n');
    try {
      expect(load('agent: mine\nagents: { mine: { command: [b, c d] } }\n').spec.agent.definition).toMatchObject({
        command: ['b', 'c d'],
        args: [],
      });
      expect(load('agent: theirs\nagents: { mine: c }\n').spec.agent.definition?.command).toEqual(['b']);
    } finally {
      rmSync(userFolder, { recursive: true });
    }
  });
});

describe('mistakes under agents', () => {
  it.each([
    ['  mine: { command: x, evnts: {} }', 'pawl.yaml:2:23 agents.mine.evnts: unknown key; did you mean "events"?'],
    ['  mine: { args: [] }', 'pawl.yaml:2:9 agents.mine: needs command'],
    ['  mine: { command: x, events: { text: a..b } }', /^pawl.yaml:2:39 agents.mine.events.text: must be a path into/],
    [
      '  mine: { command: x, events: { usage: { scope: day } } }',
      /^pawl.yaml:2:49 agents.mine.events.usage.scope: must be/,
    ],
    [
      '  mine: { command: x, events: { usage: { model: m } } }',
      'pawl.yaml:2:40 agents.mine.events.usage: needs the path of a figure: input, output, total or cost',
    ],
    [
      '  mine: { command: x, events: { usage: { input: i, cache_read: c } } }',
      /^pawl.yaml:2:40 agents.mine.events.usage: needs input_includes_cache/,
    ],
    [
      '  mine: { command: x, usage: live, events: { text: t } }',
      /^pawl.yaml:2:30 agents.mine.usage: no rule under events reports usage/,
    ],
    [
      '  mine: { command: x, usage: none, events: { usage: t } }',
      /^pawl.yaml:2:30 agents.mine.usage: there is also a rule for usage/,
    ],
    [
      '  mine: { command: x, resume_flag: -r, events: { text: t } }',
      /^pawl.yaml:2:36 agents.mine.resume_flag: no rule under events names the session/,
    ],
    [
      '  mine: { command: x, resume_flag: "--session --id" }',
      'pawl.yaml:2:36 agents.mine.resume_flag: must be one word, such as --resume or --resume=, without spaces: --session, and put --id under args or command',
    ],
    [
      '  mine: { command: x, model_flag: "-m " }',
      'pawl.yaml:2:35 agents.mine.model_flag: must be one word, such as --resume or --resume=, without spaces: -m',
    ],
    [
      '  mine: { command: x, events: { result: { success_when: { code: 0 } } } }',
      /^pawl.yaml:2:41 agents.mine.events.result: needs when or text/,
    ],
    ['  mine: x\nagent: mien', 'pawl.yaml:3:8 agent.name: there is no agent "mien"; did you mean "mine"?'],
  ])('%s', (yaml, issue) => {
    const expected: unknown = typeof issue === 'string' ? issue : expect.stringMatching(issue);
    expect(issuesOf(() => load(`agents:\n${yaml}\n`))).toEqual([expected]);
  });

  it('in code are named as they are spelled there', () => {
    const config: LoopConfig = { agents: { mine: { command: 'x', resumeFlag: '-r', events: { text: 't' } } } };
    expect(issuesOf(() => resolveConfig(config))).toEqual([expect.stringMatching(/^agents\.mine\.resumeFlag: /)]);
  });
});
