import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { LoopRunner } from '../run/run-handle.js';
import { resumeRun } from '../run/resume-run.js';
import { AGENTS, AttackedRun } from '../../test/support/attacked-run.js';
import { ToolTrace } from './run-iteration.js';

const runs: AttackedRun[] = [];
afterAll(() => {
  for (const run of runs) run.remove();
});

function scratch(): AttackedRun {
  const run = new AttackedRun();
  runs.push(run);
  return run;
}

interface Call {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly prompt: string;
}

describe.concurrent('one iteration', () => {
  it('[c40] has a complete lifecycle: number, prompt, times, status, result, metadata', async () => {
    const run = scratch();
    const runner = run.prepare(['runs', 'echo "I am done"'], { prompt: 'iteration {{iteration}}', maxIterations: 2 });
    const during: unknown[] = [];
    runner.subscribe(({ type }) => {
      if (type === 'agent-spawned') during.push(runner.history.get(1));
    });
    await run.finish();
    expect(await during[0]).toMatchObject({ number: 1, status: 'executing', result: undefined, endedAt: undefined });
    const iteration = await runner.history.get(2);
    expect(iteration).toMatchObject({
      number: 2,
      try: 1,
      status: 'completed',
      prompt: expect.stringContaining('iteration 2'),
      result: { exitCode: 0, summary: 'I am done' },
      metadata: { cookie: `${runner.id}.2.1`, cause: 'exit' },
    });
    const { startedAt, endedAt, result } = iteration ?? { startedAt: '' };
    expect(Date.parse(endedAt ?? '') - Date.parse(startedAt)).toBeGreaterThanOrEqual(0);
    expect(result?.durationMs).toBeGreaterThanOrEqual(0);
  });

  it('[c42] calls a command with its arguments, model, environment and session, and the prompt on its input', async () => {
    const run = scratch();
    const agent = {
      name: 'command',
      command: [join(AGENTS, 'shows-call'), 'first word', '$HOME'],
      args: ['--extra', '', 'two\nlines'],
      model: 'some-model',
      env: { GREETING: 'good day' },
    };
    await run.run(['shows-call'], { agent, prompt: 'do it', maxIterations: 2 });
    const calls = run.of('agent-said').map(({ text }) => JSON.parse(text) as Call);
    expect(calls).toHaveLength(2);
    expect(calls[0]).toMatchObject({
      args: ['first word', '$HOME', '--extra', '', 'two\nlines'],
      env: { PAWL_MODEL: 'some-model', GREETING: 'good day', PAWL_COOKIE: `${run.runner.id}.1.1` },
      prompt: expect.stringMatching(/^do it\n/),
    });
    expect(calls[0]?.env['PAWL_SESSION']).toBeUndefined();
    expect(calls[1]?.env['PAWL_SESSION']).toBe('conversation 1');
  });

  it.each([
    ['edit', ['--permission-mode', 'dontAsk', '--allowedTools', 'Read(./**)', 'Edit(./**)', 'Bash(npm test:*)']],
    ['bypass', ['--dangerously-skip-permissions']],
    ['agent', []],
  ] as const)('[c42] calls claude with permissions: %s', async (permissions, expected) => {
    const run = scratch();
    const environment = {
      ...run.environment,
      PATH: `${join(AGENTS, 'path')}${delimiter}${process.env['PATH']}`,
      CLAUDECODE: '1',
    };
    const runner = new LoopRunner(
      {
        workingDir: run.workingDir,
        prompt: 'do it',
        agent: {
          name: 'claude',
          model: 'sonnet',
          permissions,
          allow: ['npm test'],
          args: ['--effort', 'high'],
          env: { GREETING: 'hi' },
        },
        maxIterations: 2,
        iterationDelay: 0,
        trackFileChanges: false,
        stop: { limits: [{ max_cost: 1 }] },
      },
      { environment },
    );
    await runner.run();
    const calls = readFileSync(join(run.home, 'calls'), 'utf8').trim().split('\n');
    const [first, second] = calls.map((line) => JSON.parse(line) as Call);
    expect(first?.args).toEqual([
      '-p',
      ...expected,
      '--output-format',
      'stream-json',
      '--verbose',
      '--include-partial-messages',
      '--model',
      'sonnet',
      '--max-budget-usd',
      '1.00',
      '--effort',
      'high',
    ]);
    expect(first?.prompt).toMatch(/^do it\n/);
    expect(first?.env).toMatchObject({ GREETING: 'hi', PAWL_COOKIE: `${runner.id}.1.1` });
    expect(first?.env['CLAUDECODE']).toBeUndefined();
    expect(second?.args.join(' ')).toContain('--resume 0b9b3f0e-1111-4222-8333-444444444444');
    expect(await runner.history.get(1)).toMatchObject({ status: 'completed', result: { summary: 'I did it' } });
  });

  it('[c43] captures the beginning and the end of its output, and its standard error', async () => {
    const run = scratch();
    await run.run(['runs', 'echo first; seq 100000; echo last; echo "a warning" >&2']);
    const result = (await run.runner.history.get(1))?.result;
    expect(result?.outputHead).toMatch(/^first\n1\n2\n/);
    expect(result?.outputTail).toMatch(/\n99999\n100000\nlast$/);
    expect(result?.outputBytes).toBe(588_895 + 'first\nlast\n'.length);
    expect(result?.stderrTail).toBe('a warning\n');
    const raw = readFileSync(join(run.runFolder, 'iterations', '0001', 'stdout.log'), 'utf8');
    expect(raw.split('\n')).toHaveLength(100_003);
  });

  it('[c43] parses what it says: messages, tools, tests, usage, context, session, summary', async () => {
    const run = scratch();
    await run.run([
      'prints',
      '{"pawl":"session","id":"s1"}',
      '{"pawl":"text","text":"I begin"}',
      '{"pawl":"tool-call","id":"t","name":"test","input":{"all":true}}',
      String.raw`{"pawl":"tool-result","id":"t","output":"TAP version 13\nok 1 - adds\nnot ok 2 - divides\n1..2\n"}`,
      '{"pawl":"usage","id":"r","input_tokens":900,"output_tokens":100,"cost_usd":0.02}',
      '{"pawl":"context","used_tokens":50000,"window_tokens":200000}',
      String.raw`{"pawl":"result","outcome":"success","text":"Words.\n## Summary\nI divided by zero."}`,
    ]);
    expect(run.of('session-opened')).toMatchObject([{ session: 's1' }]);
    expect(run.of('agent-said')).toMatchObject([{ text: 'I begin' }]);
    expect(run.of('tool-called')).toMatchObject([{ name: 'test', input: '{"all":true}' }]);
    expect(run.of('usage-reported')).toMatchObject([{ spend: { totalTokens: 1000, costUsd: 0.02 } }]);
    expect((await run.runner.history.get(1))?.result).toMatchObject({
      summary: 'I divided by zero.',
      contextPercent: 25,
      tests: {
        source: 'agent',
        passed: 1,
        failed: 1,
        details: [{ name: 'adds' }, { name: 'divides', status: 'failed' }],
      },
    });
  });

  it.each([
    ['a new file', 'echo x > new', true],
    ['other content', 'echo x >> kept', true],
    ['nothing', 'true', false],
    ['a touched file', 'touch kept', false],
    ['a file written with what was in it', 'cp kept copy; cat copy > kept; rm copy', false],
    ['an ignored file', 'echo x > ignored', false],
    ['more tests that pass', 'echo x >> ignored-tests', true],
  ])('[c44] sees whether %s is progress', async (_, script, expected) => {
    const run = scratch();
    writeFileSync(join(run.workingDir, '.gitignore'), 'ignored*\n');
    writeFileSync(join(run.workingDir, 'ignored-tests'), 'x\n');
    run.initRepository();
    const tests = 'n=$(wc -l < ignored-tests); for i in $(seq $n); do echo "ok $i - t$i"; done; echo 1..$n';
    await run.run(['runs', script], { trackFileChanges: true, tests, stop: { atLeast: 1 } });
    expect(run.runner.history.last(1)[0]?.madeProgress).toBe(expected);
    expect(run.runner.stats().noProgressCount).toBe(expected ? 0 : 1);
  });

  it('[c46] aggregates a result of everything that was seen', async () => {
    const run = scratch();
    run.initRepository();
    const script = 'echo "out"; echo "err" >&2; echo x > new; echo y > kept; exit 7';
    await run.run(['runs', script], {
      trackFileChanges: true,
      tests: 'echo "ok 1 - a"; echo "not ok 2 - b"; echo 1..2; exit 1',
    });
    const { status, result } = (await run.runner.history.get(1)) ?? {};
    expect(status).toBe('failed');
    expect(result).toMatchObject({
      exitCode: 7,
      error: 'err',
      outputHead: 'out\n',
      stderrTail: 'err\n',
      files: { created: ['new'], modified: ['kept'], deleted: [], changedFiles: 2 },
      tests: { source: 'harness', total: 2, passed: 1, failed: 1, skipped: 0 },
      summary: 'out',
    });
    expect(run.runner.history.summary()).toMatchObject({
      totalIterations: 1,
      failedIterations: 1,
      totalFilesCreated: 1,
      totalFilesModified: 1,
      totalTestsRun: 2,
      totalTestsPassed: 1,
      totalTestsFailed: 1,
    });
  });

  it('[c47] [c49] is ended when it takes too long, and is recorded as timed out', async () => {
    const run = scratch();
    await run.run(['chatters'], { iterationTimeout: '1s' });
    expect(await run.runner.history.get(1)).toMatchObject({
      status: 'timed-out',
      result: { error: expect.stringMatching(/iteration .*1s$/), signal: 'SIGTERM' },
      metadata: { cause: 'timeout' },
    });
    expect(run.runner.history.failureStreak()).toBe(1);
    expect(run.runner.history.summary().timedOutIterations).toBe(1);
  });

  it('[c48] executes a program in the working directory and captures its output', async () => {
    const run = scratch();
    await run.run(['runs', 'pwd; echo made > made']);
    expect((await run.runner.history.get(1))?.result?.outputHead).toBe(`${run.workingDir}\n`);
    expect(readFileSync(join(run.workingDir, 'made'), 'utf8')).toBe('made\n');
  });

  it.each([true, false])('[c50] detects changed files accurately (in a repository: %s)', async (isRepository) => {
    const run = scratch();
    const at = (path: string) => join(run.workingDir, path);
    mkdirSync(at('folder'));
    for (const name of ['same', 'changed', 'gone', 'touched', 'folder/deep', 'same size', 'bin'])
      writeFileSync(at(name), 'old\n');
    if (isRepository) run.initRepository();
    else writeFileSync(at('kept'), '');
    appendFileSync(at('same'), 'dirty before the run\n');
    utimesSync(at('same size'), new Date(0), new Date(0));
    const script = [
      'echo more >> changed; rm gone; touch touched; echo new > "näme with spaces"; mkdir d; echo new > d/nested',
      'echo more >> folder/deep; echo new > "same size"; head -c 5000 /dev/urandom > bin; mkdir empty',
    ].join('; ');
    await run.run(['runs', script], { trackFileChanges: true });
    const files = (await run.runner.history.get(1))?.result?.files;
    expect({
      created: files?.created.toSorted(),
      modified: files?.modified.toSorted(),
      deleted: files?.deleted,
    }).toEqual({
      created: ['d/nested', 'näme with spaces'],
      modified: ['bin', 'changed', 'folder/deep', 'same size'],
      deleted: ['gone'],
    });
    expect(files?.changedFiles).toBe(7);
  });

  it('[c54] is found again in the record: a run that is opened anew has the same history', async () => {
    const run = scratch();
    run.initRepository();
    const script = 'echo "n$RANDOM" >> file; echo "said it"; exit $(( $(wc -l < file) == 2 ))';
    await run.run(['runs', script], { maxIterations: 3, trackFileChanges: true, prompt: 'go {{iteration}}' });
    const { history } = run.runner;
    const reopened = await resumeRun({ workingDir: run.workingDir, environment: run.environment });
    expect(reopened.id).toBe(run.runner.id);
    expect(reopened.history.last(10)).toEqual(history.last(10));
    expect(reopened.history.summary()).toEqual(history.summary());
    expect(reopened.history.failureStreak()).toBe(history.failureStreak());
    const every = () => true;
    expect(await reopened.history.filter(every)).toEqual(await history.filter(every));
    expect((await reopened.history.filter(every)).map(({ status }) => status)).toEqual([
      'completed',
      'failed',
      'completed',
    ]);
    expect((await reopened.history.get(3))?.prompt).toContain('go 3');
  });
});

