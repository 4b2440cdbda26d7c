import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { need } from '../environment.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
let project: CliProject;
let run = '';
let inWorktree = '';

beforeAll(async () => {
  cli = new BuiltCli('completion');
  project = new CliProject(cli);
  const bin = join(cli.folder, 'path');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'pawl'),
    `#!/bin/sh\nexec ${JSON.stringify(process.execPath)} ${JSON.stringify(cli.bin)} "$@"\n`,
  );
  chmodSync(join(bin, 'pawl'), 0o755);
  project.env['PATH'] = `${bin}:${process.env['PATH']}`;
  project.write('PROMPT.md', 'Go.\n');
  project.write('pawl.yaml', 'iteration_delay: 0\n');
  project.write('my notes/a.md', 'Go.\n');
  project.git('add', '.');
  project.git('commit', '--quiet', '-m', 'begin');
  const latest = async () => JSON.parse((await project.pawl('list', '--json')).stdout)[0].runId.slice('loop_'.length);
  const words = ['--max-iterations', '1', '--quiet', '--', './agent.sh'];
  expect((await project.pawl('run', ...words)).status).toBe(3);
  run = await latest();
  expect((await project.pawl('run', '--worktree', 'beside', ...words)).status).toBe(3);
  inWorktree = await latest();
});
afterAll(() => cli.remove());
afterEach(() => expect(existsSync(join(project.path, 'pwned'))).toBe(false));

const options = () => ({ cwd: project.path, env: project.env, encoding: 'utf8', timeout: 50_000 }) as const;

/** What bash offers for words that it has taken apart already. */
function bashReplies(...words: readonly string[]): readonly string[] {
  const script = `source <(pawl completion bash); COMP_WORDS=(pawl "$@"); COMP_CWORD=$#; _pawl; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-uc', script, 'bash', ...words], options());
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

describe('bash', () => {
  it.each<[readonly string[], readonly string[]]>([
    [['unp'], ['unpause']],
    [['run', '--agent', '=', 'clau'], ['claude']],
    [
      ['run', '--session', '='],
      ['continue', 'fresh'],
    ],
    [['run', '--check', 'a', '=', 'b', '--max-co'], ['--max-cost']],
    [['run', 'PROM'], ['PROMPT.md']],
    [['check', '--config', '=', 'pawl.y'], ['pawl.yaml']],
    [['list', '--cwd', 'my'], ['my notes']],
    [['steer', '$(touch pwned)', '`touch pwned`', '"; touch pwned; "'], []],
    [['run', '$(touch pwned)'], []],
    [['x[$(touch pwned)]'], []],
  ])('after %j offers %j', (words, replies) => {
    expect(bashReplies(...words)).toEqual(replies);
  });

  it('offers the runs of the folder and of its worktrees', () => {
    expect(bashReplies('status', '')).toEqual([inWorktree.slice(0, 10), run.slice(0, 10)]);
    expect(bashReplies('stop', '')).toEqual([]);
  });

  it('calls the pawl of the PATH, not one that lies in the folder', () => {
    project.write('pawl', '#!/bin/sh\ntouch pwned\n', 0o755);
    const script = `source <(pawl completion bash); COMP_WORDS=(./pawl che); COMP_CWORD=1; _pawl; echo "\${COMPREPLY[@]}"`;
    expect(spawnSync('bash', ['--norc', '-c', script], options()).stdout).toBe('check\n');
  });

  it('without a pawl, or with one that fails, offers nothing and says nothing', () => {
    const script = `source <(pawl completion bash); PATH=/nowhere; COMP_WORDS=(pawl ''); COMP_CWORD=1; _pawl; echo "\${#COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], options());
    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });
});

describe('fish', () => {
  it.for<[string, readonly string[]]>([
    ['pawl unp', ['unpause']],
    ['pawl run --agent=clau', ['--agent=claude']],
    ['pawl run --session ', ['continue', 'fresh']],
    ['pawl run PROM', ['PROMPT.md']],
    ['pawl check --config=pawl.y', ['--config=pawl.yaml']],
    ['pawl list --cwd my', ['my notes/']],
    ["pawl steer '$(touch pwned)' (touch pwned) --js", ['--json']],
  ])('after %j offers %j', ([line, words], context) => {
    const fish = need('fish', context);
    const script = 'pawl completion fish | source; complete -C $argv[1]';
    const { stdout, stderr } = spawnSync(fish, ['--no-config', '-c', script, line], options());
    expect(stderr).toBe('');
    const offered = stdout.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0]]));
    expect(offered).toEqual(words);
  });

  it('offers the runs with what became of them', (context) => {
    const script = "pawl completion fish | source; complete -C 'pawl status '";
    const { stdout } = spawnSync(need('fish', context), ['--no-config', '-c', script], options());
    expect(stdout).toContain(`${run.slice(0, 10)}\tstopped, 1 iteration`);
  });
});

/** A shell on a real terminal, to which keys are sent. */
class Typist {
  readonly #tmux: string;
  readonly #socket = join(project.home, `tmux-${Math.random().toString(36).slice(2)}`);

  constructor(tmux: string, shell: string) {
    this.#tmux = tmux;
    this.#call('new-session', '-d', '-x', '120', '-y', '40', '-c', project.path, shell);
  }

  type(...keys: readonly string[]): void {
    this.#call('send-keys', ...keys);
  }

  get screen(): string {
    return this.#call('capture-pane', '-p', '-J').trimEnd();
  }

  leave(): void {
    this.#call('kill-server');
  }

  #call(...words: readonly string[]): string {
    return spawnSync(this.#tmux, ['-S', this.#socket, '-f', '/dev/null', ...words], options()).stdout;
  }
}

const SHELLS = [
  ['bash', "PS1='ready> ' bash --norc --noprofile -i", 'source <(pawl completion bash)'],
  ['zsh', "PS1='ready> ' zsh -f -i", 'autoload -U compinit; compinit -u -D; source <(pawl completion zsh)'],
] as const;

describe.each(SHELLS)('%s at a terminal', (name, command, setup) => {
  it('completes what is typed', async (context) => {
    if (name === 'zsh') need('zsh', context);
    const typist = new Typist(need('tmux', context), command);
    const shows = (text: string) => expect.poll(() => typist.screen, { timeout: 60_000 }).toContain(text);
    try {
      await shows('ready>');
      typist.type(`${setup}; clear; echo se''t`, 'Enter');
      await shows('set');
      const cases = [
        ['pawl unp', 'pawl unpause'],
        ['pawl run --agent=clau', 'pawl run --agent=claude'],
        ['pawl run PROM', 'pawl run PROMPT.md'],
        ['pawl check --config=pawl.y', 'pawl check --config=pawl.yaml'],
        ['pawl list --cwd my', String.raw`pawl list --cwd my\ notes/`],
        [`pawl show ${run.slice(0, 12)}`, `pawl show ${run}`],
        ['pawl steer $(touch pwned) --js', 'pawl steer $(touch pwned) --json'],
      ] as const;
      for (const [typed, shown] of cases) {
        typist.type('-l', typed);
        typist.type('Tab');
        // oxlint-disable-next-line no-await-in-loop -- one line after the other
        await shows(`ready> ${shown}`);
        typist.type('C-u');
      }
    } finally {
      typist.leave();
    }
  });
});
