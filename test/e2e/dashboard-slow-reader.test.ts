/** The built command: a page that is open and never reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { DashboardProcess } from '../support/dashboard-process.js';
import { FULL } from '../support/full-form.js';

const ITERATIONS = FULL ? 40 : 6;
const PAGES = FULL ? 50 : 5;
/** More than the system keeps for a socket that nobody reads. */
const AGENT = `until [ -e go ]; do sleep 0.05; done; yes "$(printf 'x%.0s' {1..99})" | head -n 4000; touch "stamp-$(date +%s%N)"`;
/** A fraction of what would be kept if everything were. */
const MOST_BYTES = 60_000_000 + PAGES * 4_000_000;

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('slow-reader');
});
afterAll(() => cli.remove());

function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

it('pages that never read hold up neither the run nor the server, which does not keep what they miss', async () => {
  const project = new CliProject(cli, { agent: AGENT, hasGit: false });
  const dashboard = new DashboardProcess(cli.bin, [], { cwd: project.path, env: project.env });
  onTestFinished(() => dashboard.end());
  await dashboard.opened();
  const words = ['--max-iterations', String(ITERATIONS), '--delay', '0s', '--detach', '--', './agent.sh'];
  expect(await project.pawl('run', '-p', 'x', ...words)).toMatchObject({ status: 0 });
  const [id = ''] = readdirSync(join(project.path, '.ralph', 'runs')).filter((name) => name.startsWith('loop_'));
  for (let page = 0; page < PAGES; page += 1) {
    const socket = dashboard.open().pause();
    onTestFinished(() => void socket.destroy());
    const lines = [`GET /api/runs/${id}/events HTTP/1.1`, `Host: ${dashboard.host}`];
    socket.write(`${[...lines, `Authorization: Bearer ${dashboard.token}`].join('\r\n')}\r\n\r\n`);
  }
  // Not kept alive: the wait below would not see it end.
  const headers = { connection: 'close' };
  expect(await dashboard.ask('/api/runs', { headers })).toMatchObject({ status: 200 });
  const before = residentBytes(dashboard.child.pid);
  project.write('go', '');
  expect(await project.pawl('wait', id)).toMatchObject({ status: 3 });
  expect(JSON.parse((await project.pawl('status', id, '--json')).stdout)).toMatchObject({ iterations: ITERATIONS });
  expect(await dashboard.ask('/api/runs', { headers })).toMatchObject({ status: 200 });
  expect(residentBytes(dashboard.child.pid) - before).toBeLessThan(MOST_BYTES);
}, 300_000);
