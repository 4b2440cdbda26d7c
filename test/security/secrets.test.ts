/** Thirty kinds of keys in the environment, printed by an agent in every form: no file or answer of Pawl's holds one. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { DashboardProcess } from '../support/dashboard-process.js';

const body = (length: number, salt: number) =>
  Array.from({ length }, (_, index) => 'aB3dE5fG7hJ9kL2mN4pQ6rS8tU0vWxYz'[(index * 7 + salt * 11) % 32]).join('');

/** What keys of well-known services look like, under the names that their tools read. */
const KEYS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    // The first: the run may end with the error that names it.
    ['OPENAI_API_KEY', `sk-proj-${body(40, 2)}`],
    ['ANTHROPIC_API_KEY', `sk-ant-api03-${body(40, 1)}`],
    ['GEMINI_API_KEY', `AIza${body(35, 3)}`],
    ['AWS_SECRET_ACCESS_KEY', `${body(20, 4)}/${body(19, 5)}`],
    ['AWS_SESSION_TOKEN', `FwoG${body(60, 6)}==`],
    ['GITHUB_TOKEN', `ghp_${body(36, 7)}`],
    ['GH_PAT', `github_pat_${body(50, 8)}`],
    ['GITLAB_TOKEN', `glpat-${body(20, 9)}`],
    ['SLACK_BOT_TOKEN', `xoxb-${body(30, 10)}`],
    ['SLACK_WEBHOOK_URL', `https://hooks.example/services/${body(24, 11)}`],
    ['STRIPE_SECRET_KEY', `sk_live_${body(24, 12)}`],
    ['TWILIO_AUTH_TOKEN', body(32, 13)],
    ['SENDGRID_API_KEY', `SG.${body(22, 14)}.${body(43, 15)}`],
    ['NPM_TOKEN', `npm_${body(36, 16)}`],
    ['PYPI_TOKEN', `pypi-${body(60, 17)}`],
    ['HF_TOKEN', `hf_${body(34, 18)}`],
    ['DATABASE_URL', `postgres://app:${body(20, 19)}@db.example/app`],
    ['SENTRY_DSN', `https://${body(32, 20)}@sentry.example/1`],
    ['JWT_SECRET', body(48, 21)],
    ['SESSION_COOKIE', `s%3A${body(30, 22)}`],
    ['AZURE_CLIENT_SECRET', `${body(20, 23)}~${body(10, 24)}`],
    ['CLOUDFLARE_API_TOKEN', body(40, 25)],
    ['DIGITALOCEAN_ACCESS_TOKEN', `dop_v1_${body(40, 26)}`],
    ['HEROKU_API_KEY', `HRKU-${body(32, 27)}`],
    ['DOCKER_PASSWORD', `pa$$ w0rd "${body(10, 28)}"`],
    ['VAULT_TOKEN', `hvs.${body(40, 29)}`],
    ['MAILGUN_APIKEY', `key-${body(32, 30)}`],
    ['TELEGRAM_BOT_TOKEN', `123456789:${body(35, 31)}`],
    ['GPG_PASSPHRASE', `correct horse ${body(12, 32)}`],
    ['SIGNING_CREDENTIALS', `{"private":"${body(30, 33)}"}`],
  ].map(([name = '', value = '']) => [name, value]),
);

/** The whole value, or what of it opens something. */
const secretOf = (value: string) => /:\/\/[^/]*?([^/:@]{16,})@/.exec(value)?.[1] ?? value;
const FORMS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => Buffer.from(value).toString('base64'),
  (value) => Buffer.from(`x${value}`).toString('base64url'),
  (value) => encodeURIComponent(value),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => JSON.stringify(JSON.stringify(value)).slice(3, -3),
];
/** The ends of a text in base64 depend on what stands beside it. */
const tellingPart = (form: string, index: number) => (index === 1 || index === 2 ? form.slice(4, -4) : form);