const write = (path: string, content: string) => ({
  kind: 'tool-call' as const,
  id: 'w',
  name: 'Write',
  input: JSON.stringify({ file_path: path, content }),
});

function traceOf(...events: Parameters<ToolTrace['add']>[0][]) {
  const trace = new ToolTrace('/home/me/app', (text) => text.replaceAll('hunter2', '[KEY]'));
  for (const event of events) trace.add(event);
  return trace.observed;
}

const called = (command: string) => ({
  kind: 'tool-call' as const,
  id: command,
  name: 'Bash',
  input: JSON.stringify({ command }),
});
const failed = (command: string, output: string, more = {}) => ({
  kind: 'tool-result' as const,
  id: command,
  failed: true,
  output,
  ...more,
});

describe('what the tools of an agent did', () => {
  it('names a failing call the same way when only times differ, and not when a figure gets better', () => {
    const one = traceOf(called('make db'), failed('make db', 'connection refused at 10:00:01 after 12 ms'));
    const other = traceOf(called('make db'), failed('make db', 'connection refused at 11:22:33 after 340 ms'));
    expect(one.toolFailures).toHaveLength(1);
    expect(other.toolFailures?.[0]?.digest).toBe(one.toolFailures?.[0]?.digest);
    const lint = (errors: number) =>
      traceOf(called('lint'), failed('lint', `lint: ${errors} errors left`)).toolFailures?.[0]?.digest;
    expect(lint(280)).not.toBe(lint(260));
    const moved = traceOf(called('make db'), failed('make db', 'table users is missing'));
    expect(moved.toolFailures?.[0]?.digest).not.toBe(one.toolFailures?.[0]?.digest);
  });

  it('leaves out denials and what succeeded, and keeps no secret', () => {
    expect(
      traceOf(called('a'), failed('a', 'no', { denied: true }), called('b'), { ...failed('b', 'ok'), failed: false })
        .toolFailures,
    ).toBeUndefined();
    expect(traceOf(called('a'), failed('a', 'token hunter2 is refused')).toolFailures).toMatchObject([
      { text: 'token [KEY] is refused' },
    ]);
  });

  it.each([
    [
      'Exit code 127\n/bin/bash: line 1: terraform: command not found',
      '/bin/bash: line 1: terraform: command not found',
    ],
    ['npm warn deprecated glob@7\n\nnpm error code E401\nnpm error Unable to authenticate', 'npm error code E401'],
    [
      'Exit code 1\nUploading 3 files\nfatal error: Unable to locate credentials',
      'fatal error: Unable to locate credentials',
    ],
    ['Exit code 1\n3 of 9 pages differ', '3 of 9 pages differ'],
    ['Exit code 1', 'Exit code 1'],
    ['', 'Bash {"command":"a"}'],
  ])('is quoted with the line that says what is wrong: %j', (output, text) => {
    expect(traceOf(called('a'), failed('a', output)).toolFailures).toMatchObject([{ text }]);
  });

  it('takes figures that vary by chance for the same, by their first three digits, but not a count', () => {
    const printed = (output: string) =>
      traceOf(called('zig build bench'), { ...failed('zig build bench', output), failed: false }).commandResults;
    const one = printed('103.11 ns/op, 0.4312 of 4,101 bytes');
    expect(printed('103.94 ns/op, 0.4318 of 4,109 bytes')).toEqual(one);
    expect(printed('103.9 ns/op, 0.431 of 4,109 bytes')).toEqual(one);
    for (const other of [
      '104.11 ns/op, 0.4312 of 4,101 bytes',
      '103.11 ns/op, 0.4322 of 4,101 bytes',
      '103.11 ns/op, 0.4312 of 4,111 bytes',
      '103.11 ns/op, 0.4312 of 41,010 bytes',
    ]) {
      expect(printed(other), other).not.toEqual(one);
    }
    expect(printed('412 errors')).not.toEqual(printed('411 errors'));
    expect(printed('4120 errors')).toEqual(printed('4129 errors'));
  });

  it('names what a command printed last, apart from times, and leaves out those that only show files', () => {
    const ran = (command: string, output: string) => [called(command), { ...failed(command, output), failed: false }];
    const one = traceOf(...ran('npm run bench', '12 of 100 in 340 ms')).commandResults;
    expect(one).toHaveLength(1);
    expect(traceOf(...ran('npm run bench', '12 of 100 in 12 ms')).commandResults).toEqual(one);
    const other = traceOf(...ran('npm run bench', '13 of 100')).commandResults;
    expect(other?.[0]?.split(':')[0]).toBe(one?.[0]?.split(':')[0]);
    expect(other).not.toEqual(one);
    expect(
      traceOf(...ran('npm run bench', '12 of 100 in 1 s'), ...ran('npm run bench', '13 of 100')).commandResults,
    ).toEqual(other);
    for (const command of ['cat a.css', 'cd web && git diff | head -20', 'ls -la; wc -c page.html']) {
      expect(traceOf(...ran(command, 'text')).commandResults).toBeUndefined();
    }
    expect(traceOf(...ran('make -s', '')).commandResults).toBeUndefined();
    expect(traceOf(...ran('cat data | python3 fit.py', 'x0=1')).commandResults).toHaveLength(1);
    const codex = JSON.stringify({ command: ['bash', '-lc', 'pytest -q'] });
    const call = { kind: 'tool-call' as const, id: 'c', name: 'shell', input: codex };
    expect(traceOf(call, { ...failed('c', '3 passed'), failed: false }).commandResults).toHaveLength(1);
  });

  it('is bounded for an agent whose every call fails', () => {
    const events = Array.from({ length: 1000 }, (_, index) => {
      const command = `try ${'abcdefghij'[index % 10]}${'abcdefghij'[Math.floor(index / 10) % 10]}`;
      return [called(command), failed(command, `error of ${command}`)];
    }).flat();
    expect(traceOf(...events).toolFailures).toHaveLength(20);
    expect(traceOf(...events.map((event) => ({ ...event, failed: false }))).commandResults).toHaveLength(20);
  });

  it('recognises what is written outside of the folder, and not what is inside, in a temporary folder or a note', () => {
    expect(traceOf(write('/home/me/library/parts.ts', 'export const a = 1;')).outsideLines).toHaveLength(1);
    expect(traceOf(write('../library/parts.ts', 'a\nb')).outsideLines).toHaveLength(2);
    for (const path of ['src/a.ts', '/home/me/app/src/a.ts', '/tmp/scratch.ts', '/home/me/notes.md'])
      expect(traceOf(write(path, 'a')).outsideLines).toBeUndefined();
  });

  const call = (name: string, input: object) => ({ kind: 'tool-call' as const, name, input: JSON.stringify(input) });

  it.each([
    ['Write', { file_path: 'src/a.ts' }],
    ['MultiEdit', { file_path: 'src/a.ts' }],
    ['apply_patch', {}],
    ['mcp__files__write_file', {}],
    ['files.edit_file', {}],
    ['str_replace_editor', { command: 'str_replace', path: 'a.ts', new_str: 'b' }],
  ])('recognises a tool that writes a file: %s', (name, input) => {
    expect(traceOf(call(name, input)).wroteFiles).toBe(true);
  });

  it.each([
    ['Read', { file_path: 'src/a.ts' }],
    ['TodoWrite', { todos: [{ content: 'add div' }] }],
    ['str_replace_editor', { command: 'view', path: 'a.ts' }],
    ['Bash', { command: 'npm test' }],
  ])('takes no other tool for one that writes: %s', (name, input) => {
    expect(traceOf(call(name, input)).wroteFiles).toBeUndefined();
  });
});
