/** Another user on the machine: what Pawl writes is for its user alone, whatever the umask says. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('private');
});
afterAll(() => cli.remove());

const NOBODY = 65_534;
const IS_ROOT = process.getuid?.() === 0;

function everythingBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))];
}

/** Git makes the files of a snapshot by the umask, inside of a folder that nobody else can enter. */
const INSIDE_SNAPSHOT = /\/pawl\/trees\/[0-9a-f]+\/./;

/** What others could read, write or enter. */
function openToOthers(paths: readonly string[]): readonly string[] {
  return paths
    .filter((path) => !INSIDE_SNAPSHOT.test(path) && !lstatSync(path).isSymbolicLink())
    .filter((path) => (lstatSync(path).mode & 0o077) !== 0);
}

describe('with a umask of 000', { timeout: 120_000 }, () => {
  it('every file and folder of a run, of the state of the user and of the runtime folder is private', () => {
    const project = new CliProject(cli, {
      agent: 'echo said; echo x >>made; ls "$XDG_RUNTIME_DIR/pawl" >sockets; true',
    });
    project.write('pawl.yaml', 'checks: { always: "false" }\nhooks: { on_stop: echo bye }\n');
    const words = ['run', '-p', 'Go.', '--max-iterations', '2', '--delay', '0', '--trust', '--', './agent.sh'];
    const quoted = [process.execPath, cli.bin, ...words].map((word) => `'${word}'`).join(' ');
    const { status } = spawnSync('sh', ['-c', `umask 000; ${quoted}`], { cwd: project.path, env: project.env });
    expect(status).toBe(3);
    expect(project.read('sockets')).toContain('.sock');
    const places = [
      join(project.path, '.ralph'),
      join(project.path, '.git', 'pawl'),
      join(project.home, 'state', 'pawl'),
    ];
    const written = [...places, join(project.home, 'run', 'pawl')].flatMap(everythingBelow);
    expect(written.length).toBeGreaterThan(15);
    expect(openToOthers(written)).toEqual([]);
  });
});

describe.runIf(IS_ROOT)('another user', { timeout: 120_000 }, () => {
  it('cannot read a run, reach its folder of sockets, or take the lock of its tree', async () => {
    const project = new CliProject(cli, { agent: 'touch made' });
    expect(
      (await project.pawl('run', '-p', 'Go.', '--max-iterations', '1', '--delay', '0', '--', './agent.sh')).status,
    ).toBe(3);
    // The way there is open to everybody: only what Pawl made keeps others out.
    spawnSync('chmod', ['755', project.home, project.path]);
    const asNobody = (script: string) =>
      spawnSync('setpriv', [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', 'sh', '-c', script], {
        cwd: project.path,
        env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
        encoding: 'utf8',
      });
    expect(asNobody('ls').status).toBe(0);
    for (const script of [
      'ls .ralph',
      'cat .ralph/runs/*/journal.jsonl',
      'echo {} >.ralph/lock',
      `ls ${join(project.home, 'state', 'pawl')}`,
      `ls ${join(project.home, 'run', 'pawl')}`,
    ]) {
      expect({ script, ok: asNobody(script).status === 0 }).toEqual({ script, ok: false });
    }
    const reading = asNobody(`'${process.execPath}' '${cli.bin}' list`);
    expect(reading.stdout).not.toContain('loop_');
  });
});
