import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('trust');
}, 60_000);
afterAll(() => cli.remove());

const RUN = ['run', '-p', 'Go.', '--max-iterations', '1', '--quiet'];
const AGENT = ['--', './agent.sh'];

function projectWith(config: string): CliProject {
  const project = new CliProject(cli, { agent: 'touch ran' });
  project.write('pawl.yaml', `iteration_delay: 0\n${config}`);
  return project;
}
const has = (project: CliProject, name: string) => existsSync(join(project.path, name));

describe('a config that comes with a project', { timeout: 60_000 }, () => {
  it('has nothing executed that nobody has confirmed: exit 2, what it is, and how', () => {
    const project = projectWith('tests: touch tested; true\nhooks: { before_iteration: touch hooked }\n');
    project.git('add', '.');
    project.git('commit', '--quiet', '-m', 'begin');
    for (const more of [[], ['--detach'], ['--worktree', 'try']]) {
      const { status, stdout, stderr } = project.pawl(...RUN, ...more, ...AGENT);
      expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
      expect(stderr.replace(/ +/g, ' ')).toBe(
        'pawl.yaml would have these executed, with your rights, and nobody has confirmed them in this folder:\n' +
          ' tests touch tested; true pawl.yaml:2:8\n' +
          ' hook before_iteration touch hooked pawl.yaml:3:28\n' +
          'look at them, then: pawl run --trust (or PAWL_TRUST=1)\n',
      );
      expect(['tested', 'hooked', 'ran', '.ralph', '../state'].filter((name) => has(project, name))).toEqual([]);
    }
  });

  it('is confirmed by --trust, for as long as it stays the same', () => {
    const project = projectWith('checks: { a: touch checked }\nstop: { success: [{ check_passes: a }] }\n');
    const first = project.pawl('run', '-p', 'Go.', '--at-least', '1', '--trust', ...AGENT);
    expect(first).toMatchObject({
      status: 0,
      stderr: expect.stringMatching(/^confirmed, .*\n {2}check a {2}touch checked/),
    });
    expect(project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 0, stderr: '' });
    project.write('pawl.yaml', 'checks: { a: touch other }\nstop: { success: [{ check_passes: a }] }\n');
    const changed = project.pawl(...RUN, ...AGENT);
    expect(changed).toMatchObject({ status: 2, stderr: expect.stringContaining('touch other') });
    expect(has(project, 'other')).toBe(false);
  });

  it('is confirmed in CI by a variable', () => {
    const project = projectWith('tests: touch tested\n');
    project.env['PAWL_TRUST'] = '1';
    expect(project.pawl(...RUN, ...AGENT)).toMatchObject({ status: 0, stderr: '' });
    expect(has(project, 'tested')).toBe(true);
  });

  it('is not asked about again by resume, and goes on as it was confirmed', () => {
    const project = projectWith('hooks: { after_iteration: echo x >>hooked }\n');
    expect(project.pawl(...RUN, '--trust', ...AGENT).status).toBe(3);
    project.write('pawl.yaml', 'hooks: { after_iteration: touch evil }\n');
    expect(project.pawl('resume', '--max-iterations', '2', '--quiet').status).toBe(3);
    expect(project.read('hooked')).toBe('x\nx\n');
    expect(has(project, 'evil')).toBe(false);
  });

  it('cannot hide a command from who reads the list', () => {
    const project = projectWith('tests: "true\\n\\u001b[2K\\u202etouch evil"\n');
    const { stderr } = project.pawl(...RUN, ...AGENT);
    expect(stderr).toContain(String.raw`true\ntouch evil`);
    // oxlint-disable-next-line no-control-regex -- control characters are what this is about
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
  });
});
