import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sidecar } from '../agents/adapter.js';
import type { AgentEvent } from '../model/agent-event.js';
import { type SidecarTail, tailSidecar } from './tail-sidecar.js';

let folder: string;
let day: string;
let file: string;
let tail: SidecarTail | undefined;
const said: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-sidecar-'));
  day = join(folder, 'sessions', '2026', '11', '15');
  file = join(day, 'rollout-abc.jsonl');
});

afterEach(async () => {
  await tail?.end();
  tail = undefined;
  said.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

/** Tells each line as a text, with its number for this reader. */
function sidecar(): Sidecar {
  return {
    folder: join(folder, 'sessions'),
    matches: (name) => name.endsWith('-abc.jsonl'),
    reader: (since) => {
      let count = 0;
      return (line): readonly AgentEvent[] => [{ kind: 'text', text: `${since} ${(count += 1)}: ${line}` }];
    },
  };
}

function follow(): SidecarTail {
  tail = tailSidecar({
    sidecar: sidecar(),
    since: 'T',
    onEvent: (event) => said.push(event.kind === 'text' ? event.text : event.kind),
  });
  return tail;
}

const seen = (...lines: readonly string[]) => expect.poll(() => said, { timeout: 60_000 }).toEqual(lines);

describe('a file beside the stream', () => {
  it('is found though it comes later, in folders that come later', async () => {
    follow();
    mkdirSync(day, { recursive: true });
    writeFileSync(join(day, 'rollout-other.jsonl'), 'not mine\n');
    writeFileSync(file, 'a\n');
    await seen('T 1: a');
  });

  it('is read as it grows, a line once it is whole', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'a\nb');
    follow();
    await seen('T 1: a');
    appendFileSync(file, 'c\nd\n');
    await seen('T 1: a', 'T 2: bc', 'T 3: d');
  });

  it('what was written last is read before the end, also a line without its end', async () => {
    mkdirSync(day, { recursive: true });
    const following = follow();
    writeFileSync(file, 'a\nb');
    expect(await following.end()).toBe(true);
    expect(said).toEqual(['T 1: a', 'T 2: b']);
  });

  it('that never comes is no fault', async () => {
    expect(await follow().end()).toBe(false);
    expect(said).toEqual([]);
  });

  it('nothing is told after the end', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'a\n');
    await follow().end();
    appendFileSync(file, 'b\n');
    expect(said).toEqual(['T 1: a']);
  });

  it('that was cut is read anew, by a reader that knows nothing of before', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\nsecond\n');
    follow();
    await seen('T 1: first', 'T 2: second');
    truncateSync(file);
    appendFileSync(file, 'x\n');
    await seen('T 1: first', 'T 2: second', 'T 1: x');
  });

  it('that another one takes the place of is read anew', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\n');
    follow();
    await seen('T 1: first');
    writeFileSync(join(day, 'new'), 'other 1\nother 2\n');
    renameSync(join(day, 'new'), file);
    await seen('T 1: first', 'T 1: other 1', 'T 2: other 2');
  });

  it('that is taken away and comes back elsewhere is found again', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, 'first\n');
    follow();
    await seen('T 1: first');
    rmSync(file);
    const later = join(folder, 'sessions', '2026', '11', '16');
    mkdirSync(later);
    writeFileSync(join(later, 'rollout-abc.jsonl'), 'second\n');
    await seen('T 1: first', 'T 1: second');
  });

  it('a folder by its name, or one that may not be read, is passed over', async () => {
    mkdirSync(join(day, 'rollout-abc.jsonl'), { recursive: true });
    mkdirSync(join(folder, 'sessions', '2027'));
    chmodSync(join(folder, 'sessions', '2027'), 0);
    const following = follow();
    expect(await following.end()).toBe(false);
  });

  it('a line that is too long to keep is left out, and those after it are read', async () => {
    mkdirSync(day, { recursive: true });
    writeFileSync(file, `a\n${'x'.repeat(5 * 1024 * 1024)}\nb\n`);
    await follow().end();
    expect(said).toEqual(['T 1: a', 'T 2: b']);
  });
});
