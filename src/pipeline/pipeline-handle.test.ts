import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AlreadyRunning } from '../model/errors.js';
import { createPipeline, resumePipeline, runPipeline, type RunPipelineOptions } from './run-pipeline.js';
import { calculateRunStatistics, findNextPendingFrame, type FrameRunState } from './story-state.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-pipeline-handle-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

function settings() {
  const environment = { PATH: process.env['PATH'], HOME: folder, XDG_STATE_HOME: join(folder, 'state') };
  return { cwd: folder, environment, control: false } as const;
}

async function pipelineOf(manifest: string, options: RunPipelineOptions = {}) {
  writeFileSync(join(folder, 'pipeline.yaml'), manifest);
  return createPipeline('pipeline.yaml', { ...settings(), ...options });
}

describe('a pipeline in a program of your own', () => {
  it('is shut down in the middle of its attempts, and can be watched to the last event', async () => {
    const handle = await pipelineOf(`items: [a, b, c]\ngenerate: { command: sleep 60 }\nconcurrency: 2\n`);
    const seen: string[] = [];
    const events = handle.events();
    const running = handle.run();
    for await (const { type } of events) {
      seen.push(type);
      if (seen.filter((one) => one === 'attempt-started').length === 2) break;
    }
    await expect(handle.run()).rejects.toThrow(AlreadyRunning);
    await handle.shutdown();
    expect(handle.state()).toBe('stopped');
    expect(await running).toMatchObject({ status: 'stopped', class: 'operator' });
    expect(handle.stats().iterations).toBe(2);
  });

  it('refuses what is said to one agent, and a listener that throws is not told again', async () => {
    const handle = await pipelineOf(`items: [a]\ngenerate: { command: sleep 60 }\n`);
    let told = 0;
    handle.subscribe(() => {
      told += 1;
      throw new Error('mine');
    });
    const refusals: unknown[] = [];
    handle.subscribe(({ type }) => {
      if (type !== 'attempt-started') return;
      handle.send({ type: 'skip' }).catch((error: unknown) => refusals.push(error));
      handle.send({ type: 'stop', now: true }).catch((error: unknown) => refusals.push(error));
    });
    expect(await handle.run()).toMatchObject({ status: 'stopped' });
    expect(refusals.map(String)).toEqual([expect.stringContaining('cannot skip a pipeline')]);
    expect(told).toBe(1);
  });

  it('stops when the signal is aborted that createPipeline or resumePipeline was given', async () => {
    const manifest = `items: [a]\ngenerate: { command: 'sleep 60' }\n`;
    const abort = new AbortController();
    const first = await pipelineOf(manifest, { signal: abort.signal });
    first.subscribe(({ type }) => type === 'attempt-started' && abort.abort());
    expect(await first.run()).toMatchObject({ status: 'stopped', class: 'operator' });
    const again = await resumePipeline({ ...settings(), signal: AbortSignal.abort() });
    expect(await again.run()).toMatchObject({ status: 'stopped', class: 'operator' });
  });

  it('ends as an error that names its working directory when a command removes it', async () => {
    const work = join(folder, 'work');
    mkdirSync(work);
    const manifest = `working_dir: work\nitems: [a, b, c, d]\ngenerate: { command: 'rm -rf "${work}"; exit 1' }\n`;
    writeFileSync(join(folder, 'pipeline.yaml'), manifest);
    const handle = await createPipeline('pipeline.yaml', settings());
    const seen: string[] = [];
    handle.subscribe(({ type }) => void seen.push(type));
    expect(await handle.run()).toMatchObject({
      status: 'error',
      error: expect.stringMatching(new RegExp(`working directory ${work} is gone`)),
    });
    expect(seen.filter((type) => type.startsWith('attempt-'))).toEqual(['attempt-started', 'attempt-ended']);
  });

  it('waits for a second limit of its provider, too, after an item that got through', async () => {
    const limit = `echo '{"pawl":"limit","limit":"overload","message":"busy"}'; exit 1`;
    const handle = await pipelineOf(
      `items: [a, b]\ngenerate: { command: ${JSON.stringify(`test -e "$PAWL_ITEM_ID".seen || { touch "$PAWL_ITEM_ID".seen; ${limit}; }`)} }\n`,
    );
    const seen: string[] = [];
    handle.subscribe((event) => {
      if (event.type === 'attempt-ended') seen.push(`${event.item} ${event.outcome}`);
      if (event.type !== 'waiting-started') return;
      seen.push(event.for);
      setImmediate(() => void handle.send({ type: 'resume' }));
    });
    expect(await handle.run()).toMatchObject({ status: 'completed' });
    expect(seen).toEqual(['a limited', 'overload', 'a approved', 'b limited', 'overload', 'b approved']);
  });

  it('[c20] tells why it halted and its statistics as state.json does, and a program can work them out of that file', async () => {
    writeFileSync(
      join(folder, 'pipeline.yaml'),
      `items: [a, r, b]\ngenerate: { command: 'true' }\naudit: 'case "$PAWL_ITEM_ID" in r*) exit 10 ;; esac'\n` +
        'retry: { stop_conditions: { min_items: 2 } }\n',
    );
    const result = await runPipeline('pipeline.yaml', settings());
    const path = join(folder, '.ralph', 'runs', result.runId, 'state.json');
    const state = JSON.parse(readFileSync(path, 'utf8')) as FrameRunState & Record<string, unknown>;
    expect(result.stop_reason).toEqual({
      condition: 'REJECT_RATE',
      value: 0.5,
      threshold: 0.3,
      message: 'Reject rate 50% exceeds 30% threshold',
    });
    expect(result.stop_reason).toEqual(state['stop_reason']);
    expect(result.statistics).toMatchObject({ total_frames: 3, frames_attempted: 2, reject_rate: 0.5 });
    expect(result.statistics).toEqual(state['statistics']);
    expect(calculateRunStatistics(state)).toEqual(result.statistics);
    expect(findNextPendingFrame(state)).toBe(state['resume_from_frame']);
    expect(findNextPendingFrame({ frame_states: { a: { status: 'approved', attempts: [] } } })).toBeUndefined();
  });

  it.each<[string, RegExp]>([
    ['max_reject_rate: 0.3, min_items: 1', /^Reject rate 100% exceeds 30% threshold$/],
    ['max_reject_rate: 1, max_consecutive_fails: 2', /^2 items .* 2 halt /],
    ['max_reject_rate: 1, max_consecutive_fails: 1', /^1 item .* 1 halts /],
  ])('says why it halted in one text, in the result, in state.json and in the record: %s', async (thresholds, text) => {
    writeFileSync(
      join(folder, 'pipeline.yaml'),
      `items: [a, b, c]\ngenerate: { command: 'true' }\naudit: 'exit 10'\nretry: { stop_conditions: { ${thresholds} } }\n`,
    );
    const { runId, reasons, stop_reason } = await runPipeline('pipeline.yaml', settings());
    const file = JSON.parse(readFileSync(join(folder, '.ralph', 'runs', runId, 'state.json'), 'utf8'));
    const texts = [stop_reason, reasons[0], file.stop_reason, file.ended.reasons[0]].map((reason) => reason.message);
    expect(new Set(texts)).toEqual(new Set([expect.stringMatching(text)]));
  });

  it.each([
    ['max_retry_rate: 0.9', ['RETRY_RATE', 1, 0.9], 1],
    ['max_reject_rate: 0.6, max_consecutive_fails: 9, min_items: 3', ['REJECT_RATE', 2 / 3, 0.6], 3],
    ['max_reject_rate: 1, max_consecutive_fails: 2', ['CONSECUTIVE_FAILS', 2, 2], 4],
  ] as const)(
    '[c24] [c30] halts at the thresholds of the manifest, not at the usual: %s',
    async (thresholds, why, done) => {
      const isRetried = thresholds.startsWith('max_retry');
      const retry = `test "$PAWL_ATTEMPT" -gt 1 || { echo "{\\"verdict\\":\\"retry\\"}"; }`;
      const audit = isRetried ? retry : 'case "$PAWL_ITEM_ID" in r*) exit 10 ;; esac';
      writeFileSync(
        join(folder, 'pipeline.yaml'),
        `items: [r1, a, r2, r3, b]\ngenerate: { command: 'true' }\naudit: '${audit}'\n` +
          `retry: { stop_conditions: { ${thresholds} } }\n`,
      );
      const { status, stop_reason, statistics } = await runPipeline('pipeline.yaml', settings());
      const [condition, value, threshold] = why;
      expect(status).toBe('stopped');
      expect(stop_reason).toMatchObject({ condition, value: expect.closeTo(value), threshold });
      expect(statistics.frames_attempted).toBe(done);
    },
  );
});
