import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { need } from '../environment.js';

const run = promisify(execFile);
const cleanups: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-env-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

describe('what the tests can use', () => {
  it('the browser runs the script of a page and shows the result', async (context) => {
    const chromium = need('chromium', context);
    const folder = await temporaryFolder();
    const page = join(folder, 'page.html');
    await writeFile(page, '<p id="sum"></p><script>document.getElementById("sum").textContent = 19 + 23</script>');
    const quiet = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'];
    const { stdout } = await run(
      chromium,
      [
        '--headless',
        '--no-sandbox',
        ...quiet,
        '--disable-sync',
        '--disable-quic',
        `--user-data-dir=${join(folder, 'profile')}`,
        '--dump-dom',
        `file://${page}`,
      ],
      { timeout: 50_000, killSignal: 'SIGKILL' },
    );
    expect(stdout).toContain('<p id="sum">42</p>');
  });

  it('a Postgres of our own answers on a socket and is gone afterwards', async (context) => {
    const bin = need('postgresBin', context);
    const folder = await temporaryFolder();
    await chmod(folder, 0o777);
    const data = join(folder, 'data');
    // The server refuses to run as root.
    const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
    const postgres = (program: string, ...args: string[]) => {
      const [command = '', ...rest] = [...asNobody, join(bin, program), ...args];
      return run(command, rest, { cwd: folder, env: { ...process.env, LC_ALL: 'C.UTF-8' }, timeout: 50_000 });
    };
    await postgres('initdb', '--no-sync', '--auth=trust', '--username=pawl', '-D', data);
    await mkdir(join(folder, 'log')).then(() => chmod(join(folder, 'log'), 0o777));
    const options = `-k ${folder} -c listen_addresses='' -c fsync=off`;
    await postgres('pg_ctl', 'start', '--wait', '-D', data, '-l', join(folder, 'log', 'server'), '-o', options);
    cleanups.push(() => postgres('pg_ctl', 'stop', '--wait', '-m', 'immediate', '-D', data).catch(() => undefined));
    const query = ['-h', folder, '-U', 'pawl', '-d', 'postgres', '--tuples-only', '--no-align', '-c', 'select 1'];
    const { stdout } = await postgres('psql', ...query);
    expect(stdout.trim()).toBe('1');
    await postgres('pg_ctl', 'stop', '--wait', '-m', 'fast', '-D', data);
    await expect(postgres('psql', ...query)).rejects.toThrow(/No such file|refused/);
  });

  it('tmux has a screen that can be read', async (context) => {
    const tmux = need('tmux', context);
    const folder = await temporaryFolder();
    const call = (...args: string[]) => run(tmux, ['-S', join(folder, 'socket'), '-f', '/dev/null', ...args]);
    await call('new-session', '-d', '-x', '40', '-y', '5', 'printf "on %s" screen; sleep 50');
    cleanups.push(() => call('kill-server').catch(() => undefined));
    await expect.poll(async () => (await call('capture-pane', '-p')).stdout).toContain('on screen');
  });

  it.for(['claude', 'codex'] as const)('%s tells its version', async (name, context) => {
    const cli = need(name, context);
    const home = await temporaryFolder();
    const { stdout } = await run(cli, ['--version'], { env: { ...process.env, HOME: home }, timeout: 50_000 });
    expect(stdout).toMatch(/\d+\.\d+\.\d+/);
  });
});