const AGENT = `
const names = ${JSON.stringify(Object.keys(KEYS))};
const forms = [(v) => v, (v) => Buffer.from(v).toString('base64'), (v) => Buffer.from('x' + v).toString('base64url'),
  encodeURIComponent, (v) => JSON.stringify(v).slice(1, -1), (v) => JSON.stringify(JSON.stringify(v)).slice(3, -3)];
const tell = (event) => console.log(JSON.stringify(event));
for (const name of names) for (const form of forms) {
  const text = 'before ' + form(process.env[name]) + ' after';
  console.log(text);
  console.error(text);
  tell({ pawl: 'text', text });
  tell({ pawl: 'tool-call', id: name, name: 'sh', input: text });
  tell({ pawl: 'tool-result', id: name, failed: true, output: text });
  tell({ pawl: 'error', kind: 'other', message: text });
}
process.stdout.write('split ' + process.env.OPENAI_API_KEY.slice(0, 15));
setImmediate(() => console.log(process.env.OPENAI_API_KEY.slice(15)));
tell({ pawl: 'result', outcome: 'success', text: Object.values(process.env).join(' ') });
`;

let cli: BuiltCli;
let project: CliProject;
beforeAll(async () => {
  cli = new BuiltCli('secrets');
  project = new CliProject(cli, { agent: 'node agent.cjs' });
  Object.assign(project.env, KEYS);
  project.write('agent.cjs', AGENT);
  project.write('notify.sh', `#!/bin/sh\ncat >"${project.home}/told"\n`, 0o755);
  project.write('pawl.yaml', 'notify: { command: ./notify.sh }\niteration_delay: 0\ntrack_file_changes: false\n');
  const words = [
    '--max-iterations',
    '1',
    '--give-up',
    'on_error',
    '--trust',
    '--tests',
    'env; false',
    '--',
    './agent.sh',
  ];
  await project.pawl('run', '-p', 'x', ...words);
}, 300_000);
afterAll(() => cli.remove());

/** The names of the keys that a text gives away, with the form. */
function givenAway(text: string): readonly string[] {
  return Object.entries(KEYS).flatMap(([name, value]) =>
    FORMS.flatMap((form, index) => {
      const secret = tellingPart(form(secretOf(value)), index);
      return text.includes(secret) ? [`${name} in form ${index}`] : [];
    }),
  );
}

describe('no secret of the environment', { timeout: 300_000 }, () => {
  it('is in any file of the run, its notifications included', () => {
    const folders = [join(project.path, '.ralph'), join(project.path, '.git', 'pawl'), join(project.home, 'state')];
    const files = folders
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)))
      .filter((path) => statSync(path).isFile());
    expect(files.some((path) => path.endsWith('journal.jsonl'))).toBe(true);
    expect(files.some((path) => path.endsWith('state.json'))).toBe(true);
    const told = readFileSync(join(project.home, 'told'), 'utf8');
    expect(told).toContain('"');
    const texts = [
      ...files.map((path): [string, string] => [path, readFileSync(path, 'latin1')]),
      ['told', told] as const,
    ];
    expect(texts.flatMap(([path, text]) => givenAway(text).map((what) => `${path}: ${what}`))).toEqual([]);
    expect(texts.some(([, text]) => text.includes('[OPENAI_API_KEY]'))).toBe(true);
  });

  it.each([
    ['list', '--json'],
    ['status', '--json'],
    ['show', '--json'],
    ['show', '1', '--json'],
    ['logs'],
    ['logs', '--json'],
    ['explain'],
    ['stats', '--json'],
    ['watch'],
    ...['json', 'jsonl', 'csv', 'markdown', 'html'].map((format) => ['export', '--format', format]),
  ])('is shown by %s %s %s', async (...words) => {
    const { stdout, stderr } = await project.pawl(...words.filter((word) => word !== undefined));
    expect(stdout.length).toBeGreaterThan(0);
    expect(givenAway(stdout + stderr)).toEqual([]);
  });

  it('is in an answer of the dashboard or in its metrics', async () => {
    const dashboard = await new DashboardProcess(cli.bin, [], { cwd: project.path, env: project.env }).opened();
    try {
      const [run = ''] = readdirSync(join(project.path, '.ralph', 'runs'));
      for (const path of ['/api/runs', `/api/runs/${run}`, `/api/runs/${run}/iterations/1`, '/metrics']) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const answer = await dashboard.ask(path);
        expect({ path, status: answer.status, found: givenAway(answer.body) }).toEqual({
          path,
          status: 200,
          found: [],
        });
      }
    } finally {
      await dashboard.end();
    }
  });
});
