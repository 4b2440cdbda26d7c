/** The pipeline of `examples/sprites` as its README tells it, with real processes and real pictures. */
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32, inflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

const example = fileURLToPath(new URL('../../examples/sprites/', import.meta.url));

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('sprites');
});
afterAll(() => cli.remove());

interface Frame {
  readonly status: string;
  readonly attempts: readonly {
    readonly outcome: string;
    readonly score: number;
    readonly reasons?: readonly string[];
  }[];
}

interface PipelineFile {
  readonly run_status: string;
  readonly stop_reason?: { readonly condition: string };
  readonly resume_from_frame?: number;
  readonly statistics: Readonly<Record<string, number>>;
  readonly frame_states: Readonly<Record<string, Frame>>;
}

interface Drawn {
  readonly id: string;
  readonly attempt: number;
  readonly reasons: string;
}

/** A copy of the example whose generator keeps a ledger of every picture that it draws. */
function spritesProject(): CliProject {
  const project = new CliProject(cli, { hasGit: false });
  cpSync(example, project.path, {
    recursive: true,
    filter: (path) => !/\/(?:frames|\.ralph|sheet\.png)$/.test(path),
  });
  Object.assign(project.env, { PAWL_TRUST: '1', SPRITES_LEDGER: join(project.path, 'ledger.jsonl') });
  return project;
}

function stateOf(project: CliProject): PipelineFile {
  const [run = ''] = readdirSync(join(project.path, '.ralph', 'runs'));
  return JSON.parse(project.read(join('.ralph', 'runs', run, 'state.json'))) as PipelineFile;
}

function ledgerOf(project: CliProject): readonly Drawn[] {
  const lines = project.read('ledger.jsonl').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Drawn);
}

function idsWith({ frame_states }: PipelineFile, status: string): readonly string[] {
  return Object.keys(frame_states).filter((id) => frame_states[id]?.status === status);
}

/** Width and height of a picture, every part of which is as its sums say. */
function sizeOfPng(path: string): readonly [number, number] {
  const file = readFileSync(path);
  expect(file.toString('latin1', 1, 8)).toBe('PNG\r\n\x1a\n');
  let data = Buffer.alloc(0);
  for (let at = 8; at < file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    expect(file.readUInt32BE(end)).toBe(crc32(file.subarray(at + 4, end)));
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') data = Buffer.concat([data, file.subarray(at + 8, end)]);
    at = end + 4;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  expect(inflateSync(data)).toHaveLength((width * 4 + 1) * height);
  return [width, height];
}

describe('the sprites', () => {
  it('are drawn again with the reasons until they are right, but for one that never can be', async () => {
    const project = spritesProject();
    const outcome = await project.pawl('pipeline', 'run', 'sprites.yaml');
    expect(outcome).toMatchObject({ status: 4, stderr: expect.stringContaining('node draw.mjs') as string });
    expect(outcome.stdout).toMatch(/^Gave up .*23 of 24 items approved, 1 rejected/m);
    const state = stateOf(project);
    expect(state).toMatchObject({
      run_status: 'completed',
      statistics: { total_frames: 24, frames_approved: 23, frames_rejected: 1, frames_failed: 0, retry_rate: 5 / 24 },
    });

    const retried = Object.entries(state.frame_states).filter(([, { attempts }]) => attempts.length > 1);
    const told = retried.map(([id, { attempts }]) => [id, attempts.map(({ reasons = [] }) => reasons.at(-1))]);
    expect(Object.fromEntries(told)).toEqual({
      'fox-2': ['OFF_BASELINE', undefined],
      'fox-5': ['NOT_IN_PALETTE', undefined],
      'duck-1': ['OFF_CENTRE', undefined],
      'duck-6': ['UNREADABLE', undefined],
      'robot-3': ['OFF_BASELINE', 'OFF_BASELINE', undefined],
    });
    expect(state.frame_states['robot-6']).toMatchObject({
      status: 'rejected',
      attempts: [{ outcome: 'rejected', reasons: ['PALETTE_TOO_SMALL'], score: 0 }],
    });

    const ledger = ledgerOf(project);
    expect(ledger).toHaveLength(30);
    for (const { id, attempt, reasons } of ledger) {
      const before = state.frame_states[id]?.attempts[attempt - 2];
      expect({ id, reasons }).toEqual({ id, reasons: before?.reasons?.join(', ') ?? '' });
    }

    const rows = project.read('frames.csv').trim().split('\n').slice(1);
    for (const [id = '', , , , width, height] of rows.map((row) => row.split(','))) {
      const path = join(project.path, 'frames', `${id}.png`);
      if (id === 'robot-6') expect(existsSync(path)).toBe(false);
      else expect(sizeOfPng(path)).toEqual([Number(width), Number(height)]);
    }
  });

  it('of which too many fail halt the run; once that is put right, no approved one is drawn again', async () => {
    const project = spritesProject();
    // Fewer frames, to be quick: three that come out well, four that do not.
    const frames = ['fox-0', 'fox-1', 'fox-3', 'duck-0', 'duck-2', 'duck-3', 'duck-4'];
    project.env['SPRITES_DRY'] = 'duck';
    const halted = await project.pawl('pipeline', 'run', 'sprites.yaml', '--concurrency', '1', '--only', ...frames);
    expect(halted).toMatchObject({ status: 4 });
    expect(halted.stdout).toMatch(/^Gave up .*3 items in a row/m);
    const before = stateOf(project);
    expect(before).toMatchObject({
      run_status: 'stopped',
      stop_reason: { condition: 'CONSECUTIVE_FAILS', value: 3, threshold: 3 },
      resume_from_frame: 6,
      statistics: { frames_attempted: 6, frames_approved: 3, frames_failed: 3 },
    });
    const failed = idsWith(before, 'failed');
    expect(failed).toEqual(['duck-0', 'duck-2', 'duck-3']);
    for (const id of failed) {
      const reasons = before.frame_states[id]?.attempts.map((attempt) => attempt.reasons);
      expect(reasons).toEqual([['TOO_SPARSE'], ['TOO_SPARSE'], ['TOO_SPARSE']]);
    }
    expect(readdirSync(join(project.path, 'frames'))).toEqual(['fox-0.png', 'fox-1.png', 'fox-3.png']);

    delete project.env['SPRITES_DRY'];
    const soFar = ledgerOf(project).length;
    const resumed = await project.pawl('pipeline', 'run', '--resume', '--redo', ...failed);
    expect(resumed).toMatchObject({ status: 0 });
    expect(resumed.stdout).toMatch(/^Done .*all 7 items approved/m);
    const drawnLater = ledgerOf(project).slice(soFar);
    expect(drawnLater.map(({ id, attempt }) => `${id} ${attempt}`).toSorted()).toEqual(
      ['duck-0', 'duck-2', 'duck-3', 'duck-4'].map((id) => `${id} 1`),
    );
    for (const id of frames) sizeOfPng(join(project.path, 'frames', `${id}.png`));
  });
});
