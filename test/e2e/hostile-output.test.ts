import { endOf } from '../../src/model/phase.js';
import { afterAll, describe, expect, it } from 'vitest';
import type { LoopConfig } from '../../src/config/loop-config.js';
import { totalSpend } from '../../src/model/spend-account.js';
import { AttackedRun, mostHeldWhile } from '../support/attacked-run.js';
import { FULL } from '../support/full-form.js';

const runs: AttackedRun[] = [];
afterAll(() => {
  for (const run of runs) run.remove();
});

function attacked(): AttackedRun {
  const run = new AttackedRun();
  runs.push(run);
  return run;
}

const MEGABYTE = 1_000_000;
/** In every form more than may be held and recorded. */
const FLOOD_BYTES = (FULL ? 1000 : 60) * MEGABYTE;
/** Raw output and what the agent said, each with its limit, and room for the rest. */
const MOST_RECORDED_BYTES = 36 * MEGABYTE;

const untilDone: LoopConfig = {
  iterationTimeout: '4m',
  stop: { success: [{ output_pattern: 'DONE' }] },
};

describe('a flood', { timeout: 300_000 }, () => {
  it.each([
    ['lines', FLOOD_BYTES],
    ['line', FLOOD_BYTES],
    ['unbroken', 20 * MEGABYTE],
    ['noise', 10 * MEGABYTE],
    ['nuls', 50 * MEGABYTE],
    ['empty', (FULL ? 10 : 1) * MEGABYTE],
    ['escapes', 100_000],
  ])('of %s costs little memory and disk, and the marker at its very end is found', async (kind, count) => {
    const run = attacked();
    run.keepsText = false;
    const allowed = 24 * MEGABYTE;
    const held = await mostHeldWhile(allowed, () => run.run(['floods', kind, String(count)], untilDone));
    expect(run.ended()).toMatchObject([{ outcome: 'completed', ending: { cause: 'exit' } }]);
    expect(endOf(run.runner.runState)).toMatchObject({ class: 'goal' });
    expect(held).toBeLessThan(allowed);
    expect(run.recordedBytes()).toBeLessThan(MOST_RECORDED_BYTES);
    await run.expectWholeRecord();
  });

  it('of messages that are long and many costs little memory and disk', async () => {
    const run = attacked();
    const config: LoopConfig = { stop: { failure: [] } };
    // The events that this test keeps are a part of it.
    const allowed = 40 * MEGABYTE;
    const held = await mostHeldWhile(allowed, () => run.run(['floods-protocol', 'events', '800'], config));
    expect(run.ended()).toMatchObject([{ outcome: 'failed' }]);
    expect(run.of('agent-finished')).toHaveLength(1);
    expect(run.of('context-reported')).toHaveLength(800);
    expect(held).toBeLessThan(allowed);
    expect(run.recordedBytes()).toBeLessThan(MOST_RECORDED_BYTES);
    await run.expectWholeRecord();
  });

  it('of one kind of message does not hide another', async () => {
    const run = attacked();
    run.keepsText = false;
    const config: LoopConfig = { stop: { failure: [], limits: [{ permission_denied: 3 }] } };
    expect(await run.run(['floods-protocol', 'denials', '9000'], config)).toMatchObject({ class: 'blocked' });
    expect(run.of('error-seen').length).toBeLessThan(9000);
    expect(run.recordedBytes()).toBeLessThan(MOST_RECORDED_BYTES);
  });

  it('in the answer of a tool is not what the agent says, also when it is too long to be read', async () => {
    const run = attacked();
    const result = await run.run(['floods-protocol', 'tool-output', String(6 * MEGABYTE)], untilDone);
    expect(result).toMatchObject({ class: 'limit', exitCode: 3 });
    expect(run.said()).toBe('');
  });

  it('of results is one result', async () => {
    const run = attacked();
    await run.run(['floods-protocol', 'results', '10000']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed', observation: { summary: 'result 9999' } }]);
    expect(run.recordedBytes()).toBeLessThan(MOST_RECORDED_BYTES);
  });
});

describe.concurrent('output that is absurd', () => {
  it('nested without end is only words', async () => {
    const run = attacked();
    await run.run(['floods-protocol', 'nested', '100000']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed' }]);
    expect(run.of('tool-called')).toMatchObject([{ name: 'deep', input: '(nested too deeply to show)' }]);
    await run.expectWholeRecord();
  });

  it('with keys of the prototype changes no prototype, and its usage counts', async () => {
    const run = attacked();
    await run.run(['floods-protocol', 'prototype', '1']);
    expect(run.ended()).toMatchObject([{ outcome: 'completed' }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(totalSpend(run.runner.runState.spend).costUsd).toBe(0.01);
    expect(run.said()).toContain('hello');
    await run.expectWholeRecord();
  });

  it.each(['NaN', '-5', '1e308', '"0.01"', '[1]', '-1e-9', 'Infinity', '1e999'])(
    'such as a cost of %s is not taken, is shown, and does not pass a budget',
    async (cost) => {
      const run = attacked();
      const line = `{"pawl":"usage","id":"a","input_tokens":1,"output_tokens":1,"cost_usd":${cost}}`;
      const result = await run.run(['prints', line], { maxIterations: 5, stop: { limits: [{ max_cost: 1 }] } });
      expect(run.of('usage-reported')).toEqual([]);
      expect(run.said()).toContain(line);
      expect(totalSpend(run.runner.runState.spend).costUsd).toBeUndefined();
      expect(result).toMatchObject({ class: 'blocked', exitCode: 5 });
      expect(run.ended()).toHaveLength(1);
    },
  );

  it('such as usage told many times under one id counts once, and never less than before', async () => {
    const run = attacked();
    const usage = (cost: number) => `{"pawl":"usage","id":"a","input_tokens":1,"output_tokens":1,"cost_usd":${cost}}`;
    await run.run(['prints', usage(0.02), usage(0.02), usage(0.03), usage(0.01), usage(0.03)]);
    expect(totalSpend(run.runner.runState.spend).costUsd).toBe(0.03);
  });

  it('such as ids of a megabyte that differ at their end are different', async () => {
    const run = attacked();
    const script = [0, 1].map(
      (end) =>
        `printf '{"pawl":"usage","id":"'; head -c 1000000 /dev/zero | tr '\\0' i; echo '${end}","cost_usd":0.25,"input_tokens":1,"output_tokens":1}'`,
    );
    await run.run(['runs', script.join('\n')]);
    expect(totalSpend(run.runner.runState.spend).costUsd).toBe(0.5);
    expect(run.recordedBytes()).toBeLessThan(3 * MEGABYTE);
  });
});
