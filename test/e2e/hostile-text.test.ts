/** Text from the agent, in every view of it, on a real terminal: none of it steers the terminal. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BuiltCli, CliProject } from '../support/cli-project.js';

let cli: BuiltCli;
let project: CliProject;

const ESC = '\u001b';
/** What a hostile text is made of; the words between tell that it was shown at all. */
const HOSTILE = [
  'visible',
  `${ESC}[2J${ESC}[H${ESC}[31mred`,
  `${ESC}]0;title\u0007`,
  `${ESC}]8;;http://evil.example\u0007link${ESC}]8;;\u0007`,
  `${ESC}]52;c;ZXZpbA==\u0007`,
  `${ESC}P+q544e${ESC}\\`,
  '\u009b31m',
  '\u202Eright to left\u202C',
  '\u2066isolated\u2069',
  'back\b\b\b\bspace',
  'over\rwritten',
  'bell\u0007',
  'zero\u200Bwidth',
  '日本語'.repeat(200),
  'x'.repeat(5000),
].join(' ');

/** What may steer a terminal: anything of this that is not a plain colour is a leak. */
const STEERING =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
// oxlint-disable-next-line no-control-regex -- the colours that Pawl itself writes
const COLOURS = /\u001b\[[0-9;]*m/g;

const AGENT = `
const tell = (event) => console.log(JSON.stringify(event));
const hostile = ${JSON.stringify(HOSTILE)};
tell({ pawl: 'session', id: hostile });
tell({ pawl: 'text', text: hostile });
tell({ pawl: 'tool-call', id: '1', name: hostile, input: hostile });
tell({ pawl: 'tool-result', id: '1', failed: true, output: hostile });
tell({ pawl: 'permission-denied', tool: hostile, detail: hostile });
tell({ pawl: 'usage', model: hostile, input_tokens: 10, output_tokens: 1, cost_usd: 0.01 });
tell({ pawl: 'error', kind: 'other', message: hostile });
tell({ pawl: 'result', outcome: 'success', text: hostile });
console.log(hostile);
console.error(hostile);
const fs = require('node:fs');
fs.writeFileSync(Buffer.concat([Buffer.from('evil\\u001b[31m\\u202Ename'), Buffer.from([0xff])]), hostile);
fs.writeFileSync('report.txt', hostile + '\\n' + Date.now());
`;

beforeAll(() => {
  cli = new BuiltCli('hostile-text');
  project = new CliProject(cli, { agent: 'node agent.cjs' });
  project.write('agent.cjs', AGENT);
  project.write('policy.yaml', 'stop: { limits: [{ max_iterations: 1 }] }\n');
  project.write(
    'tests.sh',
    `#!/bin/sh\nprintf '%b' ${JSON.stringify(HOSTILE.replaceAll(ESC, '\\033'))}\nexit 1\n`,
    0o755,
  );
});
afterAll(() => cli.remove());

/** What a command writes to a terminal of 80 columns. */
function onTerminal(...words: readonly string[]): string {
  const quoted = [process.execPath, cli.bin, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  const { stdout } = spawnSync('script', ['-qfec', `stty cols 80; ${quoted}`, join(project.home, 'typescript')], {
    cwd: project.path,
    // The live view has tests of its own.
    env: { ...project.env, TERM: 'xterm-256color', CI: '1', FORCE_COLOR: '1' },
    encoding: 'utf8',
    timeout: 60_000,
  });
  return stdout;
}

function expectHarmless(shown: string): void {
  expect(shown.length).toBeGreaterThan(10);
  const lines = shown.replaceAll('\r\n', '\n').replaceAll(COLOURS, '').split('\n');
  for (const line of lines) expect(line).not.toMatch(STEERING);
  expect(lines.join('\n')).not.toContain('\r');
}

it('nothing that an agent says steers the terminal of whoever runs or looks at it', () => {
  const limits = ['--max-iterations', '2', '--delay', '0s', '--tests', './tests.sh'];
  const ran = onTerminal('run', '-p', `${HOSTILE} prompt`, ...limits, '--', './agent.sh');
  expect(ran).toContain('visible');
  expectHarmless(ran);
  for (const words of [
    ['show'],
    ['show', '1'],
    ['status'],
    ['list'],
    ['logs'],
    ['watch'],
    ['diff'],
    ['diff', '1'],
    ['diff', '--stat'],
    ['explain'],
    ['stats'],
    ['replay', '--policy', 'policy.yaml'],
    ['export', '--format', 'markdown'],
    ['export', '--format', 'jsonl'],
    ['restore', '1', '--force'],
    ['restore', '0', '--force'],
    ['run', '--dry-run', '-p', HOSTILE, '--', './agent.sh'],
    ['run', '--dry-run', '-p', 'x', '--', `./${HOSTILE.slice(0, 200)}`],
    ['run', HOSTILE],
    ['status', HOSTILE],
    [HOSTILE],
    ['steer', HOSTILE],
    ['check', HOSTILE],
  ]) {
    expectHarmless(onTerminal(...words));
  }
});
