import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import { sealLine } from '../../../journal/record-scanner.js';
import { runProgram } from '../program.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-commands-'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'nothing'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A working directory with an agent of its own. */
function treeWith(agent: string): string {
  const tree = mkdtempSync(join(folder, 'tree-'));
  writeFileSync(join(tree, 'agent.sh'), `#!/usr/bin/env bash\ncat > /dev/null\n${agent}\n`);
  chmodSync(join(tree, 'agent.sh'), 0o755);
  return tree;
}

async function pawl(tree: string, ...[name = '', ...words]: readonly string[]) {
  const terminal = recordingTerminal();
  const exitCode = await runProgram([name, '--cwd', tree, ...words], contextOf(terminal));
  return { exitCode, out: terminal.out(), err: terminal.err() };
}

/** The line of a verdict that stops, made to give another reason. */
function withAnotherVerdict(line: string): string {
  if (!line.includes('"type":"verdict-reached"') || !line.includes('"stop":true')) return line;
  const { sum: _sum, ...event } = JSON.parse(line);
  const [reason] = event.verdict.reasons;
  const verdict = { ...event.verdict, reasons: [{ ...reason, path: 'stop.success[9]', message: 'it is Sunday' }] };
  return sealLine(JSON.stringify({ ...event, verdict }))
    .toString()
    .trimEnd();
}

const TO_DONE = ['-p', 'Go.', '--delay', '0', '--until', 'file_created: DONE'];
const AGENT = ['--', './agent.sh'];
const ROUNDS = 'n=$(($(cat n 2>/dev/null || echo 0) + 1)); echo $n > n; echo "round $n"';

describe('pawl run, before it begins', () => {
  it.each(['run', 'resume', 'watch'])('%s: --quiet beside --json is not ignored without a word', async (name) => {
    const tree = treeWith('touch DONE');
    const words = name === 'run' ? [...TO_DONE, '--json', '--quiet', ...AGENT] : ['--json', '--quiet'];
    const { exitCode, out, err } = await pawl(tree, name, ...words);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(/^pawl: .*'--quiet'.*'--json'\n$/);
    expect(existsSync(join(tree, 'DONE'))).toBe(false);
  });

  it.each<[string, string[], string | RegExp]>([
    ['a file that is not there', ['do it', ...AGENT], /no file "do it".* -p\n/],
    ['a folder for a prompt', ['.', ...AGENT], '"." is not a regular file'],
    ['an empty prompt', ['agent.md', ...AGENT], 'is empty'],
    ['no prompt', AGENT, /no prompt.* -p TEXT.*PROMPT\.md/],
    ['two prompts', ['agent.sh', '-p', 'x', ...AGENT], 'there are two prompts'],
    ['two prompt files', ['agent.sh', '--prompt-path', 'x.md', ...AGENT], 'there are two prompt files'],
    ['a prompt file of a flag that is not there', ['--prompt-path', 'x.md', ...AGENT], 'there is no prompt file'],
    ['a flag for a prompt', ['-p', '--quiet', ...AGENT], /^-p .*--quiet .*flag/],
    ['an unknown agent', ['-p', 'x', '-a', 'nobody'], /no agent "nobody".*claude, codex/],
    ['a misspelled agent', ['-p', 'x', '-a', 'claud'], /no agent "claud";.*"claude"/],
    ['a missing program', ['-p', 'x', '--', './gone.sh'], './gone.sh is not a program'],
    ['no command after --', ['-p', 'x', '--'], 'there is no command after --'],
    ['a misspelled flag', ['-p', 'x', '--max-cots', '5'], '(Did you mean --max-cost?)'],
    ['a word left over', ['agent.sh', 'more', ...AGENT], 'too many arguments'],
    ['the name of a worktree that is a file', ['--worktree', 'agent.sh', ...AGENT], 'pawl run agent.sh --worktree'],
    [
      'commits without git',
      ['-p', 'x', '--config', 'commit.yaml', ...AGENT],
      'commit.yaml:1:9 commit: end cannot be done',
    ],
    ['a bad limit', ['-p', 'x', '--max-cost', '5x', ...AGENT], /^--max-cost: .*above 0.*"5x"/],
  ])('refuses %s: exit 2, why, and no trace of a run', async (_, words, why) => {
    const tree = treeWith('touch ran');
    writeFileSync(join(tree, 'agent.md'), '');
    writeFileSync(join(tree, 'commit.yaml'), 'commit: end\n');
    const { exitCode, out, err } = await pawl(tree, 'run', ...words);
    expect({ exitCode, out }).toEqual({ exitCode: 2, out: '' });
    expect(err).toMatch(why);
    expect(['ran', '.ralph'].map((name) => existsSync(join(tree, name)))).toEqual([false, false]);
  });

  it('a dry run starts and writes nothing, and names what is dangerous in its first line', async () => {
    const tree = treeWith('touch ran');
    const words = [...TO_DONE, '--dry-run', '--permissions', 'bypass', '--max-iterations', '0', ...AGENT];
    const { exitCode, out, err } = await pawl(tree, 'run', ...words);
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^a run: command, permissions: bypass, no limit\n/);
    expect(err).toContain('warning: stop.limits: no limit');
    expect(['ran', '.ralph'].map((name) => existsSync(join(tree, name)))).toEqual([false, false]);
  });

  it('says who will pay', async () => {
    const tree = treeWith('true');
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-not-a-real-key');
    const { out } = await pawl(tree, 'run', '-p', 'x', '-a', 'claude', '--dry-run', ...AGENT);
    vi.stubEnv('ANTHROPIC_API_KEY', '');
    expect(out).toMatch(/ANTHROPIC_API_KEY is set.* bills that key/);
    expect(out).not.toContain('sk-not');
  });

  it('a prompt file on the command line goes before a prompt in the config', async () => {
    const tree = treeWith('true');
    writeFileSync(join(tree, 'pawl.yaml'), 'prompt: from the config\n');
    writeFileSync(join(tree, 'mine.md'), 'from the file\n');
    const { out } = await pawl(tree, 'run', 'mine.md', '--dry-run', ...AGENT);
    expect(out).toMatch(/prompt +mine\.md/);
  });
});

