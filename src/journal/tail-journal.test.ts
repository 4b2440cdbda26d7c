import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openFiles } from '../../test/support/open-files.js';
import { encodeRecord } from './record-scanner.js';
import { tailJournal } from './tail-journal.js';
import { TailedFile } from './tailed-file.js';

let folder: string;
let path: string;
let controller: AbortController;
let tailing: Promise<void> | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pawl-tail-'));
  path = join(folder, 'journal.jsonl');
  controller = new AbortController();
});
afterEach(async () => {
  controller.abort();
  await tailing?.catch(() => undefined);
  rmSync(folder, { recursive: true });
});

function line(seq: number, text = `${seq}`): Buffer {
  return encodeRecord({ type: 'agent-said', text }, { seq, at: 'now', activeMs: 1 }).line;
}

function lines(from: number, until: number): Buffer {
  return Buffer.concat(Array.from({ length: until - from + 1 }, (_, index) => line(from + index)));
}

interface Following {
  readonly heard: number[];
  readonly hears: (until: number) => Promise<void>;
  /** What is there now is looked at, to its end. */
  readonly looks: () => Promise<void>;
}

function follow(fromSeq?: number): Following {
  const heard: number[] = [];
  const look = vi.spyOn(TailedFile.prototype, 'look');
  onTestFinished(() => look.mockRestore());
  const run = async () => {
    for await (const event of tailJournal(path, { fromSeq, signal: controller.signal, pollMs: 20 }))
      heard.push(event.seq);
  };
  tailing = run();
  const hears = (until: number) => expect.poll(() => heard.at(-1), WAIT).toBe(until);
  const looks = () => {
    const before = look.mock.calls.length;
    return expect.poll(() => look.mock.calls.length, WAIT).toBeGreaterThan(before + 1);
  };
  return { heard, hears, looks };
}

const WAIT = { interval: 5 };
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('the live tail', () => {
  it('gives what is there and then what follows, and ends when it is told to', async () => {
    writeFileSync(path, lines(1, 5000));
    const { heard, hears } = follow();
    await hears(5000);
    for (let seq = 5001; seq <= 5020; seq += 1) appendFileSync(path, line(seq));
    await hears(5020);
    controller.abort();
    await tailing;
    expect(heard).toEqual(upTo(5020));
  });

  it('begins where it is told to', async () => {
    writeFileSync(path, lines(1, 10));
    const { heard, hears } = follow(8);
    await hears(10);
    expect(heard).toEqual([8, 9, 10]);
  });

  it('waits for a file that is not there yet', async () => {
    const { heard, hears, looks } = follow();
    await looks();
    writeFileSync(path, lines(1, 3));
    await hears(3);
    expect(heard).toEqual([1, 2, 3]);
  });

  it('waits for the rest of a line that is being written', async () => {
    writeFileSync(path, lines(1, 2));
    const { heard, hears, looks } = follow();
    await hears(2);
    const next = line(3);
    for (const byte of next.subarray(0, 60)) {
      appendFileSync(path, Buffer.from([byte]));
      if (byte % 16 === 0) await looks();
    }
    expect(heard).toEqual([1, 2]);
    appendFileSync(path, next.subarray(60));
    await hears(3);
  });

  it('goes on when the file is removed and linked again', async () => {
    writeFileSync(path, lines(1, 2));
    linkSync(path, `${path}.second`);
    const { heard, hears } = follow();
    await hears(2);
    rmSync(path);
    appendFileSync(`${path}.second`, line(3));
    linkSync(`${path}.second`, path);
    await hears(3);
    appendFileSync(path, line(4));
    await hears(4);
    expect(heard).toEqual(upTo(4));
  });

  it('goes on in a copy that took the place of the file, and not in a foreign file or symlink', async () => {
    writeFileSync(path, lines(1, 2));
    const { heard, hears, looks } = follow();
    await hears(2);
    copyFileSync(path, `${path}.copy`);
    rmSync(path);
    symlinkSync('/etc/passwd', path);
    await looks();
    rmSync(path);
    writeFileSync(path, Buffer.concat([line(1, 'x'), line(2, 'y'), line(3, 'z')]));
    await looks();
    expect(heard).toEqual([1, 2]);
    appendFileSync(`${path}.copy`, line(3));
    renameSync(`${path}.copy`, path);
    await hears(3);
    appendFileSync(path, line(4));
    await hears(4);
    expect(heard).toEqual(upTo(4));
  });

  it('waits until a torn end is cut off by the next writer', async () => {
    const whole = lines(1, 2);
    writeFileSync(path, Buffer.concat([whole, Buffer.from('torn\n'), Buffer.alloc(80)]));
    const { heard, hears } = follow();
    await hears(2);
    truncateSync(path, whole.length);
    appendFileSync(path, line(3));
    await hears(3);
    expect(heard).toEqual(upTo(3));
  });

  it('waits while a folder is in the place of the file', async () => {
    mkdirSync(path);
    const { hears, looks } = follow();
    await looks();
    rmdirSync(path);
    writeFileSync(path, lines(1, 2));
    await hears(2);
  });

  it('does not wait for a file that it may not open', async () => {
    path = `${path}\0`;
    follow();
    await expect(tailing).rejects.toThrow(/cannot open/);
  });

  it('does not pass over damage', async () => {
    writeFileSync(path, Buffer.concat([lines(1, 2), Buffer.from('damage\n'), line(3)]));
    follow();
    await expect(tailing).rejects.toThrow(`${path}:3: `);
  });

  it('gives nothing more when it is told to end in the middle of what is there', async () => {
    writeFileSync(path, lines(1, 10));
    const heard: number[] = [];
    for await (const event of tailJournal(path, { signal: controller.signal })) {
      heard.push(event.seq);
      if (event.seq === 3) controller.abort();
    }
    expect(heard).toEqual([1, 2, 3]);
  });

  it.runIf(process.platform === 'linux')('leaves no file open when its reader breaks off', async () => {
    writeFileSync(path, lines(1, 10));
    const isOpen = () => openFiles().includes(path);
    const heard: number[] = [];
    for await (const event of tailJournal(path)) {
      heard.push(event.seq);
      expect(isOpen()).toBe(true);
      if (event.seq === 3) break;
    }
    expect(heard).toEqual([1, 2, 3]);
    expect(isOpen()).toBe(false);
  });

  it('ends at once when it was told to before it began', async () => {
    controller.abort();
    const { heard } = follow();
    await tailing;
    expect(heard).toEqual([]);
  });
});

