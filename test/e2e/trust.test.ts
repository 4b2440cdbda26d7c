import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealLine } from '../../src/journal/record-scanner.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('trust');
});
afterAll(() => cli.remove());

const RUN = ['run', '-p', 'Go.', '--max-iterations', '1', '--quiet'];
const AGENT = ['--', './agent.sh'];
const IS_ROOT = process.getuid?.() === 0;
const STRANGER = 12_345;

function projectWith(config: string): CliProject {
  const project = new CliProject(cli, { agent: 'touch ran' });
  project.write('pawl.yaml', `iteration_delay: 0\n${config}`);
  return project;
}
const has = (project: CliProject, name: string) => existsSync(join(project.path, name));

describe('a config that comes with a project', () => {
  it('has nothing executed that nobody has confirmed: exit 2, what it is, and how', async () => {
    const project = projectWith('tests: touch tested; true\nhooks: { before_iteration: touch hooked }\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'begin');
    for (const more of [[], ['--detach'], ['--worktree', 'try']]) {
      const { status, stdout, stderr } = await project.pawl(...RUN, ...more, ...AGENT);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr.replace(/ +/g, ' ')).toMatch(
        new RegExp(
          '^pawl\\.yaml .*confirmed.*:\n' +
            ' tests touch tested; true pawl\\.yaml:2:8\n' +
            ' hook before_iteration touch hooked pawl\\.yaml:3:28\n' +
            '.*pawl run --trust \\(or PAWL_TRUST=1\\)\n$',
        ),
      );
      expect(['tested', 'hooked', 'ran', '.ralph', '../state'].filter((name) => has(project, name))).toEqual([]);
    }
  });

  it('sends no file from outside the folder to the model that nobody has confirmed', async () => {
    const project = projectWith('prompt_path: ../secret.txt\n');
    project.write('../secret.txt', 'the secret words');
    const words = ['run', '--max-iterations', '1', '--quiet', ...AGENT];
    const { status, stderr } = await project.pawl(...words);
    expect({ status, ran: has(project, 'ran') }).toEqual({ status: 2, ran: false });
    expect(stderr).toMatch(/sends to the model +\/[^ ]+ +pawl\.yaml:2:14/);
    expect(stderr).not.toContain('secret words');
    expect(await project.pawl('run', '../secret.txt', ...words.slice(1))).toMatchObject({ status: 3 });
    expect(await project.pawl(...words.slice(0, 1), '--trust', ...words.slice(1))).toMatchObject({ status: 3 });
  });

  it('is confirmed by --trust, for as long as it stays the same', async () => {
    const project = projectWith('checks: { a: touch checked }\nstop: { success: [{ check_passes: a }] }\n');
    const first = await project.pawl('run', '-p', 'Go.', '--at-least', '1', '--trust', ...AGENT);
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^confirmed .*\n {2}check a {2}touch checked/),
    });
    expect(await project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 0, stderr: '' });
    project.write('pawl.yaml', 'checks: { a: touch other }\nstop: { success: [{ check_passes: a }] }\n');
    const changed = await project.pawl(...RUN, ...AGENT);
    expect(changed).toMatchObject({ status: 2, stderr: expect.stringContaining('touch other') });
    expect(has(project, 'other')).toBe(false);
  });

  it('is confirmed in CI by a variable', async () => {
    const project = projectWith('tests: touch tested\nparse_tests: false\nstop: { success: [all_tests_pass] }\n');
    project.env['PAWL_TRUST'] = '1';
    expect(await project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 0, stderr: '' });
    expect(has(project, 'tested')).toBe(true);
  });

  it('is not asked about again by resume, and goes on as it was confirmed', async () => {
    const project = projectWith('hooks: { after_iteration: echo x >>hooked }\n');
    expect((await project.pawl(...RUN, '--trust', ...AGENT)).status).toBe(3);
    project.write('pawl.yaml', 'hooks: { after_iteration: touch evil }\n');
    expect((await project.pawl('resume', '--max-iterations', '2', '--quiet')).status).toBe(3);
    expect(project.read('hooked')).toBe('x\nx\n');
    expect(has(project, 'evil')).toBe(false);
  });

  it.runIf(IS_ROOT)('and belongs to another user has nothing executed either, until it is confirmed', async () => {
    const project = projectWith('hooks: { before_iteration: touch hooked }\n');
    chownSync(join(project.path, 'pawl.yaml'), STRANGER, STRANGER);
    const { status, stdout, stderr } = await project.pawl(...RUN, ...AGENT);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/confirmed.*this folder/);
    expect(stderr).toContain('touch hooked');
    expect(['hooked', 'ran', '.ralph'].filter((name) => has(project, name))).toEqual([]);
    const confirmed = await project.pawl('run', '-p', 'Go.', '--max-iterations', '1', '--trust', ...AGENT);
    expect(confirmed.status).toBe(3);
    expect(confirmed.stderr).toContain(`another user (${STRANGER})`);
    expect(has(project, 'hooked')).toBe(true);
  });

  it.each([
    ['a terminal title', '"npm test # \\e]0;\\n touch PWNED;#\\a"', String.raw`npm test # \x1b]0;\n`],
    ['a line break', '"true # \\n touch PWNED"', String.raw`true # \n`],
    ['a direction mark', '"true \\u202e touch PWNED"', String.raw`true \u202e touch PWNED`],
  ])('cannot hide a command behind %s, wherever it is shown', async (_, tests, shown) => {
    const project = projectWith(`tests: ${tests}\nstop: { success: [all_tests_pass] }\n`);
    const looks = [RUN, ['run', '-p', 'Go.', '--dry-run'], ['check']];
    for (const words of looks) {
      const { stdout, stderr } = await project.pawl(...words, ...(words[0] === 'run' ? AGENT : []));
      const said = stdout + stderr;
      expect(said).toContain(shown);
      expect(said).toContain('touch PWNED');
      // oxlint-disable-next-line no-control-regex -- control characters are what this is about
      expect(said).not.toMatch(/[\u0007\u001b\u202e]/);
    }
    const { stdout } = await project.pawl('run', '-p', 'Go.', '--max-iterations', '1', '--trust', ...AGENT);
    expect(stdout).toContain(shown);
  });

  it('is asked about when it leaves the permissions to the settings of the agent', async () => {
    const project = projectWith('agent: { name: pi, permissions: agent }\n');
    project.write('../bin/pi', '#!/bin/sh\n', 0o755);
    project.env['PATH'] = `${join(project.home, 'bin')}:${project.env['PATH']}`;
    const { status, stderr } = await project.pawl(...RUN);
    expect(status).toBe(2);
    expect(stderr).toMatch(/agent may do {2}.*its own settings/);
  });
});

