/** A `.ralph` folder that came with a clone: what it says is read, and nothing of it is obeyed. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealLine } from '../../src/journal/record-scanner.js';
import { encodeSnapshot } from '../../src/journal/snapshot.js';
import { reduceAll } from '../../src/model/reduce.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { begin, end, record, started } from '../support/record.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('planted');
});
afterAll(() => cli.remove());

const ID = 'loop_01KZZZZZZZZZZZZZZZZZZZZZZZ';
const RUN = ['run', '-p', 'Go.', '--max-iterations', '1', '--quiet', '--delay', '0', '--', './agent.sh'];
const READERS = [['list'], ['status'], ['show'], ['logs'], ['explain'], ['stats'], ['watch'], ['diff']];

function planted(files: Readonly<Record<string, string | Buffer>>): CliProject {
  const project = new CliProject(cli, { agent: 'touch ran' });
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(project.path, '.ralph', name, '..'), { recursive: true });
    writeFileSync(join(project.path, '.ralph', name), content);
  }
  return project;
}

const journal = (events: readonly object[]) => Buffer.concat(events.map((event) => sealLine(JSON.stringify(event))));
const lockOf = (more: object) =>
  JSON.stringify({ host: hostname(), pid: 1, runId: ID, since: '2026-01-01T00:00:00Z', nonce: 'abcdef', ...more });

describe('a planted record', { timeout: 120_000 }, () => {
  const events = record([started({}, { runId: ID }), begin(1), { ...end(1), observation: 5 } as never]);

  it('whose fields are not of their type is damage that is named, by every command that reads it', async () => {
    const project = planted({ [`runs/${ID}/journal.jsonl`]: journal(events) });
    for (const words of READERS) {
      const { stdout, stderr } = await project.pawl(...words);
      expect(stdout + stderr).not.toContain('should not have happened');
      expect(stdout + stderr).not.toMatch(/TypeError|\n\s+at /);
    }
    expect((await project.pawl('show')).stderr).toContain('whose observation is not valid');
    expect(await project.pawl(...RUN)).toMatchObject({ status: 3 });
  });

  it('that leads out of the tree by a link is not written through', async () => {
    const project = new CliProject(cli, { agent: 'touch ran' });
    const outside = join(project.home, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(project.path, '.ralph'));
    const { status, stderr } = await project.pawl(...RUN);
    expect({ status, stderr, ran: existsSync(join(project.path, 'ran')) }).toMatchObject({ ran: status === 3 });
    expect(existsSync(join(outside, 'runs'))).toBe(false);
  });
});

describe('a planted lock', { timeout: 120_000 }, () => {
  it('that names a process which cannot be the holder holds up nobody', async () => {
    const project = planted({ lock: lockOf({ bootId: 'another-boot', startTime: '1' }) });
    expect(await project.pawl(...RUN)).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('1 of 1 iteration'),
    });
  });

  it('that names another machine is refused in words that say which file to delete, and nothing runs', async () => {
    const project = planted({ lock: lockOf({ host: 'elsewhere' }) });
    const { status, stderr } = await project.pawl(...RUN);
    expect({ status, ran: existsSync(join(project.path, 'ran')) }).toEqual({ status: 2, ran: false });
    expect(stderr).toContain('delete the lock');
    expect(stderr).toContain(join('.ralph', 'lock'));
  });

  it('that is a link is moved aside, and what it leads to is left alone', async () => {
    const project = planted({});
    mkdirSync(join(project.path, '.ralph'));
    writeFileSync(join(project.home, 'precious'), 'mine');
    symlinkSync(join(project.home, 'precious'), join(project.path, '.ralph', 'lock'));
    expect(await project.pawl(...RUN)).toMatchObject({ status: 3 });
    expect(readFileSync(join(project.home, 'precious'), 'utf8')).toBe('mine');
    expect(lstatSync(join(project.home, 'precious')).nlink).toBe(1);
  });
});

/** A socket of another user, who waits for what comes. */
const LISTENER = `
const [, socket] = process.argv;
require('node:net').createServer((client) => client.on('data', (chunk) => process.stdout.write(chunk)))
  .listen(socket, () => process.stdout.write('listening'));
`;

describe.runIf(process.getuid?.() === 0)('a planted state.json', { timeout: 120_000 }, () => {
  it('that names the socket of another user makes nobody send a command there', async () => {
    const project = planted({});
    const shared = join(project.home, 's');
    mkdirSync(shared);
    chmodSync(shared, 0o777);
    chmodSync(project.home, 0o755);
    const socket = join(shared, `${createHash('sha256').update(ID).digest('hex').slice(0, 16)}-1.sock`);
    const events = record([started({}, { runId: ID }), begin(1)]);
    const bytes = journal(events);
    const position = { seq: 2, offset: bytes.length, lineBytes: 100, lineSum: '00000000' };
    const source = { runId: ID, workingDir: project.path, extraKeys: () => ({ control: socket }) };
    const folder = join('.ralph', 'runs', ID);
    project.write(join(folder, 'journal.jsonl'), bytes.toString());
    project.write(join(folder, 'state.json'), encodeSnapshot(source, reduceAll(events), position)?.toString() ?? '');
    project.write(join('.ralph', 'lock'), lockOf({ host: 'elsewhere' }));
    const words = ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', LISTENER, socket];
    const listener = spawn('setpriv', words, { stdio: ['ignore', 'pipe', 'ignore'] });
    let heard = '';
    listener.stdout.setEncoding('utf8').on('data', (text: string) => (heard += text));
    try {
      await expect.poll(() => heard, { timeout: 60_000 }).toBe('listening');
      const { status, stderr } = await project.pawl('steer', ID, 'a secret plan');
      expect(status).not.toBe(0);
      expect(stderr).toContain('belongs to another user');
      expect(heard).toBe('listening');
    } finally {
      listener.kill('SIGKILL');
    }
  });
});