describe('a reader that goes on where it was', () => {
  const readAll = async (file: TailedFile) => {
    const seqs: number[] = [];
    await file.look();
    for await (const events of file.read()) seqs.push(...events.map(({ seq }) => seq));
    return seqs;
  };
  const placeOf = async () => {
    const file = new TailedFile(path);
    await readAll(file);
    await file.close();
    return file.position;
  };

  it('reads what follows, and says what stands behind the last record', async () => {
    writeFileSync(path, lines(1, 2));
    const position = await placeOf();
    appendFileSync(path, Buffer.concat([line(3), Buffer.from('{"v":1')]));
    const file = new TailedFile(path, position);
    expect(await readAll(file)).toEqual([3]);
    expect(file.isSuperseded).toBe(false);
    expect(file.tail).toMatchObject({ line: 4, bytes: 6, incomplete: true });
    const at3 = { seq: 3, offset: lines(1, 3).length, lineBytes: line(3).length };
    expect(file.position).toEqual(at3);
    appendFileSync(path, ',');
    expect(await readAll(file)).toEqual([]);
    expect(file.position).toEqual(at3);
    expect(file.isSuperseded).toBe(false);
    await file.close();
  });

  it('is not told of another record where there is none yet, nor when it has read all of its own', async () => {
    const file = new TailedFile(path);
    await file.look();
    expect(file.isSuperseded).toBe(false);
    writeFileSync(path, lines(1, 2));
    await file.look();
    expect(file.isSuperseded).toBe(false);
    expect(await readAll(file)).toEqual([1, 2]);
    await file.look();
    expect(file.isSuperseded).toBe(false);
    await file.close();
  });

  it('reads what the agent said, unless it only folds', async () => {
    writeFileSync(path, lines(1, 2));
    for (const [options, texts] of [
      [undefined, ['1', '2']],
      [{ skims: true }, ['', '']],
    ] as const) {
      const file = new TailedFile(path);
      await file.look();
      const said: unknown[] = [];
      for await (const events of file.read(options)) {
        said.push(...events.map((event) => (event.type === 'agent-said' ? event.text : undefined)));
      }
      expect(said).toEqual(texts);
      await file.close();
    }
  });

  it.each([
    ['is cut inside a record', () => truncateSync(path, line(1).length + 5)],
    ['ends before that place', () => truncateSync(path, line(1).length)],
    ['has another line there', () => writeFileSync(path, line(1, 'x'.repeat(5000)))],
  ])('knows that it cannot when the file %s', async (_, change) => {
    writeFileSync(path, lines(1, 2));
    const position = await placeOf();
    change();
    const file = new TailedFile(path, position);
    await file.look();
    expect(file.isSuperseded).toBe(true);
    await file.close();
  });

  it('waits where it is while no whole record follows', async () => {
    writeFileSync(path, line(1).subarray(0, 20));
    const file = new TailedFile(path);
    expect(await readAll(file)).toEqual([]);
    expect([file.position, file.tail?.bytes]).toEqual([{ seq: 0, offset: 0, lineBytes: 0 }, 20]);
    writeFileSync(path, lines(1, 2));
    expect(await readAll(file)).toEqual([1, 2]);
    await file.close();
  });

  it('goes on in another file as long as it has read no record', async () => {
    writeFileSync(path, '');
    const file = new TailedFile(path);
    expect(await readAll(file)).toEqual([]);
    writeFileSync(`${path}.other`, lines(1, 2));
    renameSync(`${path}.other`, path);
    expect(await readAll(file)).toEqual([1, 2]);
    expect(file.isSuperseded).toBe(false);
    await file.close();
  });

  it('stays with its own file when another record takes the name', async () => {
    writeFileSync(path, lines(1, 2));
    const file = new TailedFile(path);
    await readAll(file);
    writeFileSync(`${path}.other`, Buffer.concat([line(1, 'x'), line(2, 'y'), line(3, 'z')]));
    linkSync(path, `${path}.own`);
    renameSync(`${path}.other`, path);
    expect(await readAll(file)).toEqual([]);
    expect(file.isSuperseded).toBe(true);
    appendFileSync(`${path}.own`, line(3));
    renameSync(`${path}.own`, path);
    expect(await readAll(file)).toEqual([3]);
    expect(file.isSuperseded).toBe(false);
    await file.close();
  });

  it('knows that less of the record is left than it has read', async () => {
    writeFileSync(path, lines(1, 3));
    const file = new TailedFile(path);
    await readAll(file);
    truncateSync(path, lines(1, 2).length);
    await file.look();
    expect(file.isSuperseded).toBe(true);
    await file.close();
  });
});
