import { endOf } from '../model/phase.js';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itemAt } from '../model/item-state.js';
import { createPipeline, type ResumePipelineOptions, resumePipeline, runPipeline } from './run-pipeline.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-resume-pipeline-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function settings() {
  const environment = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  return { cwd: folder, environment, control: false } as const;
}

const write = (manifest: string) => writeFileSync(join(folder, 'pipeline.yaml'), manifest);

async function run(manifest: string) {
  write(manifest);
  return runPipeline('pipeline.yaml', settings());
}

const resumed = (options: ResumePipelineOptions = {}) => resumePipeline({ ...settings(), ...options });

/** Rejects whatever begins with r, as long as there is no file `fixed`. */
function judging(items: string, more = ''): string {
  const audit = `audit: 'test -e fixed || case "$PAWL_ITEM_ID" in r*) exit 10 ;; esac'\n`;
  return `items: [${items}]\ngenerate: { command: 'echo "$PAWL_ITEM_ID" >> made' }\n${audit}${more}`;
}

const made = () => readFileSync(join(folder, 'made'), 'utf8').trim().split('\n');

describe('an item that is processed again', () => {
  it('is taken out of the rates, which are then no reason to refuse it', async () => {
    const result = await run(judging('a, b, c, r', 'retry: { stop_conditions: { min_items: 4 } }\n'));
    expect(result).toMatchObject({ status: 'completed', class: 'failure' });
    // One of three is above the 30 % that are allowed, one of four was not.
    const again = await (await resumed({ redo: ['a', 'b'] })).run();
    expect(again.state.pipeline).toMatchObject({ approved: 3, rejected: 1 });
    expect(made()).toEqual(['a', 'b', 'c', 'r', 'a', 'b']);
  });

  it('can be one that was approved in a run that has been halted', async () => {
    expect(await run(judging('a, r'))).toMatchObject({ status: 'stopped', class: 'failure' });
    expect((await (await resumed({ redo: ['a'] })).run()).state.pipeline).toMatchObject({ approved: 1, rejected: 1 });
  });

  it('accepts no more than what is so at the end of it', async () => {
    await run(judging('a, b, r', 'retry: { stop_conditions: { min_items: 3 } }\n'));
    const { state } = await (await resumed({ redo: ['a', 'b', 'r'] })).run();
    expect(state.pipeline?.accepted?.rejectRate).toBeCloseTo(1 / 3);
  });
});

describe('a manifest that has changed', () => {
  const KEPT = 'retry: { max_attempts: 1, circuit_breaker: 2, stop_conditions: { min_items: 10 } }\n';

  it('is told key by key, and of a long text the part that differs', async () => {
    const long = (end: string) => `${'echo nothing of interest; '.repeat(20)}${end}`;
    const manifest = (end: string, least: number, cost: number) =>
      `items: [a, b, c]\ngenerate: { command: '${long(end)}' }\n${KEPT.replace('10', String(least))}limits: [{ max_cost: ${cost} }, { max_tokens: 9 }]\n`;
    await run(manifest('one', 10, 5));
    write(manifest('two', 9, 6));
    const problem = await resumed().catch(String);
    expect(problem).toContain('~ retry.stop_conditions.min_items: 10 is now 9\n');
    expect(problem).toContain('~ limits.max_cost: 5 is now 6\n');
    expect(problem).toMatch(/~ generate\.command: ….*one" is now ….*two"\n/);
    expect(problem).not.toContain('max_tokens');
  });

  it('withdraws what is left and keeps what is final, and says which is which', async () => {
    await run(judging('a, b, c, d', KEPT));
    write(judging('b, d', KEPT));
    const problem = await resumed().catch(String);
    expect(problem).toMatch(/- items [^,]*: "c"\n/);
    expect(problem).toMatch(/- items .*finished.*: "a"\n/);
    const options = { acceptManifest: true, limits: [{ type: 'circuit_breaker', attempts: 9 }] } as const;
    await expect(resumed({ ...options, redo: ['a'] })).rejects.toThrow(/manifest no longer names .*"a"/);
    await expect(resumed({ ...options, redo: ['x'] })).rejects.toThrow(/no item "x"/);
    const { state, runId } = await (await resumed(options)).run();
    expect(state).toMatchObject({ phase: { state: 'completed' }, pipeline: { items: 4, withdrawn: 1, approved: 3 } });
    expect(itemAt(state.pipeline?.states, 2)).toEqual({ item: 'c', attempts: [], isWithdrawn: true });
    const file = readFileSync(join(folder, '.ralph', 'runs', runId, 'state.json'), 'utf8');
    const { frame_states } = JSON.parse(file) as { frame_states: Record<string, { status: string }> };
    expect(Object.entries(frame_states).map(([id, { status }]) => `${id} ${status}`)).toEqual([
      'a approved',
      'b approved',
      'c withdrawn',
      'd approved',
    ]);
  });
});

