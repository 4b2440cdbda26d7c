import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { DashboardProcess } from '../support/dashboard-process.js';
import { FULL } from '../support/full-form.js';
import { SEED } from './fuzz-run.js';
import { mutantOf } from './mutator.js';

const COUNT = FULL ? 20_000 : 160;
const AT_ONCE = 16;
/** Streams never end, and a request that is cut off in the middle is waited for: nobody listens longer. */
const QUIET_MS = FULL ? 150 : 80;

let cli: BuiltCli;
let dashboard: DashboardProcess;
let run = '';
/** Wrong cookies are not counted as guesses at the token, which would keep everybody waiting. */
let cookie = '';
beforeAll(async () => {
  cli = new BuiltCli('fuzz-web');
  const project = new CliProject(cli, { agent: 'date +%s%N > stamp' });
  await project.pawl('run', '-p', 'x', '--max-iterations', '2', '--delay', '0s', '--quiet', '--', './agent.sh');
  [run = ''] = readdirSync(join(project.path, '.ralph', 'runs')).filter((name) => name.startsWith('loop_'));
  dashboard = await new DashboardProcess(cli.bin, [], { cwd: project.path, env: project.env }).opened();
  const { headers } = await dashboard.ask(`/?token=${dashboard.token}`, { headers: { authorization: '' } });
  cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}, 300_000);
afterAll(async () => {
  await dashboard.end();
  cli.remove();
});

function corpus(): readonly string[] {
  const common = `Host: ${dashboard.host}\r\nCookie: ${cookie}\r\n`;
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${common}Connection: close\r\n\r\n`;
  const post = (path: string, body: string) =>
    `POST ${path} HTTP/1.1\r\n${common}Origin: http://127.0.0.1:${dashboard.port}\r\nSec-Fetch-Site: same-origin\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  return [
    ...['', '/events?after=0', '/iterations/1', '/iterations/1/diff', '/items/0'].map((rest) =>
      get(`/api/runs/${run}${rest}`),
    ),
    get('/'),
    get('/metrics'),
    get('/api/runs'),
    post(`/api/runs/${run}/commands`, '{"type":"steer","text":"look"}'),
    post(`/api/runs/${run}/replay`, '{"policy":"limits: [{ max_iterations: 1 }]"}'),
  ];
}

it(
  'a dashboard that is sent mutated requests answers without a word of its inside, and goes on answering',
  async () => {
    const requests = corpus();
    for (let from = 0; from < COUNT; from += AT_ONCE) {
      const mutants = Array.from({ length: AT_ONCE }, (_, index) => mutantOf(requests, SEED, from + index));
      // oxlint-disable-next-line no-await-in-loop -- so many at once, and no more
      const answers = await Promise.all(mutants.map((mutant) => dashboard.raw(mutant, QUIET_MS)));
      for (const [index, answer] of answers.entries()) {
        const asked = JSON.stringify(mutants[index]?.toString('latin1').slice(0, 1000));
        const at = `seed ${SEED}, from ${from}: ${asked}\n${answer.slice(0, 2000)}`;
        expect(at).not.toMatch(/TypeError|\n\s+at \S+ \(|HTTP\/1\.1 500/);
      }
    }
    expect((await dashboard.ask('/api/runs')).status).toBe(200);
    expect(dashboard.stderr).not.toMatch(/Error|\n\s+at /);
  },
  FULL ? 3_600_000 : 300_000,
);
