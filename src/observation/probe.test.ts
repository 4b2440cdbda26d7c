import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StopCondition } from '../model/condition.js';
import type { ProbeResult } from '../model/observation.js';
import { processesWithCookie } from '../process/process-table.js';
import { observeProbe } from './probe.js';
import type { FunctionSetting } from './probe-function.js';
import { runCommand } from './run-command.js';

let base: string;
let workingDir: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'pawl-probe-'));
  workingDir = join(base, 'work');
  mkdirSync(workingDir);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function write(path: string, content: string | Buffer, mode = 0o644): void {
  const file = join(workingDir, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}

interface Setting extends FunctionSetting {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

async function probe(condition: StopCondition, setting: Setting = {}): Promise<ProbeResult> {
  const cookie = randomUUID();
  const result = await observeProbe(condition, { workingDir, environment: process.env, cookie, ...setting });
  expect(processesWithCookie(cookie)).toEqual([]);
  return result;
}

const created = (path: string) => probe({ type: 'file_created', path });
const contains = (path: string, content: string, setting?: Setting) =>
  probe({ type: 'file_contains', path, content }, setting);

async function shell(command: string): Promise<void> {
  const harness = { workingDir, environment: process.env, cookie: randomUUID() };
  expect(await runCommand({ shell: command }, { timeoutMs: 20_000 }, harness)).toMatchObject({ exitCode: 0 });
}

describe('a file that should be there', () => {
  it('is seen when it is made, and when it goes', async () => {
    expect(await created('a/DONE.md')).toEqual({ met: false, detail: 'a/DONE.md does not exist' });
    write('a/DONE.md', '');
    expect(await created('a/DONE.md')).toEqual({ met: true, detail: 'a/DONE.md exists' });
    rmSync(join(workingDir, 'a'), { recursive: true });
    expect(await created('a/DONE.md')).toMatchObject({ met: false });
  });

  it('may be named by its full path, also through a link to the working directory', async () => {
    write('DONE.md', '');
    expect(await created(join(workingDir, 'DONE.md'))).toMatchObject({ met: true });
    const linked = join(base, 'linked');
    symlinkSync(workingDir, linked);
    const setting = { workingDir: linked, environment: {}, cookie: randomUUID() };
    for (const path of ['DONE.md', join(linked, 'DONE.md'), join(workingDir, 'DONE.md')])
      expect(await observeProbe({ type: 'file_created', path }, setting)).toMatchObject({ met: true });
  });

  it('may be a link to another file of the working directory, or below a link to one of its folders', async () => {
    write('real/file', 'text');
    symlinkSync('real/file', join(workingDir, 'link'));
    symlinkSync('real', join(workingDir, 'folder'));
    expect(await created('link')).toMatchObject({ met: true });
    expect(await contains('folder/file', 'text')).toMatchObject({ met: true });
  });

  it('is not below a file', async () => {
    write('file', '');
    expect(await created('file/below')).toMatchObject({ met: false });
  });
});

describe('a path that is outside the working directory is refused', () => {
  it.each([
    ['upwards', '../secret'],
    ['upwards from below', 'a/../../secret'],
    ['to a folder whose name begins the same', '../work-too/secret'],
    ['an absolute path', '/etc/passwd'],
    ['a link', 'link'],
    ['a link to a folder', 'up/secret'],
    ['a link to a device', 'zero'],
  ])('%s', async (_, path) => {
    writeFileSync(join(base, 'secret'), 'root:');
    mkdirSync(join(base, 'work-too'));
    writeFileSync(join(base, 'work-too', 'secret'), 'root:');
    symlinkSync('/etc/passwd', join(workingDir, 'link'));
    symlinkSync(base, join(workingDir, 'up'));
    symlinkSync('/dev/zero', join(workingDir, 'zero'));
    const refused = { detail: `${path} is outside the working directory` };
    expect(await created(path)).toEqual(refused);
    expect(await contains(path, 'root:')).toEqual(refused);
  });
});

describe('what is no file does not hang', () => {
  it('a pipe that nobody writes to, a folder', async () => {
    await shell('mkfifo pipe; mkdir folder');
    expect(await created('pipe')).toEqual({ met: false, detail: expect.stringContaining('is a pipe') });
    expect(await contains('pipe', 'x')).toEqual({ met: false, detail: expect.stringContaining('is a pipe') });
    expect(await contains('folder', 'x')).toEqual({ met: false, detail: expect.stringContaining('is a folder') });
    expect(await created('.')).toMatchObject({ met: false });
  });

  it('links in a circle, a link to nowhere, a name that is too long', async () => {
    symlinkSync('b', join(workingDir, 'a'));
    symlinkSync('a', join(workingDir, 'b'));
    symlinkSync('nowhere', join(workingDir, 'dangling'));
    expect((await contains('a', 'x')).met).toBeUndefined();
    expect((await created('a')).detail).toContain('ELOOP');
    expect(await created('dangling')).toMatchObject({ met: false });
    expect((await created('x'.repeat(5000))).met).toBeUndefined();
  });

  it('a working directory that is gone is unknown', async () => {
    rmSync(workingDir, { recursive: true });
    expect((await created('DONE.md')).met).toBeUndefined();
  });

  it('a file that is exchanged all the time for a link to a secret gives nothing away', async () => {
    writeFileSync(join(base, 'secret'), 'the secret');
    write('plain', 'nothing');
    symlinkSync(join(base, 'secret'), join(workingDir, 'trap'));
    symlinkSync(base, join(workingDir, 'folder-trap'));
    write('folder/secret', 'nothing');
    const over = new AbortController();
    const swap = async () => {
      while (!over.signal.aborted) {
        // oxlint-disable-next-line no-await-in-loop -- back and forth
        await Promise.all([exchange('plain', 'trap'), exchange('folder', 'folder-trap')]);
      }
    };
    const exchange = async (one: string, other: string) => {
      const at = (name: string) => join(workingDir, name);
      await rename(at(one), at(`${one}-kept`));
      await rename(at(other), at(one));
      await rename(at(one), at(other));
      await rename(at(`${one}-kept`), at(one));
    };
    const swapping = swap();
    const results: ProbeResult[] = [];
    for (let round = 0; round < 100; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      results.push(await contains('plain', 'the secret'), await contains('folder/secret', 'the secret'));
    }
    over.abort();
    await swapping;
    expect(results.filter((result) => result.met === true)).toEqual([]);
  });
});

describe('a text in a file', () => {
  it('is found as it is written, at the beginning, in the midst and at the end', async () => {
    write('notes.md', 'first\nsecond: päwl 🦊\nlast');
    expect(await contains('notes.md', 'first')).toEqual({ met: true, detail: 'notes.md contains "first"' });
    expect(await contains('notes.md', 'second: päwl 🦊\nl')).toMatchObject({ met: true });
    expect(await contains('notes.md', 'last')).toMatchObject({ met: true });
    expect(await contains('notes.md', 'Last')).toEqual({ met: false, detail: 'notes.md does not contain "Last"' });
    expect(await contains('missing.md', 'x')).toEqual({ met: false, detail: 'missing.md does not exist' });
    write('empty', '');
    expect(await contains('empty', 'x')).toMatchObject({ met: false });
  });

  it('is found across the border of two pieces, wherever it lies', async () => {
    const needle = 'needle in the hay';
    for (let shift = 0; shift <= needle.length; shift++) {
      const content = Buffer.alloc(256 * 1024 * 2 + 1000, 'h');
      content.write(needle, 256 * 1024 - shift);
      write('hay', content);
      // oxlint-disable-next-line no-await-in-loop -- one file
      expect(await contains('hay', needle)).toMatchObject({ met: true });
    }
    expect(await contains('hay', 'needle in the haystack')).toMatchObject({ met: false });
  });

  it('that is longer than a piece is found', async () => {
    const long = 'x'.repeat(700_000);
    write('long', `a${long}b`);
    expect(await contains('long', `${long}b`)).toMatchObject({ met: true });
    expect(await contains('long', `${long}xb`)).toMatchObject({ met: false });
  });

  it('behind the first 64 MB of a huge file is unknown, and the file is not read further', async () => {
    write('huge', 'begin');
    truncateSync(join(workingDir, 'huge'), 1024 ** 4);
    expect(await contains('huge', 'begin')).toMatchObject({ met: true });
    expect(await contains('huge', 'end')).toEqual({ detail: expect.stringMatching(/"end" .*64 MB of huge/) });
    const stopped = await contains('huge', 'end', { signal: AbortSignal.abort() });
    expect(stopped).toEqual({ detail: expect.stringMatching(/huge .*interrupted/) });
  });
});

describe('a script', () => {
  const script = (more: { script: string; args?: string[]; timeout?: string }, setting?: Setting) =>
    probe({ type: 'custom_script', ...more }, setting);
  const program = (text: string) => `#!/bin/sh\n${text}\n`;

  it('[c16] executes, its exit code is the answer and its first line the reason', async () => {
    write('check.sh', program('echo; echo "  3 of 4 done"; echo more; exit $1'), 0o755);
    expect(await script({ script: './check.sh', args: ['0'] })).toEqual({ met: true, detail: '3 of 4 done' });
    expect(await script({ script: 'check.sh', args: ['1'] })).toEqual({ met: false, detail: '3 of 4 done' });
    write('quiet.sh', program('exit 4'), 0o755);
    expect(await script({ script: 'quiet.sh' })).toEqual({ met: false, detail: 'the script quiet.sh exits with 4' });
  });

  it('runs in the working directory, with its arguments as they are', async () => {
    write('bin/show.sh', program('printf "%s|" "$PWD" "$@"'), 0o755);
    const { detail } = await script({ script: 'bin/show.sh', args: ['$(id)', 'a b', '', ';', '*'] });
    expect(detail).toBe(`${workingDir}|$(id)|a b||;|*|`);
  });

  it('may lie outside, and a file of the tree takes no place of a program on PATH', async () => {
    writeFileSync(join(base, 'outside.sh'), program('echo outside'), { mode: 0o755 });
    expect(await script({ script: '../outside.sh' })).toEqual({ met: true, detail: 'outside' });
    write('outside.sh', program('echo inside'), 0o755);
    const environment = { PATH: [base, process.env['PATH']].join(delimiter) };
    expect(await script({ script: 'outside.sh' }, { environment })).toMatchObject({ detail: 'outside' });
    expect(await script({ script: 'outside.sh' })).toMatchObject({ detail: 'inside' });
  });

  it('has a short reason without colours', async () => {
    write('long.sh', program(String.raw`printf '\033[31m%0900d\033[0m\n' 7`), 0o755);
    expect((await script({ script: 'long.sh' })).detail).toBe('0'.repeat(200));
  });

  it.each([
    ['is missing', 'missing.sh', 'is not there'],
    ['is not executable', 'plain.sh', 'chmod +x plain.sh'],
    ['is a folder', 'folder', 'not a file'],
    ['has an interpreter that is not there', 'odd.sh', 'its interpreter /no/such/shell is not there'],
    ['runs a program that is not there', 'broken.sh', 'no-such-program'],
    ['kills itself', 'killed.sh', 'SIGKILL'],
  ])('that %s has not answered, and says why', async (_, name, why) => {
    mkdirSync(join(workingDir, 'folder'));
    write('plain.sh', program('exit 0'));
    write('odd.sh', '#!/no/such/shell\n', 0o755);
    write('broken.sh', program('no-such-program'), 0o755);
    write('killed.sh', program('kill -9 $$'), 0o755);
    const { met, detail } = await script({ script: name });
    expect(met).toBeUndefined();
    expect(detail).toContain(`the script ${name} `);
    expect(detail).toContain(why);
  });

  it('that hangs is killed with its children and has not answered', async () => {
    write('hang.sh', program('setsid sleep 600 & sleep 600'), 0o755);
    expect(await script({ script: 'hang.sh', timeout: '500ms' })).toEqual({
      detail: expect.stringMatching(/script hang\.sh .*500ms/),
    });
    const stopped = await script({ script: 'hang.sh' }, { signal: AbortSignal.timeout(300) });
    expect(stopped).toEqual({ detail: 'the script hang.sh was interrupted' });
  });
});

describe('a function', () => {
  const call = (setting: Setting, name = 'isDone') => probe({ type: 'function', name }, setting);
  const answering = (answer: unknown) => ({ functions: { isDone: () => answer as boolean } });

  it('answers at once or later, with a reason or without', async () => {
    expect(await call({ functions: { isDone: () => true } })).toEqual({
      met: true,
      detail: 'the function isDone says yes',
    });
    expect(await call({ functions: { isDone: async () => false } })).toMatchObject({ met: false });
    expect(await call(answering({ met: false, reason: 'two left' }))).toEqual({ met: false, detail: 'two left' });
    expect(await call(answering({ met: true }))).toMatchObject({ met: true, detail: 'the function isDone says yes' });
  });

  it('gets what the caller handed in', async () => {
    const functions = { isDone: (context: unknown) => context === 42 };
    expect(await call({ functions, context: 42 })).toMatchObject({ met: true });
  });

  it.each([undefined, null, 1, 'yes', {}, { met: 'yes' }, [true]])(
    'that answers %j has not answered',
    async (answer) => {
      expect(await call(answering(answer))).toEqual({
        detail: expect.stringMatching(/function isDone .*neither true nor false/),
      });
    },
  );

  it('that fails has not answered, whatever it throws', async () => {
    const thrown = [new Error('out of tea'), 'out of tea', Object.create(null) as unknown];
    for (const error of thrown) {
      const fail = (): boolean => {
        // oxlint-disable-next-line no-throw-literal only-throw-error -- users throw anything
        throw error;
      };
      // oxlint-disable-next-line no-await-in-loop -- a few
      for (const isDone of [fail, async () => fail()]) {
        // oxlint-disable-next-line no-await-in-loop -- a few
        const { met, detail } = await call({ functions: { isDone } });
        expect(met).toBeUndefined();
        expect(detail).toMatch(/^the function isDone failed: (?:out of tea|.*cannot be shown)$/);
      }
    }
    const trap = {
      get met(): boolean {
        throw new Error('trapped');
      },
    };
    expect(await call(answering(trap))).toEqual({ detail: 'the function isDone failed: trapped' });
  });

  it('that never answers is not waited for', async () => {
    const functions = { isDone: () => new Promise<boolean>(() => undefined) };
    expect(await call({ functions, functionTimeoutMs: 50 })).toEqual({
      detail: expect.stringMatching(/function isDone .*50ms/),
    });
    expect(await call({ functions, signal: AbortSignal.timeout(50) })).toEqual({
      detail: 'the function isDone was interrupted',
    });
    expect((await call({ functions, signal: AbortSignal.abort() })).met).toBeUndefined();
  });

  it.each(['isDone', 'constructor', '__proto__'])('%s that was not given is unknown', async (name) => {
    expect(await call({ functions: {} }, name)).toEqual({ detail: `there is no function ${name}` });
    expect(await call({}, name)).toEqual({ detail: `there is no function ${name}` });
  });
});