describe("the user's own config", () => {
  it.runIf(IS_ROOT)('is asked about nothing, so that one that belongs to another user is refused', async () => {
    const project = new CliProject(cli, { agent: 'touch ran' });
    mkdirSync(join(project.home, 'config', 'pawl'), { recursive: true });
    project.write('../config/pawl/config.yaml', 'iteration_delay: 0\nhooks: { before_iteration: touch hooked }\n');
    chownSync(join(project.home, 'config', 'pawl', 'config.yaml'), STRANGER, STRANGER);
    for (const words of [[...RUN, ...AGENT], [...RUN, '--trust', ...AGENT], ['check']]) {
      const { status, stderr } = await project.pawl(...words);
      expect(status).toBe(2);
      expect(stderr).toContain(`another user (${STRANGER})`);
    }
    expect(['hooked', 'ran', '.ralph'].filter((name) => has(project, name))).toEqual([]);
    chownSync(join(project.home, 'config', 'pawl', 'config.yaml'), 0, 0);
    expect(await project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 3, stderr: '' });
    expect(has(project, 'hooked')).toBe(true);
  });
});

/** Changes the first record of a journal and seals it anew, as anybody can who knows the format. */
function forge(project: CliProject, change: (spec: Record<string, unknown>) => void): void {
  project.takeRecordsIn();
  const folder = join('.ralph', 'runs', readdirSync(join(project.path, '.ralph', 'runs'))[0] ?? '');
  const [line = ''] = project.read(join(folder, 'journal.jsonl')).split('\n');
  const { sum: _sum, ...record } = JSON.parse(line) as { sum: string; spec: Record<string, unknown> };
  change(record.spec);
  rmSync(join(project.path, folder), { recursive: true });
  project.write(join(folder, 'journal.jsonl'), sealLine(JSON.stringify(record)).toString());
}

