import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examine } from '../views/cli/get-started/doctor.js';
import type { DoctorRequest } from './finding.js';
import { judgeSpace } from './examine-disk.js';

let folder = '';
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'pawl-doctor-unit-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function request(changes: Partial<DoctorRequest> = {}): DoctorRequest {
  return {
    folder,
    environment: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') },
    search: { trees: [folder], home: join(folder, 'home'), path: '/usr/bin:/bin' },
    platform: 'linux',
    nodeVersion: '20.15.0',
    userId: 1000,
    stateFolder: join(folder, 'state', 'pawl'),
    runtimeFolder: join(folder, 'run', 'pawl'),
    now: Date.now,
    timeoutMs: 20_000,
    ...changes,
  };
}

async function level(name: string, changes: Partial<DoctorRequest> = {}): Promise<string | undefined> {
  const found = await examine(request(changes));
  return found.find((finding) => finding.name === name)?.level;
}

/** A folder with nothing but a git. */
function onlyGit(): string {
  const bin = mkdtempSync(join(tmpdir(), 'pawl-doctor-bin-'));
  writeFileSync(join(bin, 'git'), '#!/bin/sh\necho git version 2.39.5\n');
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

describe('examine', () => {
  it('knows what is too old, and what is just new enough', async () => {
    expect(await level('Node')).toBe('ok');
    expect(await level('Node', { nodeVersion: 'v20.9.0' })).toBe('problem');
    expect(await level('Node', { nodeVersion: 'v22.0.0' })).toBe('ok');
  });

  it('says where an agent would outlive Pawl', async () => {
    const bin = onlyGit();
    expect(await level('platform')).toBe('ok');
    expect(await level('platform', { platform: 'darwin' })).toBe('warning');
    expect(await level('platform', { platform: 'win32' })).toBe('problem');
    rmSync(bin, { recursive: true });
  });

  it('asks two agents at a time for their version, so that a busy machine does not make them late', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'pawl-doctor-bin-'));
    const running = join(bin, 'running');
    mkdirSync(running);
    for (const name of ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'pi', 'copilot']) {
      writeFileSync(
        join(bin, name),
        `#!/bin/sh\nmkdir ${running}/$$\nls ${running} | wc -l >> ${bin}/counts\nsleep 0.1\nrmdir ${running}/$$\necho 99.0.0\n`,
      );
      chmodSync(join(bin, name), 0o755);
    }
    const found = await examine(request({ search: { ...request().search, path: `${bin}:/usr/bin:/bin` } }));
    expect(found.filter(({ found: text }) => text.includes('99.0.0'))).toHaveLength(7);
    const counts = readFileSync(join(bin, 'counts'), 'utf8').trim().split('\n').map(Number);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    rmSync(bin, { recursive: true });
  });

  it('warns of root outside a sandbox, and not where there are no users', async () => {
    expect(await level('user')).toBe('ok');
    expect(await level('user', { userId: 0 })).toBe('warning');
    expect(await level('user', { userId: 0, environment: { IS_SANDBOX: '1' } })).toBe('ok');
    expect(await level('user', { userId: undefined })).toBeUndefined();
  });

  it('looks at where a folder would be made, and writes nothing', async () => {
    expect(await level('state folder')).toBe('ok');
    writeFileSync(join(folder, 'state'), '');
    expect(await level('state folder')).toBe('problem');
    rmSync(join(folder, 'state'));
    symlinkSync('state', join(folder, 'state'));
    expect(await level('state folder')).toBe('problem');
  });

  it('survives a folder that is gone, and has a finding of every group all the same', async () => {
    const found = await examine(request({ folder: join(folder, 'gone') }));
    expect(new Set(found.map(({ group }) => group))).toEqual(new Set(['machine', 'agents', 'disk', 'config']));
  });

  it('tells the limit over all runs of a day', async () => {
    expect(await level('limit per day')).toBe('note');
    mkdirSync(join(folder, 'config', 'pawl'), { recursive: true });
    writeFileSync(join(folder, 'config', 'pawl', 'config.yaml'), 'max_cost_per_day: 20\n');
    expect(await level('limit per day')).toBe('ok');
  });

  it('has names that tell its findings apart', async () => {
    const names = (await examine(request())).map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the room that is left', () => {
  it.each([
    [99_999_999, 'problem'],
    [100_000_000, 'warning'],
    [999_999_999, 'warning'],
    [1_000_000_000, 'ok'],
    [undefined, 'note'],
  ])('of %s bytes is judged as %s', (freeBytes, judged) => {
    expect(judgeSpace('/x', freeBytes)[0]).toBe(judged);
  });
});
