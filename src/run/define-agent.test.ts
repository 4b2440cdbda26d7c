import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { AgentFunctions, DefinedAgent } from '../iteration/cli-agent.js';
import type { LoopConfig } from '../config/loop-config.js';
import { ConfigError } from '../model/errors.js';
import type { RunEvent } from '../model/run-event.js';
import { memoryJournal } from '../testing/memory-journal.js';
import { type AgentData, defineAgent } from './define-agent.js';
import { LoopRunner } from './run-handle.js';
import { resumeRun } from './resume-run.js';

const folder = mkdtempSync(join(tmpdir(), 'pawl-define-agent-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Says what it was called with and what it read, in JSON of its own. */
const SCRIPT = `read prompt
printf '{"say":{"words":"%s to %s"},"conversation":"c-1"}\\n' "$prompt" "$*"
printf '{"spent":{"in":100,"out":10,"usd":0.25}}\\n'
`;
writeFileSync(join(folder, 'cli.sh'), SCRIPT);

const DATA: AgentData = {
  name: 'mine',
  command: ['sh', 'cli.sh'],
  modelFlag: '--model',
  resumeFlag: '--resume',
  events: {
    session: 'conversation',
    text: 'say.words',
    usage: { input: 'spent.in', output: 'spent.out', cost: 'spent.usd' },
  },
};

const FUNCTIONS: AgentFunctions = {
  name: 'mine',
  usage: 'live',
  invocation: ({ model }, { environment, prompt }) => ({
    command: 'sh',
    args: ['cli.sh', model ?? 'none'],
    env: environment,
    input: prompt,
  }),
  parse: (line) => [{ kind: 'text', text: line.toUpperCase() }],
};

interface Run {
  readonly events: readonly RunEvent[];
  readonly said: readonly string[];
  readonly spec: LoopRunner['spec'];
}

async function run(agent: DefinedAgent, more: LoopConfig = {}): Promise<Run> {
  const journal = memoryJournal();
  const runner = new LoopRunner(
    {
      workingDir: folder,
      prompt: 'go',
      agent: { model: 'large' },
      maxIterations: 2,
      iterationDelay: 0,
      trackFileChanges: false,
      stop: { failure: [] },
      ...more,
    },
    { agent, journal },
  );
  await runner.run();
  const said = journal.events.flatMap((event) => (event.type === 'agent-said' ? [event.text] : []));
  return { events: journal.events, said, spec: runner.spec };
}

const outcomesOf = ({ events }: Run) =>
  events.flatMap((event) => (event.type === 'iteration-ended' ? [`${event.outcome}: ${event.error ?? ''}`] : []));

const errorsOf = ({ events }: Run) => events.flatMap((event) => (event.type === 'error-seen' ? [event.message] : []));

function issuesOf(agent: unknown): readonly string[] {
  try {
    defineAgent(agent as AgentData);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map(({ path }) => path);
  }
  return [];
}

const define = (agent: unknown) => () => defineAgent(agent as AgentData);

describe('an agent defined by data', () => {
  it('works, is told its model and continues its session', async () => {
    const { said, events, spec } = await run(defineAgent(DATA));
    expect(said).toEqual(['go to --model large', 'go to --model large --resume c-1']);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'usage-reported',
        spend: expect.objectContaining({ inputTokens: 100, outputTokens: 10, costUsd: 0.25 }) as unknown,
      }),
    );
    expect(spec.agent).toMatchObject({ name: 'mine', definition: { command: ['sh', 'cli.sh'] } });
  });

  it('is in the record, so that a resumed run has it', async () => {
    const config = { workingDir: folder, prompt: 'go', maxIterations: 1, iterationDelay: 0 as const };
    await new LoopRunner(config, { agent: defineAgent(DATA) }).run();
    const resumed = await resumeRun({ workingDir: folder });
    const { status } = await resumed.run({ raise: [{ type: 'max_iterations', count: 2 }] });
    expect(status).toBe('stopped');
    expect(resumed.runState.iterations).toBe(2);
    expect(resumed.runState.agent?.name).toBe('mine');
  });

  it('whose rules are for none of its lines is told so, with one of the lines', async () => {
    const { resumeFlag: _none, ...data } = DATA;
    const made = await run(defineAgent({ ...data, events: { result: { when: { kind: 'end' } }, text: 'words' } }));
    expect(outcomesOf(made)[0]).toMatch(
      /^failed: the events of mine .*2 lines.*\{"say":\{"words":"go to --model large"\},"conversation":"c-1"\}.*text, result$/,
    );
    const unpaid = await run(defineAgent({ ...data, events: { usage: 'tokens' } }));
    expect(outcomesOf(unpaid)[0]).toBe('completed: ');
    expect(errorsOf(unpaid)[0]).toMatch(/events of mine .*2 lines/);
  });

  it('that is not there is named', () => {
    const create = (command: string) => () =>
      new LoopRunner({ workingDir: folder, prompt: 'go' }, { agent: defineAgent({ name: 'mine', command }) });
    expect(create('no-such-program')).toThrow(/: no-such-program .*is mine installed\?/);
    expect(create('./no-such-program')).toThrow(/^agents\.mine\.command: \.\/no-such-program .*not there/);
  });

  it.each<[unknown, readonly string[]]>([
    [undefined, ['']],
    [{}, ['name']],
    [{ name: '__proto__', command: 'x' }, ['agents.__proto__']],
    [{ name: 'claude', command: 'x' }, ['agents.claude']],
    [{ name: 'mine' }, ['agents.mine']],
    [{ name: 'mine', command: 'x', modelflag: '-m' }, ['agents.mine.modelflag']],
    [{ name: 'mine', command: 'x', events: { text: 'a b' } }, ['agents.mine.events.text']],
  ])('%j is refused', (agent, paths) => {
    expect(issuesOf(agent)).toEqual(paths);
  });
});

