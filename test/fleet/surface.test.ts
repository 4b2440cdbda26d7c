/** What users of a fleet script against; after an intended change `npx vitest run test/fleet/surface.test.ts -u` under Node 22. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { runProgram } from '../../src/views/cli/program.js';
import { fleetWorkers, hasEnded, runOf } from '../support/fleet-workers.js';
import { maskedEvents, maskedJson } from '../support/masked-json.js';
import { contextOf, recordingTerminal } from '../support/terminal.js';

let home = '';
beforeAll(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-surface-')));
  mkdirSync(join(home, 'run'), { mode: 0o700 });
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', join(home, 'config'));
  vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
  vi.stubEnv('XDG_RUNTIME_DIR', join(home, 'run'));
  vi.stubEnv('PAWL_TRUST', '1');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

async function pawlAnywhere(...words: readonly string[]) {
  const terminal = recordingTerminal(100);
  const exitCode = await runProgram([...words], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

const SURFACE = fileURLToPath(new URL('../fixtures/surface/fleet.json', import.meta.url));
const fleet = fleetWorkers();

it('the --json of its commands', async (context) => {
  const scene = await fleet.sceneOf(context);
  vi.stubEnv('PAWL_POSTGRES', scene.url);
  const project = mkdtempSync(join(home, 'fleet-'));
  execFileSync('git', ['init', '--quiet'], { cwd: project });
  const words = [
    'submit',
    '--repo',
    scene.remote,
    '--branch',
    'main',
    '--batch',
    'b',
    '-p',
    'x',
    '--max-iterations',
    '1',
  ];
  const submitted = await pawlAnywhere(...words, '--json', '--', 'true');
  expect(submitted, submitted.err).toMatchObject({ exitCode: 0 });
  fleet.start(scene);
  const { id } = await runOf(scene, hasEnded);
  const read = async (...asked: readonly string[]) =>
    maskedJson(JSON.parse((await pawlAnywhere(...asked, '--json')).out));
  const logs = (await pawlAnywhere('fleet', 'logs', id, '--json')).out.trimEnd().split('\n');
  expect(await pawlAnywhere('fleet', 'limit', 'label', 'gpu', '2')).toMatchObject({ exitCode: 0 });
  const shapes = {
    'pawl submit': maskedJson(JSON.parse(submitted.out)),
    'pawl fleet status': await read('fleet', 'status'),
    'pawl fleet limit': await read('fleet', 'limit'),
    'pawl fleet logs': maskedEvents(logs.map((line) => JSON.parse(line) as unknown)),
    'pawl list': await read('list', '--cwd', project),
  };
  await expect(`${JSON.stringify(shapes, undefined, 2)}\n`).toMatchFileSnapshot(SURFACE);
});
