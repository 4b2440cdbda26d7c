import { tmpdir } from 'node:os';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { DEFAULT_FAILURE } from './default-policy.js';
import { ConfigError } from '../model/errors.js';
import type { ConfigValues } from './config-shape.js';
import { loadConfig } from './load-config.js';
import type { AgentConfig, LoopConfig, PriceConfig, SessionConfig, StopConfig, StopShorthands } from './loop-config.js';
import { resolveConfig } from './resolve-config.js';

const cwd = tmpdir();

type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S;
type CamelKeys<K> = Camel<keyof K & string>;
type Given<K extends keyof ConfigValues> = NonNullable<ConfigValues[K]>;

describe('resolveConfig', () => {
  it('gives the same spec as a file that says the same', () => {
    const { spec } = resolveConfig({}, { cwd });
    expect(spec).toEqual(loadConfig({ cwd, env: { XDG_CONFIG_HOME: '/nonexistent' } }).spec);
  });

  it('reads camelCase and keeps conditions as they are', () => {
    const { spec, origins } = resolveConfig(
      {
        agent: { name: 'claude', command: ['npx', 'claude'] },
        maxIterations: 3,
        iterationDelay: 0,
        session: { stateDir: '/state', sessionTimeout: '2h' },
        stop: {
          success: ['all_tests_pass', { type: 'function', name: 'isDone' }],
          stopOnFirst: true,
          maxNoProgressIterations: 0,
        },
        hooks: { beforeIteration: { command: 'x', onFailure: 'block' } },
        prices: { m: { input: 1, output: 2, cacheRead: 0.1 } },
      },
      { cwd },
    );
    expect(spec).toMatchObject({
      agent: { command: ['npx', 'claude'] },
      policy: {
        success: [{ type: 'all_tests_pass' }, { type: 'function', name: 'isDone' }],
        failure: DEFAULT_FAILURE.slice(1),
        limits: [{ type: 'max_iterations', count: 3 }],
        stopOnFirst: true,
      },
      iterationDelayMs: 0,
      session: { stateDir: '/state', timeoutMs: 7_200_000 },
      hooks: { before_iteration: { command: 'x', timeoutMs: 60_000, onFailure: 'block' } },
      prices: { m: { input: 1, output: 2, cacheRead: 0.1 } },
    });
    expect(origins['iteration_delay']).toEqual({ source: 'code' });
  });

  it.each<[unknown, string[]]>([
    [{ max_iterations: 3 }, ['max_iterations: unknown key; did you mean "maxIterations"?']],
    [{ session: { stateDirr: 'x' } }, ['session.stateDirr: unknown key; did you mean "stateDir"?']],
    [
      { iterationTimeout: 5000 },
      ['iterationTimeout: must be a duration with units, such as "90s", "4h" or "1h 30m", not 5000'],
    ],
    [{ stop: { limits: [{ max_cost: -1 }] } }, ['stop.limits[0].usd: must be an amount of US dollars above 0, not -1']],
    [{ stop: { success: [() => true] } }, ['stop.success[0]: a condition is a name or a mapping, not a function']],
    [
      { session: { timeout: '1h', sessionTimeout: '2h' } },
      ['session.sessionTimeout: session.timeout is also set; keep one of the two'],
    ],
    [
      { stop: { success: [{ check_passes: 'x' }] } },
      ['stop.success[0].name: no check is called "x"; no checks are defined under `checks`'],
    ],
    ['claude', ['must be a mapping of keys to values, not "claude"']],
    [{ agent: Symbol('x') }, ['agent: must be a text that is not empty, or a mapping, not Symbol(x)']],
    [{ maxIterations: 10n }, ['maxIterations: must be a whole number of at least 1, or 0 for none, not 10']],
  ])('refuses %o', (config, issues) => {
    let message = 'no error';
    try {
      resolveConfig(config as LoopConfig, { cwd });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      message = error.message;
    }
    expect(message.split('\n')).toEqual(issues);
  });

  it('an object that holds itself is refused, not followed for ever', () => {
    const condition: Record<string, unknown> = { type: 'not' };
    condition['condition'] = condition;
    expect(() => resolveConfig({ stop: { limits: [condition] } }, { cwd })).toThrow(/nested more than 32 deep/);
  });

  it('the types have the keys of the table', () => {
    expectTypeOf<keyof LoopConfig>().toEqualTypeOf<CamelKeys<ConfigValues>>();
    expectTypeOf<keyof AgentConfig>().toEqualTypeOf<CamelKeys<Given<'agent'>>>();
    expectTypeOf<keyof SessionConfig>().toEqualTypeOf<CamelKeys<Given<'session'>>>();
    expectTypeOf<keyof StopConfig>().toEqualTypeOf<CamelKeys<Given<'stop'>>>();
    expectTypeOf<keyof StopShorthands>().toEqualTypeOf<CamelKeys<Given<'stop_conditions'>>>();
    expectTypeOf<keyof NonNullable<LoopConfig['hooks']>>().toEqualTypeOf<CamelKeys<Given<'hooks'>>>();
    expectTypeOf<keyof NonNullable<LoopConfig['notify']>>().toEqualTypeOf<CamelKeys<Given<'notify'>>>();
    expectTypeOf<keyof PriceConfig>().toEqualTypeOf<CamelKeys<Given<'prices'>[string]>>();
  });
});