describe('an agent defined by functions', () => {
  it('works, and its name is in the spec', async () => {
    const { said, spec } = await run(defineAgent(FUNCTIONS));
    expect(said[0]).toBe('{"SAY":{"WORDS":"GO TO LARGE"},"CONVERSATION":"C-1"}');
    expect(spec.agent).toMatchObject({ name: 'mine' });
    expect(spec.agent).not.toHaveProperty('definition');
  });

  it('is not mistaken for another when its run is resumed without it', async () => {
    const config = { workingDir: folder, prompt: 'go', maxIterations: 1, iterationDelay: 0 as const };
    await new LoopRunner(config, { agent: defineAgent(FUNCTIONS) }).run();
    await expect(resumeRun({ workingDir: folder })).rejects.toThrow('there is no agent "mine"');
    await expect(resumeRun({ workingDir: folder, agent: defineAgent(FUNCTIONS) })).resolves.toBeDefined();
  });

  it.each<[string, () => unknown, string]>([
    ['throws', () => JSON.parse('{'), 'parse threw'],
    ['gives no list', () => 5, 'parse must return a list of events, not 5'],
    ['gives what is no event', () => [{ kind: 'wrong' }], 'parse returned an invalid event: kind'],
    [
      'gives half an event',
      () => [{ kind: 'usage', scope: 'request' }],
      'parse returned an invalid event: usage.spend',
    ],
    ['gives a promise', () => Promise.reject(new Error('late')), 'parse must return a list of events, not a promise'],
  ])('whose parse %s has failed in every iteration, and does not break the run', async (_what, parse, message) => {
    const made = await run(defineAgent({ ...FUNCTIONS, parse: parse as AgentFunctions['parse'] }));
    const failure = expect.stringMatching(
      `^failed: the agent mine: ${message}.*, for the line .*go to large`,
    ) as string;
    expect(outcomesOf(made)).toEqual([failure, failure]);
    expect(errorsOf(made)).toHaveLength(2);
    expect(made.events.at(-1)?.type).toBe('run-ended');
  });

  it('whose parse throws at one line among good ones has failed, whatever it says after that', async () => {
    const parse: AgentFunctions['parse'] = (line) => {
      if (line.includes('say')) throw new Error('not this one');
      return [
        { kind: 'error', error: 'other', message: 'another' },
        { kind: 'result', outcome: 'success', text: line },
      ];
    };
    const [first] = outcomesOf(await run(defineAgent({ ...FUNCTIONS, parse })));
    expect(first).toMatch(/^failed: .*mine: parse .*: not this one/);
  });

  it.each(['rate', 'overload'] as const)('that reports an error of the kind %s makes the run wait', async (kind) => {
    const parse: AgentFunctions['parse'] = () => [{ kind: 'error', error: kind, message: 'HTTP 529: overloaded' }];
    const made = await run(defineAgent({ ...FUNCTIONS, parse }), { maxWait: '1ms' });
    expect(new Set(outcomesOf(made))).toEqual(new Set(['limited: HTTP 529: overloaded']));
    expect(made.events).toContainEqual(expect.objectContaining({ type: 'limit-hit', kind: 'overload' }));
  });

  it('whose parseError throws has failed, too', async () => {
    const invocation: AgentFunctions['invocation'] = (_agent, { environment }) => ({
      command: 'sh',
      args: ['-c', 'echo fine; echo hm >&2'],
      env: environment,
      input: '',
    });
    const parseError = () => {
      throw new Error('not so');
    };
    const made = await run(defineAgent({ ...FUNCTIONS, invocation, parseError }));
    expect(outcomesOf(made)[0]).toMatch(/^failed: .*mine: parseError .*: not so.*"hm"$/);
    expect(made.said[0]).toBe('FINE');
  });

  it('whose invocation throws later fails and does not break the run', async () => {
    let calls = 0;
    const invocation: AgentFunctions['invocation'] = (...given) => {
      calls += 1;
      if (calls > 1) throw new Error('no more');
      return FUNCTIONS.invocation(...given);
    };
    const made = await run(defineAgent({ ...FUNCTIONS, invocation }));
    expect(errorsOf(made)[0]).toContain('invocation threw: no more');
    expect(made.events.at(-1)?.type).toBe('run-ended');
  });

  it('whose invocation is none is refused before the run', () => {
    const invocation = () => ({ command: 'sh', args: [5], env: {}, input: '' });
    const agent = defineAgent({ ...FUNCTIONS, invocation: invocation as unknown as AgentFunctions['invocation'] });
    expect(() => new LoopRunner({ workingDir: folder, prompt: 'go' }, { agent })).toThrow(ConfigError);
  });

  it.each<[Record<string, unknown>, readonly string[]]>([
    [{ name: 'claude' }, ['name']],
    [{ name: 5 }, ['name']],
    [{ usage: 'often' }, ['usage']],
    [{ parse: undefined }, ['parse']],
    [{ signals: ['SIGKILL'] }, ['signals']],
    [{ graceMs: Number.NaN, canResume: 'yes' }, ['canResume', 'graceMs']],
    [{ command: 'x' }, ['command']],
    [{ __proto__: null, parse_error: () => [] }, ['parse_error']],
  ])('%j is refused', (change, paths) => {
    expect(issuesOf({ ...FUNCTIONS, ...change })).toEqual(paths);
  });

  it('with a misspelled key is told the nearest one', () => {
    expect(define({ ...FUNCTIONS, canResum: true })).toThrow(/^canResum: .*"canResume"/);
    const { parse, ...others } = FUNCTIONS;
    expect(define({ ...others, pasre: parse })).toThrow(/^pasre: .*"parse"/m);
    expect(define({ name: 'mine', pasre: parse })).toThrow(/^pasre: .*"parse"/m);
  });

  it('as an instance of a class may keep what it likes', async () => {
    class Counting {
      readonly name = 'mine';
      readonly usage = 'live';
      readonly invocation = FUNCTIONS.invocation;
      lines = 0;
      parse(_line: string) {
        this.lines += 1;
        return [{ kind: 'text', text: String(this.lines) } as const];
      }
    }
    expect((await run(defineAgent(new Counting()))).said).toEqual(['1', '2', '3', '4']);
  });
});
