import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('dry-run');
});
afterAll(() => cli.remove());

/** Writes down how it was called: its words, its variables and its input. */
const WITNESS = 'printf "%s\\0" "$@" >argv; env -0 >environment; pwd >where; exit 0';

function project(config = ''): CliProject {
  const made = new CliProject(cli, { hasGit: false });
  for (const name of ['claude', 'codex', 'own-cli', 'agent.sh']) {
    made.write(name, `#!/bin/sh\ncat >input\n${WITNESS}\n`, 0o755);
  }
  made.env['PATH'] = `${made.path}:${process.env['PATH']}`;
  made.write('PROMPT.md', 'Iteration {{iteration}} of {{max_iterations}}.\n');
  made.write('pawl.yaml', config);
  return made;
}

describe('a dry run', () => {
  it.each([
    ['claude', ['-a', 'claude', '--model', 'm', '--max-cost', '2.5', '--agent-arg', '--x'], ''],
    ['codex', ['-a', 'codex', '--permissions', 'bypass'], ''],
    ['any command', ['--', './agent.sh', 'a b', '$HOME', "it's"], ''],
    [
      'an agent of the config',
      ['-a', 'own', '--model', 'm'],
      'agents: { own: { command: [own-cli, --go], model_flag: --model=, args: [last] } }\nenv: { MY_MODE: quick }\n',
    ],
  ])('shows exactly what would be spawned: %s', async (_, words, config) => {
    const made = project(config);
    const run = ['--max-iterations', '1', ...words];
    const dry = await made.pawl('run', '--dry-run', '--json', ...run);
    expect(dry.status).toBe(0);
    expect(['argv', 'input', '.ralph', '../state'].filter((name) => existsSync(join(made.path, name)))).toEqual([]);
    const { plan } = JSON.parse(dry.stdout) as {
      plan: {
        command: string[];
        workingDir: string;
        environment: { added: Record<string, string> };
        prompt: { characters: number };
      };
    };
    await made.pawl('run', '--quiet', '--trust', ...run);
    const [, ...args] = plan.command;
    expect(made.read('argv').split('\0').slice(0, -1)).toEqual(args);
    expect(made.read('where').trim()).toBe(plan.workingDir);
    expect(made.read('input')).toMatch(/^Iteration 1 of 1\.\n\n[^]*\nWrite nothing after it\.\n$/);
    expect(plan.prompt.characters).toBe(made.read('input').length);
    const got = new Map(
      made
        .read('environment')
        .split('\0')
        .map((line) => line.split(/=(.*)/s, 2) as [string, string]),
    );
    const own = ['PWD', 'OLDPWD', '_', 'SHLVL', 'PAWL_COOKIE', 'PAWL_CLAIM_KEY', 'PAWL_RUNNER'];
    const added = [...got].filter(([name, value]) => made.env[name] !== value && !own.includes(name));
    const { PAWL_COOKIE: cookie, PAWL_CLAIM_KEY: key, ...others } = plan.environment.added;
    expect([cookie, key]).toEqual([expect.any(String), expect.any(String)]);
    expect(Object.fromEntries(added)).toEqual(others);
  });

  it('says in words what would be executed and kept, and hides what is secret', async () => {
    const made = project(
      [
        'agent: { name: claude, env: { MY_API_KEY: sk-0123456789abcdef } }',
        'tests: npm test',
        'hooks: { on_stop: ./bye.sh }',
        'notify: { webhook: https://hooks.example.org/s3cr3t-path }',
        'session: { mode: fresh }',
      ].join('\n'),
    );
    const { status, stdout, stderr } = await made.pawl('run', '--dry-run', '--permissions', 'bypass');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    for (const line of [
      /^ {2}runs +claude -p --dangerously-skip-permissions /m,
      /^ {2}prompt +PROMPT\.md, \d{3} characters, by standard input/m,
      /MY_API_KEY='\[MY_API_KEY\]'/,
      /^ {2}tests +npm test \(10m at most\)/m,
      /^ {2}on_stop +\.\/bye\.sh \(1m at most\)/m,
      /^ {2}notifies +a webhook at hooks\.example\.org/m,
      /^ {2}session +a new one each iteration/m,
      /^ {2}record +below \.ralph\/runs/m,
      /not confirmed .*pawl\.yaml/m,
      /^A dry run: nothing was started, nothing was written\.$/m,
    ]) {
      expect(stdout).toMatch(line);
    }
    const json = (await made.pawl('run', '--dry-run', '--json')).stdout + (await made.pawl('check', '--json')).stdout;
    expect(stdout + json).not.toMatch(/sk-0123|s3cr3t/);
    expect(existsSync(join(made.path, '.ralph'))).toBe(false);
  });
});

it('a pattern of progress.also that matches no file is named before a run starts, and by check with what it is for', async () => {
  const made = project("progress: { also: ['data/**', PROMPT.md] }\n");
  const warning = 'progress.also: data/** matches no file yet';
  const dry = await made.pawl('run', '--dry-run', '--', './agent.sh');
  expect(dry.stderr).toContain(warning);
  const { stdout } = await made.pawl('check');
  expect(stdout).toMatch(/data\/\*\*, PROMPT\.md: .*progress/);
  expect(stdout).toContain(`pawl.yaml:1:19 ${warning}\n`);
});
