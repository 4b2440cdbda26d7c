/** Keys that are in no variable: an agent finds them in a file and prints them. No file or answer of Pawl's holds one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { DashboardProcess } from '../support/dashboard-process.js';
import { KEY_SAMPLES } from '../support/key-samples.js';

const AGENT = `
const samples = JSON.parse(require('node:fs').readFileSync('keys.json', 'utf8'));
const tell = (event) => process.stdout.write(JSON.stringify(event) + '\\n');
for (const { lead = '', secret, rest = '' } of samples) {
  const text = 'before ' + lead + secret + rest + ' after';
  console.log(text);
  console.error(text);
  tell({ pawl: 'text', text });
  tell({ pawl: 'text', text: JSON.stringify({ found: text }) });
}
const all = samples.map(({ lead = '', secret, rest = '' }) => lead + secret + rest).join(' ');
tell({ pawl: 'tool-call', id: 'c', name: 'sh', input: all });
tell({ pawl: 'tool-result', id: 'c', failed: true, output: all });
tell({ pawl: 'error', kind: 'other', message: all });
tell({ pawl: 'result', outcome: 'success', text: all });
const { secret } = samples[0];
process.stderr.write('split ' + secret.slice(0, 30));
setImmediate(() => console.error(secret.slice(30)));
`;

let cli: BuiltCli;
let project: CliProject;
beforeAll(async () => {
  cli = new BuiltCli('keys');
  project = new CliProject(cli, { agent: 'node agent.cjs' });
  project.write('agent.cjs', AGENT);
  project.write('keys.json', JSON.stringify(KEY_SAMPLES));
  const wholes = KEY_SAMPLES.map(({ lead = '', secret, rest = '' }) => `${lead}${secret}${rest}`);
  project.write('.env.local', wholes.join('\n'));
  project.write('notify.sh', `#!/bin/sh\ncat >"${project.home}/told"\n`, 0o755);
  project.write('pawl.yaml', 'notify: { command: ./notify.sh }\niteration_delay: 0\ntrack_file_changes: false\n');
  const words = ['--max-iterations', '1', '--give-up', 'on_error', '--trust', '--tests', 'cat .env.local; false'];
  await project.pawl('run', '-p', 'x', ...words, '--', './agent.sh');
}, 300_000);
afterAll(() => cli.remove());

/** The kinds of keys that a text gives away whole, as they are or inside JSON. Where a long text is cut, half may remain. */
function givenAway(text: string): readonly string[] {
  return KEY_SAMPLES.filter(({ secret }) => {
    const once = JSON.stringify(secret).slice(1, -1);
    return [secret, once, JSON.stringify(once).slice(1, -1)].some((form) => text.includes(form));
  }).map(({ name }) => name);
}

describe('no key of a file that an agent prints', { timeout: 300_000 }, () => {
  it('is in any file of the run or in a notification', () => {
    const folders = [join(project.path, '.ralph'), join(project.path, '.git', 'pawl'), join(project.home, 'state')];
    const files = folders
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
      .filter((path) => statSync(path).isFile());
    const told = join(project.home, 'told');
    const texts = [...files, told].map((path): [string, string] => [path, readFileSync(path, 'latin1')]);
    expect(texts.flatMap(([path, text]) => givenAway(text).map((what) => `${path}: ${what}`))).toEqual([]);
    for (const name of ['journal.jsonl', 'stderr']) {
      const held = texts.filter(([path]) => path.includes(name)).map(([, text]) => text);
      const missing = KEY_SAMPLES.filter(({ name: kind }) => !held.some((text) => text.includes(`[${kind}]`)));
      expect({ name, missing }).toEqual({ name, missing: [] });
      expect(held.join('')).not.toContain(KEY_SAMPLES[0]?.secret.slice(-40));
    }
  });

  it.each([
    ['show', '1', '--json'],
    ['logs'],
    ...['json', 'markdown', 'html'].map((format) => ['export', '--format', format]),
  ])('is shown by %s %s %s', async (...words) => {
    const { stdout, stderr } = await project.pawl(...words.filter((word) => word !== undefined));
    expect(stdout.length).toBeGreaterThan(0);
    expect(givenAway(stdout + stderr)).toEqual([]);
  });

  it('is in an answer of the dashboard', async () => {
    const dashboard = await new DashboardProcess(cli.bin, [], { cwd: project.path, env: project.env }).opened();
    try {
      const [run = ''] = readdirSync(join(project.path, '.ralph', 'runs'));
      for (const path of [`/api/runs/${run}`, `/api/runs/${run}/iterations/1`]) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { status, body } = await dashboard.ask(path);
        expect({ path, status, found: givenAway(body) }).toEqual({ path, status: 200, found: [] });
      }
    } finally {
      await dashboard.end();
    }
  });
});
