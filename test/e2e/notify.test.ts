import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { isRunning } from '../support/is-running.js';
import { WebListener } from '../support/web-listener.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('notify');
});
afterAll(() => cli.remove());
const open: WebListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

const WAIT = { timeout: 60_000, interval: 50 };

async function projectWith(
  answer: number | 'hang',
  more = '',
): Promise<{ project: CliProject; listener: WebListener }> {
  const listener = await WebListener.open(answer);
  open.push(listener);
  const project = new CliProject(cli, { hasGit: false });
  project.write('pawl.yaml', `iteration_delay: 0\nnotify:\n  webhook: ${listener.address}\n${more}`);
  return { project, listener };
}

/** The listener lives in this process: nothing may block it. */
async function pawl(project: CliProject, ...words: readonly string[]) {
  const child = spawn(process.execPath, [cli.bin, ...words], { cwd: project.path, env: project.env });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, said };
}

const RUN = ['run', '-p', 'Go.', '--max-iterations', '1', '--trust'];
const AGENT = ['--', './agent.sh'];
const heard = ({ posts }: WebListener) =>
  posts.map(({ body }) => JSON.parse(body) as { readonly event: string; readonly next: readonly string[] });

describe('notifications of the command line', () => {
  it('are sent at the end, with commands that work from anywhere, and the address is kept nowhere', async () => {
    const { project, listener } = await projectWith(200);
    const { status, said } = await pawl(project, ...RUN, ...AGENT);
    expect(status).toBe(3);
    const id = /run loop_(\w{10})/.exec(said)?.[1];
    expect(heard(listener)).toMatchObject([
      {
        event: 'stopped',
        next: [`pawl resume ${id} --max-iterations 2 --cwd ${project.path}`, `pawl show ${id} --cwd ${project.path}`],
      },
    ]);
    expect(said).not.toContain('s3cr3t');
    const record = (await project.pawl('logs', '--json')).stdout;
    expect(record).toContain('[NOTIFY_WEBHOOK]');
    expect(record).not.toContain('s3cr3t');
  });

  it('are sent from the background, and by a resume, which does not repeat what is past', async () => {
    const { project, listener } = await projectWith(200);
    expect((await pawl(project, ...RUN, '--detach', ...AGENT)).status).toBe(0);
    await expect.poll(() => heard(listener).length, WAIT).toBe(1);
    expect((await project.pawl('wait')).status).toBe(3);
    expect((await pawl(project, 'resume', '--max-iterations', '2')).status).toBe(3);
    expect(heard(listener).map(({ event }) => event)).toEqual(['stopped', 'stopped']);
  });

  it('are not posted by a resume to an address that nobody has confirmed', async () => {
    const { project } = await projectWith(200);
    await pawl(project, ...RUN, ...AGENT);
    const evil = await WebListener.open(200);
    open.push(evil);
    project.write('pawl.yaml', `notify: { webhook: '${evil.address}' }\n`);
    const { said } = await pawl(project, 'resume', '--max-iterations', '2');
    expect(said).toMatch(/warning: notify\.webhook .*secret/);
    expect(evil.posts).toEqual([]);
  });

  it('that hang are ended by Ctrl-C after the report, and leave no process behind', async () => {
    const { project, listener } = await projectWith('hang', "  command: 'sleep 600 & echo $! >pid; wait'\n");
    const child = spawn(process.execPath, [cli.bin, ...RUN, ...AGENT], { cwd: project.path, env: project.env });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const file = join(project.path, 'pid');
    await expect.poll(() => listener.posts.length === 1 && existsSync(file), WAIT).toBe(true);
    await expect.poll(() => said, WAIT).toContain('pawl show');
    await expect.poll(() => said, WAIT).toContain('last notification');
    child.kill('SIGINT');
    expect(await once(child, 'close')).toEqual([3, null]);
    expect(said).toMatch(/warning: notify\.webhook .*end/);
    expect(isRunning(Number(readFileSync(file, 'utf8')))).toBe(false);
  });

  it('to a bad address are a mistake in the config, named without it', async () => {
    const { project } = await projectWith(200);
    project.write('pawl.yaml', 'notify:\n  webhook: ftp://s3cr3t.example.org\n');
    const { status, stderr } = await project.pawl('run', '-p', 'x', ...AGENT);
    expect(status).toBe(2);
    expect(stderr).toMatch(/^pawl\.yaml:2:12 notify\.webhook: .*http:\/\/ or https:\/\//);
    expect(stderr).not.toContain('s3cr3t');
  });
});
