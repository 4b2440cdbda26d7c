/**
 * The first page that a new user reads, followed to the letter: every command, in order, from a fresh clone, with the packed
 * package installed into an empty prefix.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs', 'guide', 'first-run.md'), 'utf8');

const readme = readFileSync(join(root, 'README.md'), 'utf8');

const IS_FULL = process.env['PAWL_TEST_FULL'] === '1';

interface Command {
  readonly text: string;
  readonly exitCode: number;
}

/** The commands of the page; a here-document belongs to the line that it follows. */
function commandsOf(markdown: string): readonly Command[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block = '']) => {
    const commands: string[] = [];
    let end: string | undefined;
    for (const line of block.trimEnd().split('\n')) {
      if (end === undefined) commands.push(line);
      else commands.push(`${commands.pop() ?? ''}\n${line}`);
      if (line === end) end = undefined;
      else end ??= /<<'(\w+)'/.exec(line)?.[1];
    }
    return commands.map((text) => ({ text, exitCode: Number(/# exit code (\d+)/.exec(text)?.[1] ?? 0) }));
  });
}

let folder = '';
let home = '';
let clone = '';
let cache = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pawl-first-run-')));
  home = join(folder, 'home');
  clone = join(folder, 'pawl');
  mkdirSync(join(home, 'bin'), { recursive: true });
  spawnSync('git', ['clone', '--quiet', '--shared', root, clone]);
  // What is not committed yet belongs to it, too.
  const listed = ['ls-files', '-z', '--modified', '--others', '--exclude-standard'];
  for (const name of spawnSync('git', listed, { cwd: root, encoding: 'utf8' }).stdout.split('\0')) {
    if (name !== '' && existsSync(join(root, name))) cpSync(join(root, name), join(clone, name));
  }
  // `.ci/run` installs the packages of a fresh checkout; here that would cost more than all the rest.
  if (!IS_FULL) symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
  cache = cacheOfNpm();
  writeFileSync(join(home, 'bin', 'claude'), '#!/bin/sh\necho "2.1.325 (Claude Code)"\n');
  chmodSync(join(home, 'bin', 'claude'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }), 120_000);

/** What npm has downloaded before is used; what `npx` installs is removed with the folder. */
function cacheOfNpm(): string {
  const own = join(folder, 'npm-cache');
  const outer = process.env['npm_config_cache'] ?? join(homedir(), '.npm');
  mkdirSync(join(outer, '_cacache'), { recursive: true });
  mkdirSync(own);
  symlinkSync(join(outer, '_cacache'), join(own, '_cacache'));
  return own;
}

/** What all but the longest form do in place of a command: the types of the library cost more than all that the page shows. */
const QUICKER = new Map([['npm pack', 'node scripts/build.mjs --cli-if-stale && npm pack --ignore-scripts']]);

function asRun(text: string): string {
  const [quicker] = [...QUICKER].filter(([slow]) => !IS_FULL && text.startsWith(slow));
  return quicker === undefined ? text : text.replace(...quicker);
}

it('every command of the first page works with the packed package in an empty prefix, and says what the page says', () => {
  const commands = commandsOf(page);
  expect(commands.length).toBeGreaterThan(25);
  const installing = [
    'npm pack',
    'npx --yes ./pawl-*.tgz',
    'npm install -g ./pawl-*.tgz',
    'pawl demo',
    'pawl init',
    'pawl run',
  ];
  for (const words of installing) expect(commands.map(({ text }) => text.startsWith(words))).toContain(true);
  for (const words of ['npm pack', 'npx ./pawl-*.tgz demo', 'npm install -g ./pawl-*.tgz'])
    expect(readme).toContain(`\n${words}`);
  const script = commands.map(
    ({ text }, at) => `echo "<${at}>"; echo "<${at}>" >&2\n${asRun(text)}\necho "$?" >> "$CODES"`,
  );
  const codes = join(folder, 'codes');
  const prefix = join(home, 'npm');
  const path = [join(prefix, 'bin'), join(home, 'bin'), process.env['PATH']].join(delimiter);
  const { stdout, stderr } = spawnSync('bash', ['--norc', '--noprofile'], {
    cwd: clone,
    input: script.join('\n'),
    env: {
      ...process.env,
      // The registry of this machine, for a home that is new.
      npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
      npm_config_cache: cache,
      npm_config_prefix: prefix,
      npm_config_prefer_offline: 'true',
      PATH: path,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      CODES: codes,
    },
    encoding: 'utf8',
    timeout: 900_000,
  });
  const said = (at: number) => `${part(stdout, at)}${part(stderr, at)}`;
  const ended = readFileSync(codes, 'utf8').trim().split('\n').map(Number);
  const wrong = commands.flatMap(({ text, exitCode }, at) =>
    ended[at] === exitCode ? [] : [`${text}\n  ends with ${ended[at]} instead of ${exitCode}:\n${said(at)}`],
  );
  expect(wrong).toEqual([]);
  for (const line of /```text\n(.*?)```/s.exec(page)?.[1]?.trim().split('\n') ?? []) expect(stdout).toContain(line);
  expect(stdout).toContain('$0.08 of $0.05');
  expect(realpathSync(join(prefix, 'bin', 'pawl'))).toBe(
    join(prefix, 'lib', 'node_modules', 'pawl', 'dist', 'bin', 'pawl.js'),
  );
}, 960_000);

function part(output: string, at: number): string {
  return output.split(`<${at}>\n`)[1]?.split(`<${at + 1}>\n`)[0] ?? '';
}