describe('a record that comes with a project', () => {
  /** A run of the user's own, stopped by its limit. */
  async function ownRun(): Promise<CliProject> {
    const project = new CliProject(cli, { agent: 'echo x >>ran' });
    expect((await project.pawl(...RUN, '--delay', '0', ...AGENT)).status).toBe(3);
    return project;
  }
  const RESUME = ['resume', '--max-iterations', '2', '--quiet'];
  const EVIL = { command: 'touch PWNED', timeoutMs: 1000, onFailure: 'warn' };

  it('is not gone on with unasked, however well it is forged: exit 2, what it would execute, and how', async () => {
    const project = await ownRun();
    forge(project, (spec) => (spec['hooks'] = { before_iteration: EVIL, on_stop: EVIL }));
    for (const more of [['--quiet'], ['--detach'], ['--json']]) {
      const { status, stdout, stderr } = await project.pawl('resume', '--max-iterations', '2', ...more);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr).toMatch(/^the record of \w+ .*changed/);
      expect(stderr).toMatch(/^ {2}agent +\.\/agent\.sh$/m);
      expect(stderr).toMatch(/^ {2}hook on_stop +touch PWNED$/m);
      expect(stderr).toMatch(/pawl resume \w+ --trust \(or PAWL_TRUST=1\)$/m);
    }
    expect(has(project, 'PWNED')).toBe(false);
    const all = await project.pawl('resume', '--all');
    expect(all).toMatchObject({ status: 1, stdout: '' });
    expect(all.stderr).toMatch(/record.*changed; pawl resume/);
    project.env['PAWL_TRUST'] = '1';
    expect((await project.pawl('resume', '--all', '--dry-run')).stdout).toMatch(/Would .*\b0 runs/);
    expect((await project.pawl('resume', '--all')).status).toBe(1);
    expect(has(project, 'PWNED')).toBe(false);
  });

  it('goes on once it is confirmed, and is not asked about again', async () => {
    const project = await ownRun();
    project.takeRecordsIn();
    rmSync(join(project.home, 'state'), { recursive: true });
    expect((await project.pawl(...RESUME)).status).toBe(2);
    const confirmed = await project.pawl('resume', '--max-iterations', '2', '--trust');
    expect(confirmed).toMatchObject({ status: 3, stderr: expect.stringMatching(/^confirmed .* the record of /) });
    expect(await project.pawl('resume', '--max-iterations', '3', '--quiet')).toMatchObject({ status: 3, stderr: '' });
    expect(project.read('ran')).toBe('x\nx\nx\n');
    forge(project, (spec) => (spec['hooks'] = { on_stop: EVIL }));
    expect((await project.pawl(...RESUME)).status).toBe(2);
    expect(has(project, 'PWNED')).toBe(false);
  });

  it("is the user's own without a question, also by another way to its folder", async () => {
    const project = await ownRun();
    expect(await project.pawl(...RESUME)).toMatchObject({ status: 3, stderr: '' });
    symlinkSync(project.path, join(project.home, 'link'));
    const link = ['--cwd', join(project.home, 'link')];
    expect(await project.pawl('resume', ...link, '--max-iterations', '3', '--quiet')).toMatchObject({
      status: 3,
      stderr: '',
    });
  });

  it('does not bring a script in by a limit that nobody has raised', async () => {
    const project = await ownRun();
    const path = join('.ralph', 'runs', readdirSync(join(project.path, '.ralph', 'runs'))[0] ?? '', 'journal.jsonl');
    const { sum: _sum, ...last } = JSON.parse(project.read(path).trimEnd().split('\n').at(-1) ?? '') as Record<
      string,
      unknown
    >;
    project.write('evil.sh', '#!/bin/sh\ntouch PWNED\n', 0o755);
    const limit = { type: 'custom_script', script: './evil.sh' };
    const forged = {
      v: 1,
      seq: Number(last['seq']) + 1,
      at: last['at'],
      activeMs: last['activeMs'],
      type: 'limit-extended',
      limit,
      by: 'x',
    };
    project.write(path, project.read(path) + sealLine(JSON.stringify(forged)).toString());
    const { status, stderr } = await project.pawl(...RESUME);
    expect({ status, evil: has(project, 'PWNED') }).toEqual({ status: 2, evil: false });
    expect(stderr).not.toBe('');
  });

  it('does not lead to another folder', async () => {
    const [project, other] = [await ownRun(), await ownRun()];
    for (const workingDir of ['.', other.path]) {
      forge(project, (spec) => (spec['workingDir'] = workingDir));
      const { status, stderr } = await project.pawlProcess(...RESUME, '--trust');
      expect(status).toBe(2);
      expect(stderr).toContain(`run in ${JSON.stringify(workingDir)}`);
    }
    expect([project.read('ran'), other.read('ran')]).toEqual(['x\n', 'x\n']);
  });

  it('does not lead to a prompt from wherever one is, and is refused with words when it is no record at all', async () => {
    const project = await ownRun();
    forge(project, (spec) => (spec['promptPath'] = 'PROMPT.md'));
    expect((await project.pawl(...RESUME, '--trust')).stderr).toContain('contains paths that');
    forge(project, (spec) => delete spec['checks']);
    expect(await project.pawl(...RESUME, '--trust')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('what the run executes'),
    });
  });

  it("does not keep the user's own run from going on after a reboot", async () => {
    const project = await ownRun();
    project.takeRecordsIn();
    const runs = join(project.path, '.ralph', 'runs');
    const [own = ''] = readdirSync(runs);
    const foreign = 'loop_01KZZZZZZZZZZZZZZZZZZZZZZZ';
    const lines = project.read(join('.ralph', 'runs', own, 'journal.jsonl')).split('\n');
    const [first = ''] = lines;
    const { sum: _sum, ...record } = JSON.parse(first) as Record<string, unknown>;
    // The own run was interrupted: its journal ends in the middle.
    project.write(join('.ralph', 'runs', own, 'journal.jsonl'), `${first}\n`);
    rmSync(join(runs, own, 'state.json'));
    const forged = sealLine(JSON.stringify({ ...record, runId: foreign, seal: undefined })).toString();
    project.write(join('.ralph', 'runs', foreign, 'journal.jsonl'), forged);
    const dry = await project.pawl('resume', '--all', '--dry-run');
    expect(dry.stdout).toMatch(/Would .*\b1 run\b/);
    expect(dry.stderr).toMatch(/you did not start/);
  });
});
