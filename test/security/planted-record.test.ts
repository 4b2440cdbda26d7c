/** A `.ralph` folder that came with a clone: what it says is read, and nothing of it is obeyed. */
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { createServer } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealLine } from '../../src/journal/record-line.js';
import { BuiltCli, CliProject } from '../support/cli-project.js';
import { begin, end, record, started } from '../support/record.js';

let cli: BuiltCli;
beforeAll(() => {
  cli = new BuiltCli('planted');
}, 120_000);
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

  it('whose fields are not of their type is damage that is named, by every command that reads it', () => {
    const project = planted({ [`runs/${ID}/journal.jsonl`]: journal(events) });
    for (const words of READERS) {
      const { stdout, stderr } = project.pawl(...words);
      expect(stdout + stderr).not.toContain('should not have happened');
      expect(stdout + stderr).not.toMatch(/TypeError|\n\s+at /);
    }
    expect(project.pawl('show').stderr).toContain('whose observation cannot be one');
    expect(project.pawl(...RUN)).toMatchObject({ status: 3 });
  });

  it('that leads out of the tree by a link is not written through', () => {
    const project = new CliProject(cli, { agent: 'touch ran' });
    const outside = join(project.home, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(project.path, '.ralph'));
    const { status, stderr } = project.pawl(...RUN);
    expect({ status, stderr, ran: existsSync(join(project.path, 'ran')) }).toMatchObject({ ran: status === 3 });
    expect(existsSync(join(outside, 'runs'))).toBe(false);
  });
});

describe('a planted lock', { timeout: 120_000 }, () => {
  it('that names a process which cannot be the holder holds up nobody', () => {
    const project = planted({ lock: lockOf({ bootId: 'another-boot', startTime: '1' }) });
    expect(project.pawl(...RUN)).toMatchObject({ status: 3, stderr: '' });
  });

  it('that names another machine is refused in words that say which file to delete, and nothing runs', () => {
    const project = planted({ lock: lockOf({ host: 'elsewhere' }) });
    const { status, stderr } = project.pawl(...RUN);
    expect({ status, ran: existsSync(join(project.path, 'ran')) }).toEqual({ status: 2, ran: false });
    expect(stderr).toContain('delete the lock');
    expect(stderr).toContain(join('.ralph', 'lock'));
  });

  it('that is a link is moved aside, and what it leads to is left alone', () => {
    const project = planted({});
    mkdirSync(join(project.path, '.ralph'));
    writeFileSync(join(project.home, 'precious'), 'mine');
    symlinkSync(join(project.home, 'precious'), join(project.path, '.ralph', 'lock'));
    expect(project.pawl(...RUN)).toMatchObject({ status: 3 });
    expect(readFileSync(join(project.home, 'precious'), 'utf8')).toBe('mine');
    expect(lstatSync(join(project.home, 'precious')).nlink).toBe(1);
  });
});

describe('a planted state.json', { timeout: 120_000 }, () => {
  it('that names a socket of somebody else makes nobody send a command there', async () => {
    const heard: string[] = [];
    const name = `${createHash('sha256').update(ID).digest('hex').slice(0, 16)}-1.sock`;
    const project = planted({
      [`runs/${ID}/journal.jsonl`]: journal(record([started({}, { runId: ID }), begin(1)])),
      lock: lockOf({ host: 'elsewhere' }),
    });
    const socket = join(project.home, name);
    const snapshot = { format: 4, runId: ID, workingDir: project.path, control: socket, seq: 0, offset: 0 };
    project.write(join('.ralph', 'runs', ID, 'state.json'), sealLine(JSON.stringify(snapshot)).toString());
    const server = createServer((client) => client.on('data', (chunk) => heard.push(String(chunk))));
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    try {
      expect(project.pawl('steer', ID, 'a secret plan').status).not.toBe(0);
      expect(heard).toEqual([]);
    } finally {
      server.close();
    }
  });
});
