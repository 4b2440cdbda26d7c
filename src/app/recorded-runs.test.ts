import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../test/support/terminal.js';
import { sealLine } from '../journal/record-scanner.js';
import { runProgram } from '../views/cli/program.js';

let tree = '';
let whole = '';
let journal = '';

async function pawl(columns: number, ...[name = '', ...words]: readonly string[]) {
  const terminal = recordingTerminal(columns);
  const exitCode = await runProgram([name, '--cwd', tree, ...words], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

/** One run of two iterations, stopped by its limit, that all of these look at. */
beforeAll(async () => {
  tree = mkdtempSync(join(tmpdir(), 'pawl-recorded-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(tree, 'nothing'));
  vi.stubEnv('XDG_STATE_HOME', join(tree, 'state'));
  writeFileSync(join(tree, 'agent.sh'), '#!/bin/sh\ncat > /dev/null\necho round >> n\n');
  chmodSync(join(tree, 'agent.sh'), 0o755);
  const words = ['-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE', '--max-iterations', '2', '--quiet'];
  await pawl(80, 'run', ...words, '--', './agent.sh');
  const [run] = JSON.parse((await pawl(80, 'list', '--json')).out);
  journal = join(run.folder, 'journal.jsonl');
  whole = readFileSync(journal, 'utf8');
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(tree, { recursive: true });
});

describe('a recorded run', () => {
  it('that has no such iteration has no log of it: exit 2, as for show', async () => {
    const { err } = await pawl(80, 'show', '99');
    expect(err).toMatch(/has no iteration 99: there are 2 iterations\n$/);
    expect(await pawl(80, 'logs', '--iteration', '99')).toEqual({ exitCode: 2, out: '', err });
    expect(await pawl(80, 'logs', '-f', '--iteration', '99')).toEqual({ exitCode: 2, out: '', err });
    expect((await pawl(80, 'logs', '--iteration', '2')).out).toMatch(/^iteration 2 /);
  });

  it('that is not done says so when it is shown', async () => {
    expect((await pawl(80, 'show')).out).toMatch(/^Not done: DONE does not exist\.$/m);
  });

  it('is listed on a screen of 80 columns with its task and all of why it stopped', async () => {
    const terminal = { ...recordingTerminal(80), isScreen: true };
    await runProgram(['list', '--cwd', tree], contextOf(terminal));
    const [head = '', row = '', why = '', , next] = terminal.out().split('\n');
    expect(head).toMatch(/ started +task$/);
    expect(row).toMatch(/ iteration limit +2 .* Go\.$/);
    expect(why).toBe('    2 of 2 iterations');
    expect(next).toMatch(/^what happened, and what to do next: pawl status \S+ --cwd \S+$/);
    expect((await pawl(80, 'list')).out).not.toContain('pawl status');
    expect(JSON.parse((await pawl(80, 'list', '--json')).out)).toMatchObject([{ task: 'Go.' }]);
  });

  it('is listed with --all from any folder', async () => {
    const terminal = recordingTerminal(200);
    expect(await runProgram(['list', '--all', '--json'], contextOf(terminal))).toBe(0);
    expect(JSON.parse(terminal.out())).toMatchObject([{ task: 'Go.', workingDir: realpathSync(tree) }]);
    expect((await pawl(80, 'list', '--all')).exitCode).toBe(2);
  });

  it.each([['list'], ['show'], ['status'], ['show', '1']])('fits into 40 columns: %s %s', async (...words) => {
    const { out } = await pawl(40, ...words.filter((word) => word !== undefined));
    const lines = out.split('\n').filter((line) => !line.includes('pawl ') && !line.includes('/'));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines.slice(1)) expect(line.length).toBeLessThanOrEqual(40);
  });

  it('that is damaged in the middle is not said to go on with a resume', async () => {
    const lines = whole.split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"iteration-ended"')) + 1;
    writeFileSync(journal, lines.with(at, 'garbage').join('\n'));
    const { exitCode, out } = await pawl(80, 'show');
    writeFileSync(journal, whole);
    expect({ exitCode, resumes: out.includes('pawl resume') }).toEqual({ exitCode: 1, resumes: false });
    expect(out).toMatch(/^Damaged after 1 iteration: /m);
  });

  it('that is damaged after it had ended once is not said to go on with a resume by status either', async () => {
    const { sum: _sum, ...last } = JSON.parse(whole.trimEnd().split('\n').at(-1) ?? '');
    const later = sealLine(JSON.stringify({ ...last, seq: last.seq + 2 })).toString();
    writeFileSync(journal, `${whole}garbage\n${later}`);
    const { exitCode, out } = await pawl(80, 'status');
    writeFileSync(journal, whole);
    expect({ exitCode, resumes: out.includes('pawl resume') }).toEqual({ exitCode: 1, resumes: false });
    expect((await pawl(80, 'status')).out).toContain('pawl resume');
  });

  it.each([
    ['empty', ''],
    ['garbage', 'garbage\nmore of it\n'],
    ['one torn line', '{"v":1,"seq'],
  ])('whose journal is %s is not said to go on with a resume by list, show or status', async (_, damage) => {
    const snapshot = join(dirname(journal), 'state.json');
    const kept = readFileSync(snapshot);
    writeFileSync(journal, damage);
    rmSync(snapshot);
    const said = [await pawl(80, 'list'), await pawl(80, 'show'), await pawl(80, 'status')];
    writeFileSync(journal, whole);
    writeFileSync(snapshot, kept);
    for (const { out, err } of said) expect(out + err).not.toContain('pawl resume');
  });

  it('whose agent told nothing has not cost $0.00', async () => {
    expect((await pawl(80, 'list')).out).toMatch(/ unknown /);
    expect(JSON.parse((await pawl(80, 'list', '--json')).out)[0].costUsd).toBeUndefined();
  });
});
