import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import packageJson from '../../../package.json' with { type: 'json' };
import { VERSION } from '../../version.js';
import { runProgram } from './program.js';
import { wrap } from '../text/terminal.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-cli-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'nothing'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

async function pawl(...words: string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram(words, contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

function config(text: string): string[] {
  writeFileSync(join(folder, 'pawl.yaml'), text);
  return ['check', '--cwd', folder];
}

const COMPLETE = `agent: claude
tests: npm test
checks: { lint: npm run lint }
stop:
  confirm: 2
  success: [{ all: [all_tests_pass, { check_passes: lint }] }]
  failure: [{ no_progress: 5 }, { protected_path_changed: test/** }]
  limits: [{ max_iterations: 08 }, { max_cost: 10 }]
`;

describe('pawl', () => {
  it('knows its version', () => expect(VERSION).toBe(packageJson.version));

  it('shows help when asked nothing', async () => {
    expect(await pawl()).toMatchObject({ exitCode: 0, out: expect.stringContaining('Usage: pawl') });
    expect(await pawl('--help')).toMatchObject({ exitCode: 0, out: expect.stringContaining('check') });
    expect(await pawl('help', 'check')).toMatchObject({
      exitCode: 0,
      out: expect.stringContaining('--max-cost <USD>'),
    });
  });

  it('finds every command that the help lists when it is called by its name', async () => {
    const { out } = await pawl('help', '--all');
    const names = [...out.slice(out.indexOf('Get started:')).matchAll(/^ {2}([a-z]+) /gm)].map(
      ([, name]) => name ?? '',
    );
    expect(names.length).toBeGreaterThan(35);
    for (const name of names.filter((each) => each !== 'help')) {
      // oxlint-disable-next-line no-await-in-loop -- what is loaded is loaded once
      expect(await pawl(name, '--help')).toMatchObject({ exitCode: 0, out: expect.stringContaining(`pawl ${name}`) });
    }
  });

  it.each([
    [['chekc'], "pawl: unknown command 'chekc'\n(Did you mean check?)\n"],
    [['check', '--jsno'], "pawl: unknown option '--jsno'\n(Did you mean --json?)\n"],
    [['check', 'a', 'b'], "pawl: too many arguments for 'check'. Expected 1 argument but got 2.\n"],
    [['check', '--max-cost'], "pawl: option '--max-cost <USD>' argument missing\n"],
    [['demo', 'x'], "pawl: too many arguments for 'demo'. Expected 0 arguments but got 1.\n"],
    [['check', 'nope.yaml'], 'nope.yaml: no such file\n'],
  ])('%j is a mistake in its use: exit 2, and why', async (words, err) => {
    expect(await pawl(...words)).toEqual({ exitCode: 2, out: '', err });
  });
});

describe('pawl check --fix', () => {
  const OLD = "items: [a]   # one\ngenerate:\n  command: echo {{item.id}} > {{output}}\n  output: 'o/{{item.id}}'\n";

  it('rewrites the commands of a manifest, keeps its mode, and then checks it', async () => {
    const file = join(folder, 'old.yaml');
    writeFileSync(file, OLD, { mode: 0o600 });
    const before = await pawl('check', file);
    expect(before).toMatchObject({ exitCode: 2, err: expect.stringContaining('write "$PAWL_ITEM_ID"') });
    expect(readFileSync(file, 'utf8')).toBe(OLD);
    expect(await pawl('check', '--fix', file)).toMatchObject({ exitCode: 0, err: '' });
    expect(readFileSync(file, 'utf8')).toBe(
      OLD.replace('echo {{item.id}} > {{output}}', 'echo "$PAWL_ITEM_ID" > "$PAWL_OUTPUT"'),
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('asks which file, where there is none', async () => {
    const { exitCode, err } = await pawl('check', '--fix', '--cwd', mkdtempSync(join(folder, 'empty-')));
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: 'no manifest: there is no pipeline.yaml here\n' });
  });
});

describe('pawl check', () => {
  it('puts the effective policy into sentences with their origins', async () => {
    const { out } = await pawl(...config(COMPLETE), '--max-cost', '3', '--limit', 'max_duration: 4h');
    expect(out).toBe(`A run is rejected, whatever else is met
  when the agent changes test/**                                  pawl.yaml:7:33

A run is done
  when all tests pass and the check lint passes, checked 2 times  pawl.yaml:6:13

A run gives up
  after 5 iterations in a row without progress                    pawl.yaml:7:13

A run stops at its limits
  after 8 iterations                                              pawl.yaml:8:12
  after $3.00                                                         --max-cost
  after 4h of active time                                                --limit

Each iteration
  runs claude                                                      pawl.yaml:1:8
  then runs the tests: npm test                                    pawl.yaml:2:8
  then runs the check lint: npm run lint                          pawl.yaml:3:17
  and may take 30m                                                       default
`);
  });

  it('says the same to machines', async () => {
    const { out } = await pawl(...config(COMPLETE), '--json');
    const report = JSON.parse(out);
    expect(report).toMatchObject({ warnings: [], spec: { agent: { name: 'claude' } } });
    expect(report.policy.at(-1)).toEqual({
      path: 'stop.limits[1]',
      class: 'limit',
      condition: { type: 'max_cost', usd: 10 },
      description: 'after $10.00',
      live: true,
      origin: { source: 'project-file', place: expect.stringContaining('pawl.yaml:8:36') },
    });
  });

  it('names every mistake with its place, to people and to machines', async () => {
    const bad = config('agnet: claude\nstop:\n  limits:\n    - max_cost: -5\n    - al: [x]\n');
    const { exitCode, err, out } = await pawl(...bad);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err.split('\n').map((line) => line.replace(/^.*(?=pawl\.yaml)/, ''))).toEqual([
      expect.stringMatching(/^pawl\.yaml:1:1 agnet: unknown.*"agent"/),
      expect.stringMatching(/^pawl\.yaml:4:17 stop\.limits\[0\]\.usd: .*above 0.* -5$/),
      expect.stringMatching(/^pawl\.yaml:5:7 stop\.limits\[1\]: unknown.*"al".*"all"/),
      '',
    ]);
    const json = await pawl(...bad, '--json');
    expect(json).toMatchObject({ exitCode: 2, err: '' });
    expect(JSON.parse(json.out)).toMatchObject({ ok: false, issues: [{ path: 'agnet' }, {}, {}] });
  });

  it('warns of a goal that is not verified and of a run without limits', async () => {
    const { out } = await pawl(...config('max_iterations: 0\nstop: { success: [{ output_pattern: DONE }] }'));
    expect(out).toMatch(/^No limit$/m);
    expect(out).toContain('not verified');
  });

  it('lets no escape sequence of a config reach the terminal', async () => {
    const { out } = await pawl(...config('stop: { success: [{ output_pattern: "\\e]0;evil\\aDONE\\e[2J" }] }'));
    expect(out).toContain('the agent says "DONE"');
    expect(out).not.toContain('\u001b');
    const { err } = await pawl(...config('"\\e[2Jx": 1'));
    expect(err).toContain('unknown key');
    expect(err).not.toContain('\u001b');
  });

  it('shows what applies when there is no config', async () => {
    const { out } = await pawl('check', '--cwd', tmpdir());
    expect(out).toMatch(/pawl\.yaml.*defaults/);
    expect(out).toContain('after 25 iterations');
  });

  it('says what it must when something breaks, without a stack', async () => {
    const { exitCode, err } = await pawl('check', '--cwd', join(folder, 'gone'));
    expect(exitCode).toBe(2);
    expect(err).toContain('is not a directory');
  });
});

describe('pawl check --schema', () => {
  it.each([[], ['pipeline'], ['pipeline-state']])('prints a JSON Schema (%s)', async (...of) => {
    const { out, exitCode } = await pawl('check', '--schema', ...of);
    expect(exitCode).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });
});

describe('wrapping', () => {
  it('breaks between words, and leaves a word whole that is too long', () => {
    expect(wrap('aa bb cc', 5)).toEqual(['aa bb', 'cc']);
    expect(wrap('aaaaaaaa b', 5)).toEqual(['aaaaaaaa', 'b']);
    expect(wrap('', 5)).toEqual(['']);
  });
});

it('the help shows every command on a line of its own, in groups', async () => {
  const terminal = recordingTerminal();
  expect(await runProgram(['help', '--all'], contextOf(terminal))).toBe(0);
  const [, ...groups] = terminal
    .out()
    .split(/\n\n(?=[A-Z])/)
    .slice(2);
  expect(groups.map((group) => group.split('\n')[0])).toEqual([
    'Get started:',
    'Run:',
    'Inspect:',
    'Analyze:',
    'Control a run:',
    'Fleet:',
    'Clean up:',
    'Other:',
  ]);
  const commands = groups.flatMap((group) => group.trimEnd().split('\n').slice(1));
  for (const line of commands) expect(line).toMatch(/^ {2}[a-z]+ +\S.{0,64}$/);
});

it('the help fits on one screen, and names every command', async () => {
  const { out } = await pawl('--help');
  const lines = out.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(23);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  const all = (await pawl('help', '--all')).out;
  const names = [...all.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name ?? '');
  expect(names.length).toBeGreaterThan(35);
  for (const name of names) expect(out).toMatch(new RegExp(`(?:^| )${name}(?: |$)`, 'm'));
});
