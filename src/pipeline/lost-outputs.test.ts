import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itemAt } from '../model/item-state.js';
import type { RunEvent } from '../model/run-event.js';
import { replay } from '../replay/replay.js';
import { createPipeline, resumePipeline } from './run-pipeline.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-lost-outputs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

const settings = () => ({
  cwd: folder,
  environment: { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') },
  control: false,
});

const manifest = (command: string, more = '') =>
  writeFileSync(
    join(folder, 'pipeline.yaml'),
    `items: [a, b, c]\ngenerate: { command: ${JSON.stringify(command)}, output: 'out/{{item.id}}' }\n${more}`,
  );

async function run(command: string, more = '') {
  manifest(command, more);
  const handle = await createPipeline('pipeline.yaml', settings());
  const events: RunEvent[] = [];
  handle.subscribe((event) => void events.push(event));
  return { result: await handle.run(), events };
}

const LENIENT = 'retry: { stop_conditions: { min_items: 10, max_consecutive_fails: 10 } }\n';
const HALTED = 'retry: { circuit_breaker: 2, max_attempts: 1 }\n';
const MAKE = 'echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"; echo "$PAWL_ITEM_ID" >> made';

const ITEMS = ['a', 'b', 'c'];
const reasonsOf = (states: Parameters<typeof itemAt>[0]) =>
  ITEMS.map((_, index) => itemAt(states, index)?.attempts.at(-1)?.reasons);

describe('an approved output that is lost before the run ends', () => {
  it.each([
    ['removed', 'rm -rf out', LENIENT],
    ['removed, whatever the thresholds say', 'rm -rf out', ''],
    ['changed', 'for f in out/*; do test -e "$f" && echo changed > "$f"; done; true', LENIENT],
    [
      'changed in place with its old time',
      'for f in out/*; do test -e "$f" && echo x > "$f" && touch -d @1 "$f"; done; true',
      LENIENT,
    ],
    ['replaced by a link', 'for f in out/*; do test -e "$f" && ln -sf /dev/null "$f"; done; true', LENIENT],
  ])('because another generator %s it is OUTPUT_LOST, and no success', async (_how, harm, more) => {
    const { result, events } = await run(`${harm}; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"`, more);
    expect(result).toMatchObject({ class: 'failure', exitCode: 4 });
    expect(result.state.pipeline).toMatchObject({ approved: 1, failed: 2 });
    expect(reasonsOf(result.state.pipeline?.states)).toEqual([['OUTPUT_LOST'], ['OUTPUT_LOST'], undefined]);
    expect(replay(events).verdicts.map(({ isSame }) => isSame)).not.toContain(false);
  });

  it('is noticed when the run is halted, too', async () => {
    const { result } = await run('rm -rf out; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', HALTED);
    expect(result.status).toBe('stopped');
    expect(result.state.pipeline).toMatchObject({ approved: 1, failed: 1 });
  });

  it('can be made again', async () => {
    const { result } = await run('test -e fixed || rm -rf out; echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"', LENIENT);
    expect(result.exitCode).toBe(4);
    writeFileSync(join(folder, 'fixed'), '');
    const again = await (await resumePipeline({ ...settings(), redo: ['a', 'b'] })).run();
    expect(again).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(ITEMS);
  });
});

describe('an approved output that is lost between two stretches', () => {
  it.each([
    ['removed', () => rmSync(join(folder, 'out', 'a'))],
    ['changed', () => writeFileSync(join(folder, 'out', 'a'), 'other')],
    [
      'changed, with its old time',
      () => {
        writeFileSync(join(folder, 'out', 'a'), 'other');
        utimesSync(join(folder, 'out', 'a'), 1, 1);
      },
    ],
  ])('because somebody %s it is made again by the resume', async (_how, harm) => {
    const { result } = await run(MAKE, HALTED);
    expect(result.state.pipeline).toMatchObject({ approved: 2 });
    harm();
    const going = await resumePipeline({ ...settings(), limits: [{ type: 'circuit_breaker', attempts: 20 }] });
    const again = await going.run();
    expect(again).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(again.state.pipeline).toMatchObject({ approved: 3 });
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(ITEMS);
    expect(readFileSync(join(folder, 'out', 'a'), 'utf8')).toBe('a\n');
  });

  it('is made again although the run had completed', async () => {
    await run(MAKE);
    rmSync(join(folder, 'out', 'b'));
    expect(await (await resumePipeline(settings())).run()).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(existsSync(join(folder, 'out', 'b'))).toBe(true);
  });

  it('is no reason to make what is unchanged again', async () => {
    await run(MAKE, HALTED);
    utimesSync(join(folder, 'out', 'a'), new Date(), new Date());
    await (await resumePipeline({ ...settings(), limits: [{ type: 'circuit_breaker', attempts: 20 }] })).run();
    expect(readFileSync(join(folder, 'made'), 'utf8')).toBe('a\nb\nc\n');
  });
});

describe('an output folder that leads out of the tree', () => {
  it('because a generator has made it a link gets nothing written', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'));
    const { result } = await run(`echo x > "$PAWL_OUTPUT"; rm -rf out; ln -s ${outside} out`);
    expect(result.status).toBe('error');
    expect(result.error).toMatch(/out.* is outside the working directory/);
    expect(readdirSync(outside)).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it('from the beginning is refused before anything is made', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'pawl-outside-'));
    symlinkSync(outside, join(folder, 'out'));
    await expect(run(MAKE)).rejects.toMatchObject({ code: 'ConfigError' });
    expect(existsSync(join(folder, 'made'))).toBe(false);
    rmSync(outside, { recursive: true });
  });

  it('is fine as a link inside of it', async () => {
    mkdirSync(join(folder, 'elsewhere'));
    symlinkSync('elsewhere', join(folder, 'out'));
    expect((await run(MAKE)).result).toMatchObject({ status: 'completed', exitCode: 0 });
    expect(readdirSync(join(folder, 'elsewhere')).sort()).toEqual(ITEMS);
  });
});