it('a run whose journal is gone is refused with the path, although its snapshot is there', async () => {
  const { runId } = await run(judging('a, r'));
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('journal.jsonl'),
  );
  for (const name of names) rmSync(join(folder, name));
  const journal = join('pawl', 'runs', runId, 'journal.jsonl');
  await expect(resumed()).rejects.toMatchObject({ name: 'FileSystemError', message: expect.stringContaining(journal) });
});

describe('a budget', () => {
  const usage = (cost: number) => `echo "{\\"pawl\\":\\"usage\\",\\"cost_usd\\":${cost}}"`;

  it('that the last line of an attempt crosses throws nothing away, and its audit has its say', async () => {
    const { state } = await run(
      `items: [a, b]\ngenerate: { command: '${usage(2)}' }\naudit: 'sleep 1; echo "$PAWL_ITEM_ID" >> judged'\nlimits: [{ max_cost: 1 }]\n`,
    );
    expect(state).toMatchObject({ phase: { state: 'stopped' }, pipeline: { approved: 1, attempts: 1 } });
    expect(readFileSync(join(folder, 'judged'), 'utf8')).toBe('a\n');
  });

  it('that is crossed in the middle of an attempt, or by an audit that goes on, ends it', async () => {
    const generating = await run(
      `items: [a]\ngenerate: { command: '${usage(2)}; sleep 60' }\nlimits: [{ max_cost: 1 }]\n`,
    );
    expect(generating.state.pipeline).toMatchObject({ approved: 0, attempts: 1 });
    const auditing = await run(
      `items: [a]\ngenerate: { command: '${usage(0.1)}' }\naudit: '${usage(2)}; sleep 60'\nlimits: [{ max_cost: 1 }]\n`,
    );
    expect(itemAt(auditing.state.pipeline?.states, 0)).toMatchObject({ interrupted: 1 });
  });

  it('that nobody can hold says what helps, in the words of a pipeline', async () => {
    const { state } = await run(`items: [a, b]\ngenerate: { command: 'true' }\nlimits: [{ max_cost: 1 }]\n`);
    expect(endOf(state)?.reasons[0]?.message).toMatch(
      /^spend unknown: an attempt .*; have each attempt print its usage/,
    );
    await expect(resumed()).rejects.toThrow(/no attempt has reported.*--max-cost 0 /);
  });
});

describe('an output', () => {
  it('that the audit removes is lost, not missing', async () => {
    const { state } = await run(
      `items: [a]\ngenerate: { command: 'echo x > "$PAWL_OUTPUT"', output: 'o/{{item.id}}' }\naudit: 'rm "$PAWL_OUTPUT"'\nretry: { max_attempts: 1 }\n`,
    );
    expect(itemAt(state.pipeline?.states, 0)).toMatchObject({ attempts: [{ reasons: ['OUTPUT_LOST'] }] });
  });
});

it('a generator that takes too long is not called an iteration', async () => {
  write(`items: [a]\ngenerate: { command: sleep 60, timeout: 200ms }\nretry: { max_attempts: 1 }\n`);
  const messages: unknown[] = [];
  const handle = await createPipeline('pipeline.yaml', settings());
  handle.subscribe((event) => void (event.type === 'attempt-ended' && messages.push(event.message)));
  await handle.run();
  expect(messages).toEqual([expect.stringMatching(/^the (?!iteration).* 200ms/)]);
});

it('options that are a text are refused', async () => {
  await expect(resumePipeline('nope' as unknown as ResumePipelineOptions)).rejects.toThrow('takes options');
});