describe('the commands of runs', () => {
  it('show tests, their change and what only the agent says', async () => {
    const tree = treeWith(
      `${ROUNDS}; printf '1..3\\nok 1 - a\\n%s 2 - b\\nnot ok 3 - c\\n' "$([ $n = 2 ] && echo ok || echo not ok)" > tap`,
    );
    writeFileSync(join(tree, 'tap'), '1..2\nnot ok 1 - a\nnot ok 2 - b\n');
    const words = ['-p', 'Go.', '--delay', '0', '--tests', 'cat tap; ! grep -q "^not" tap', '--max-iterations', '2'];
    const { exitCode, out } = await pawl(tree, 'run', ...words, ...AGENT);
    expect(exitCode).toBe(3);
    expect(out).toMatch(/^before: 0 of 2 tests .*repair/m);
    expect(out).toMatch(/^iteration 2 .*, 2 of 3 tests pass \(\+1\), 2 files$/m);
    expect(out).toMatch(/0 of 2 tests.*2 of 3 tests/);
    expect((await pawl(tree, 'show')).out).toMatch(/^ {4}2 completed +\S+( \S+)? +2 of 3 tests pass \(\+1\) +2 files/m);
    expect((await pawl(tree, 'status')).out).toMatch(/^Iteration limit reached: 2 of 2 iterations/m);
    expect((await pawl(tree, 'show', '2')).out).toMatch(/2 of 3 tests pass\n +failing: "c"/);
  });

  it('without a goal repair after a red start, build after a green one, and say which in the first line on the tests', async () => {
    const tests = ['--tests', 'cat tap; ! grep -q "^not" tap'];
    const words = ['-p', 'Go.', '--delay', '0', ...tests, '--max-iterations', '4'];
    const start = (tap: string, agent: string) => {
      const tree = treeWith(agent);
      writeFileSync(join(tree, 'tap'), `1..1\n${tap}\n`);
      return tree;
    };
    const repair = await pawl(
      start('not ok 1 - a', `${ROUNDS}; printf '1..1\nok 1 - a\n' > tap`),
      'run',
      ...words,
      ...AGENT,
    );
    expect(repair.exitCode).toBe(0);
    expect(repair.out).toMatch(/^before: 0 of 1 tests pass; a task to repair/m);
    expect(repair.out).toMatch(/^Done after 1 iteration: /m);

    const works = `${ROUNDS}; echo "code $n" > code; [ $n -lt 3 ] || echo 'PAWL: DONE'`;
    const build = await pawl(start('ok 1 - a', works), 'run', ...words, ...AGENT);
    expect(build.exitCode).toBe(0);
    expect(build.out).toMatch(/^before: 1 of 1 tests pass; a task to build/m);
    expect(build.out).toMatch(/^Done after 3 iterations: .*the agent says it is done/m);

    const met = start('ok 1 - a', works);
    const done = await pawl(met, 'run', ...words, '--until', 'all_tests_pass', ...AGENT);
    expect(done.out).toMatch(/^Done: .*\(already met/m);
    expect(existsSync(join(met, 'n'))).toBe(false);

    const claimed = await pawl(start('ok 1 - a', "echo 'PAWL: DONE'"), 'run', ...words, ...AGENT);
    expect(claimed.exitCode).not.toBe(0);
    expect(claimed.out).not.toMatch(/^Done/m);
  });

  it('let no escape sequence of an agent reach the terminal, and cut long messages to two lines', async () => {
    const tree = treeWith(
      `printf '\\033]0;evil\\007\\033[2Jhello %s\\n' "$(yes word | head -n 100 | tr '\\n' ' ')"; touch DONE`,
    );
    const { out } = await pawl(tree, 'run', ...TO_DONE, ...AGENT);
    expect(out).not.toContain('\u001b');
    expect(out).toMatch(/\n {2}hello (word )+word\n {2}(word ?)+\w*…\niteration 1/);
    for (const line of out.split('\n').filter((each) => !each.includes(tree)))
      expect(line.length).toBeLessThanOrEqual(80);
    for (const words of [['show'], ['show', '1'], ['logs'], ['status'], ['list']] as const) {
      expect((await pawl(tree, ...words)).out).not.toContain('\u001b');
    }
  });

  it('a goal that holds already runs nothing', async () => {
    const tree = treeWith('touch ran');
    writeFileSync(join(tree, 'DONE'), '');
    const { exitCode, out } = await pawl(tree, 'run', ...TO_DONE, ...AGENT);
    expect({ exitCode, ran: existsSync(join(tree, 'ran')) }).toEqual({ exitCode: 0, ran: false });
    expect(out).toMatch(/^Done: DONE exists \(already met/m);
  });

  it('say what an agent spent, and what it was refused', async () => {
    const usage = '{"pawl":"usage","model":"claude-sonnet-4-5","input_tokens":12000,"output_tokens":3000}';
    const denied = '{"pawl":"permission-denied","tool":"Bash","detail":"rm -rf"}';
    const tree = treeWith(`echo '${usage}'; echo '${denied}'; touch DONE`);
    const { out } = await pawl(tree, 'run', ...TO_DONE, '--max-cost', '5', ...AGENT);
    expect(out).toContain('denied: Bash rm -rf');
    expect(out).toContain('$0.08 so far');
    expect(out).toMatch(/spent +\$0\.08, 15,000 tokens\n/);
    expect((await pawl(tree, 'list')).out).toMatch(/done +1 +\$0\.08/);
    expect(JSON.parse((await pawl(tree, 'status', '--json')).out)).toMatchObject({ spend: { costUsd: 0.081 } });
  });

  it('suggest the flag that raises the limit which ended the run, and where to use it', async () => {
    const tree = treeWith(ROUNDS);
    const { out } = await pawl(tree, 'run', ...TO_DONE, '--max-iterations', '2', '--quiet', ...AGENT);
    expect(out).toMatch(new RegExp(`pawl resume 01\\w{8} --max-iterations 4 --cwd ${tree}`));
    const resumed = await pawl(tree, 'resume', '--limit', 'max_iterations: 3', '--max-duration', '1h');
    expect(resumed.exitCode).toBe(3);
    expect(resumed.out).toMatch(/limits +after 1h of active time\n +after 3 iterations\n/);
    expect(await pawl(tree, 'resume', '--max-iterations', '3', '--max-iterations', '4')).toMatchObject({
      exitCode: 2,
      err: '--max-iterations: is given more than once\n',
    });
    for (const text of [' ', 'x'.repeat(9000), '<your answer>'])
      expect(await pawl(tree, 'resume', '--steer', text)).toMatchObject({
        exitCode: 2,
        err: expect.stringContaining('--steer'),
      });
  });

  it('refuse a resume with what has to be changed: a price, an accepted loss, the limit of the day', async () => {
    const usage = (more: string) => `echo '{"pawl":"usage","input_tokens":5,"output_tokens":5${more}}'`;
    const unpriced = treeWith(usage(',"model":"foo-1"'));
    const { out } = await pawl(unpriced, 'run', '-p', 'x', '--delay', '0', '--max-cost', '1', '--quiet', ...AGENT);
    expect(out.replace(/\s+/g, ' ')).toMatch(/price of foo-1.* prices: in pawl\.yaml/);
    expect(out).not.toContain('pawl resume');
    const priced = await pawl(unpriced, 'resume', '--max-cost', '9');
    expect(priced).toMatchObject({ exitCode: 2, err: expect.stringContaining('set the price under `prices:`') });
    const silent = treeWith('true');
    await pawl(silent, 'run', '-p', 'x', '--delay', '0', '--max-cost', '1', '--quiet', ...AGENT);
    expect((await pawl(silent, 'resume')).err).toContain('--max-cost 0 resumes without it');
    const free = await pawl(silent, 'resume', '--max-cost', '0', '--max-iterations', '3', '--quiet');
    expect(free).toMatchObject({ exitCode: 3, out: expect.stringMatching(/iterations +3/) });
  });

  it('say after the limit of a day which setting holds it, and refuse a resume that it would stop at once', async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    mkdirSync(join(home, 'pawl'));
    const config = join(home, 'pawl', 'config.yaml');
    writeFileSync(config, 'max_cost_per_day: 3\n');
    vi.stubEnv('XDG_CONFIG_HOME', home);
    vi.stubEnv('XDG_STATE_HOME', join(home, 'state'));
    try {
      const tree = treeWith(`echo '{"pawl":"usage","cost_usd":2,"input_tokens":1,"output_tokens":1}'`);
      const ended = await pawl(tree, 'run', '-p', 'x', '--delay', '0', '--quiet', ...AGENT);
      // A long path is broken where the line ends.
      expect(ended.out.replace(/\s+/g, '')).toMatch(new RegExp(`raisemax_cost_per_dayin${config},.*00:00UTC`));
      const refused = await pawl(tree, 'resume');
      expect(refused).toMatchObject({ exitCode: 2, out: '' });
      expect(refused.err).toMatch(new RegExp(`^max_cost_per_day: \\$4\\.00 of \\$3\\.00 .*${config},.* 00:00 UTC\\n$`));
      writeFileSync(config, 'max_cost_per_day: 5\n');
      expect((await pawl(tree, 'resume', '--quiet')).out).toContain('$6.00 of $5.00 today');
      writeFileSync(config, 'max_cost_per_day: 50\n');
      const silent = treeWith('true');
      const told = await pawl(silent, 'run', '-p', 'x', '--delay', '0', '--quiet', ...AGENT);
      const flag = "--limit 'max_cost_per_day: 50'";
      expect(told).toMatchObject({ exitCode: 5, out: expect.stringMatching(/agent.*no usage/) });
      expect(await pawl(silent, 'resume')).toMatchObject({ exitCode: 2, err: expect.stringContaining(flag) });
      const accepted = await pawl(silent, 'resume', '--quiet', '--limit', 'max_cost_per_day: 50');
      expect(accepted.out).toMatch(/^ {2}iterations +2$/m);
    } finally {
      vi.stubEnv('XDG_CONFIG_HOME', join(folder, 'nothing'));
      vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
    }
  });

  it('find a run by the beginning of its id, and tell an iteration from a run', async () => {
    const tree = treeWith(`${ROUNDS}; touch DONE`);
    await pawl(tree, 'run', ...TO_DONE, ...AGENT);
    const [{ runId }] = JSON.parse((await pawl(tree, 'list', '--json')).out);
    for (const name of [runId, runId.slice(5, 15), runId.slice(5, 12).toLowerCase()]) {
      expect((await pawl(tree, 'status', name)).out).toContain(runId);
    }
    expect((await pawl(tree, 'show', '1')).out).toMatch(/^iteration 1 completed/);
    expect(await pawl(tree, 'show', '2')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(new RegExp(`^${runId} has no iteration 2.* 1 iteration`)),
    });
    expect(await pawl(tree, 'show', 'x', 'y')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/^"y" is not an iteration; write a number from 1\n$/),
    });
    expect(await pawl(tree, 'logs', '--iteration', '0')).toMatchObject({ exitCode: 2 });
    expect(await pawl(tree, 'status', 'zzz')).toMatchObject({ exitCode: 2, out: '' });
  });

  it('a folder without runs is no mistake to list, but there is nothing to show', async () => {
    const tree = treeWith('true');
    expect(await pawl(tree, 'list')).toMatchObject({ exitCode: 0, out: expect.stringContaining('No runs in') });
    expect(await pawl(tree, 'list', '--json')).toMatchObject({ exitCode: 0, out: '[]\n' });
    for (const name of ['status', 'show', 'logs', 'resume']) {
      expect(await pawl(tree, name)).toMatchObject({ exitCode: 2, err: expect.stringContaining('there is no run in') });
    }
    expect(await pawl(join(tree, 'gone'), 'list')).toMatchObject({ exitCode: 2 });
    expect(existsSync(join(tree, '.ralph'))).toBe(false);
  });

  it('a torn or damaged journal is shown as far as it goes, with what is wrong', async () => {
    const tree = treeWith(`${ROUNDS}; [ $n = 2 ] && touch DONE; true`);
    await pawl(tree, 'run', ...TO_DONE, ...AGENT);
    const [run] = JSON.parse((await pawl(tree, 'list', '--json')).out);
    const journal = join(run.folder, 'journal.jsonl');
    appendFileSync(journal, '{"torn":\n');
    const torn = await pawl(tree, 'show');
    expect(torn).toMatchObject({ exitCode: 0, out: expect.stringMatching(/^Done .*DONE exists/m) });
    expect(torn.err).toContain('is torn');

    const lines = readFileSync(journal, 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"type":"iteration-ended"')) + 1;
    writeFileSync(journal, lines.with(at, 'garbage').join('\n'));
    for (const words of [['show'], ['logs'], ['status'], ['show', '1'], ['show', '2']] as const) {
      const damaged = await pawl(tree, ...words);
      expect(damaged).toMatchObject({ exitCode: 1, err: expect.stringContaining(`journal.jsonl:${at + 1}`) });
    }
    expect((await pawl(tree, 'logs')).out).toContain('round 1');
    expect((await pawl(tree, 'show')).out).toMatch(/^ {4}1 completed/m);
    expect(await pawl(tree, 'list')).toMatchObject({ exitCode: 0, out: expect.stringContaining('done') });
  });

  it('a verdict that the facts do not give is shown', async () => {
    const tree = treeWith(`${ROUNDS}; touch DONE`);
    await pawl(tree, 'run', ...TO_DONE, ...AGENT);
    expect((await pawl(tree, 'show')).out).not.toContain('verdict');
    const [run] = JSON.parse((await pawl(tree, 'list', '--json')).out);
    const journal = join(run.folder, 'journal.jsonl');
    writeFileSync(journal, readFileSync(journal, 'utf8').split('\n').map(withAnotherVerdict).join('\n'));
    expect((await pawl(tree, 'show')).out).toMatch(/record.*verdict.*facts/);
    expect((await pawl(tree, 'show', '1')).out).toContain('recorded: stop: it is Sunday');
    expect(JSON.parse((await pawl(tree, 'show', '1', '--json')).out).recomputed.reasons).toMatchObject([
      { message: 'DONE exists' },
    ]);
  });
});
