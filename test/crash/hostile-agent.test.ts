import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FileJournal } from '../../src/journal/file-journal.js';
import { listRuns } from '../../src/journal/list-runs.js';
import { verifyJournal } from '../../src/journal/verify-journal.js';
import { FileSystemError, LockedError, WorkingDirGone } from '../../src/model/errors.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { DEAD_PROCESS, eventsIn, RUN_ID, type ScratchRun, scratchRun } from './scratch-run.js';

let scratch: ScratchRun;
let ralph: string;

const journalSeen = () => join(scratch.seen, 'journal.jsonl');

beforeEach(() => {
  scratch = scratchRun();
  ralph = join(scratch.workingDir, '.ralph');
});
afterEach(() => scratch.dispose());

const EVENTS = realisticEvents(30);

function write(journal: FileJournal, from: number, until: number): void {
  for (const event of EVENTS.slice(from, until)) journal.append(event, 1);
}

/** Everything that was appended is in a plain file, its neighbours are back too, and the agent's folder leads to them. */
async function expectWhole(events: number): Promise<void> {
  expect(lstatSync(scratch.path).isFile()).toBe(true);
  expect(await verifyJournal(scratch.path)).toMatchObject({ events });
  expect((await verifyJournal(scratch.path)).torn).toBeUndefined();
  expect(lstatSync(join(scratch.folder, 'state.json')).isFile()).toBe(true);
  expect(readFileSync(journalSeen())).toEqual(readFileSync(scratch.path));
}

const DAMAGE: Record<string, () => void> = {
  'removes .ralph': () => rmSync(ralph, { recursive: true }),
  'removes the journal': () => rmSync(journalSeen()),
  'removes the run folder': () => rmSync(scratch.seen, { recursive: true }),
  'runs rm -rf .ralph/runs/*/': () => execFileSync('sh', ['-c', 'rm -rf .ralph/runs/*/'], { cwd: scratch.workingDir }),
  'renames .ralph': () => renameSync(ralph, `${ralph}.bak-${Math.random()}`),
  'removes .ralph and the state home': () => {
    rmSync(ralph, { recursive: true });
    rmSync(join(scratch.workingDir, 'state-home'), { recursive: true, force: true });
  },
  'removes the state home': () => rmSync(join(scratch.workingDir, 'state-home'), { recursive: true, force: true }),
  'puts a symlink in place of the journal': () => {
    rmSync(journalSeen());
    symlinkSync(join(scratch.workingDir, 'victim'), journalSeen());
  },
  'puts a folder in place of the journal': () => {
    rmSync(journalSeen());
    mkdirSync(journalSeen());
    writeFileSync(join(journalSeen(), 'mine'), 'mine');
  },
  'puts another file in place of the journal': () => {
    rmSync(journalSeen());
    writeFileSync(journalSeen(), 'my notes');
  },
  'puts a symlink in place of .ralph': () => {
    rmSync(ralph, { recursive: true });
    mkdirSync(join(scratch.workingDir, 'elsewhere'), { recursive: true });
    symlinkSync(join(scratch.workingDir, 'elsewhere'), ralph);
  },
  'puts a file in place of .ralph': () => {
    rmSync(ralph, { recursive: true });
    writeFileSync(ralph, 'my notes');
  },
  'puts a folder in place of state.json': () => {
    rmSync(join(scratch.seen, 'state.json'), { recursive: true });
    mkdirSync(join(scratch.seen, 'state.json'));
  },
  'appends to the journal': () => appendFileSync(journalSeen(), 'my notes\n{"v":1,"seq":99}\n'),
};

const CASES = Object.keys(DAMAGE).flatMap((name) =>
  (['home', 'project'] as const).map((records) => ({ name, records })),
);
/** What only the links suffer from is not worth a word. */
const isQuiet = (name: string, records: string) =>
  name === 'removes the state home'
    ? records === 'project'
    : records === 'home' && /removes|renames|rm -rf|\.ralph$/.test(name);

describe.each(CASES)('an agent that $name, with the record in the $records', ({ name, records }) => {
  const damage = () => DAMAGE[name]?.();
  beforeEach(() => {
    scratch.dispose();
    scratch = scratchRun(undefined, records);
    ralph = join(scratch.workingDir, '.ralph');
  });

  it('costs no event of the run under way', async () => {
    writeFileSync(join(scratch.workingDir, 'victim'), 'untouched');
    const journal = scratch.create();
    write(journal, 0, 10);
    damage();
    write(journal, 10, 20);
    damage();
    write(journal, 20, 30);
    expect(await eventsIn(journal.path)).toHaveLength(30);
    await journal.close();
    await expectWhole(30);
    if (!isQuiet(name, records)) expect(journal.warnings).not.toEqual([]);
    expect(readFileSync(join(scratch.workingDir, 'victim'), 'utf8')).toBe('untouched');
  });

  it('costs no event when it does so at the very end, before a crash or before the close', async () => {
    const journal = scratch.create();
    write(journal, 0, 30);
    damage();
    await journal.close();
    await expectWhole(30);
  });
});

describe('the reserve for a full disk', () => {
  it('is taken again when it was removed with the folder', async () => {
    const journal = scratch.create();
    rmSync(scratch.folder, { recursive: true });
    journal.append({ type: 'paused' }, 1);
    expect(statSync(join(scratch.folder, 'reserve')).size).toBe(64 * 1024);
    await journal.close();
  });
});

describe('what stands in the way', () => {
  it('is moved aside, not deleted', () => {
    const journal = scratch.create();
    DAMAGE['puts another file in place of the journal']?.();
    journal.append({ type: 'paused' }, 1);
    expect(readFileSync(`${journalSeen()}.foreign-1`, 'utf8')).toBe('my notes');
    DAMAGE['puts a folder in place of the journal']?.();
    journal.append({ type: 'paused' }, 1);
    expect(readFileSync(`${journalSeen()}.foreign-2/mine`, 'utf8')).toBe('mine');
  });
});

describe('a run that crashed, whose files the agent then removed', () => {
  it.each([
    'removes .ralph',
    'runs rm -rf .ralph/runs/*/',
    'puts another file in place of the journal',
    'puts a symlink in place of the journal',
  ])('is found and goes on (%s)', async (name) => {
    const journal = scratch.create({ self: DEAD_PROCESS });
    write(journal, 0, 10);
    DAMAGE[name]?.();
    expect(listRuns(scratch.workingDir, scratch.options.environment)).toMatchObject([{ runId: RUN_ID }]);
    const again = scratch.open();
    expect(again.state.seq).toBe(10);
    write(again, 10, 20);
    await again.close();
    await expectWhole(20);
  });
});

describe('an agent that removes the whole working directory', () => {
  it('costs no event while the state home is elsewhere', async () => {
    const elsewhere = scratchRun();
    try {
      const journal = scratch.create({ environment: { XDG_STATE_HOME: elsewhere.workingDir } });
      write(journal, 0, 10);
      rmSync(scratch.workingDir, { recursive: true });
      write(journal, 10, 20);
      await journal.close();
      expect(journal.warnings.join('\n')).toMatch(
        new RegExp(`${scratch.workingDir} .*gone.* record .*${elsewhere.workingDir}`),
      );
      const second = readdirSync(elsewhere.workingDir, { recursive: true, encoding: 'utf8' }).find((name) =>
        name.endsWith('journal.jsonl'),
      );
      expect(await verifyJournal(join(elsewhere.workingDir, second ?? ''))).toMatchObject({ events: 20 });
    } finally {
      elsewhere.dispose();
    }
  });

  it('ends the run with a clear message when the record was in it', () => {
    const journal = scratch.create({ records: 'project' });
    write(journal, 0, 10);
    rmSync(scratch.workingDir, { recursive: true });
    expect(() => journal.append({ type: 'paused' }, 1)).toThrow(WorkingDirGone);
    expect(() => journal.append({ type: 'paused' }, 1)).toThrow(/is gone: .*, and the record with it$/);
    expect(journal.state.seq).toBe(10);
  });
});

describe('a journal that another process cut short', () => {
  it('ends the run with a clear message', () => {
    const journal = scratch.create();
    write(journal, 0, 10);
    truncateSync(scratch.path, 100);
    expect(() => journal.append({ type: 'tick' }, 1)).toThrow(/another process cut it from \d+ to 100 bytes/);
  });
});

describe('a writer whose lock was deleted by hand, and whose run has another writer now', () => {
  it('adds nothing to the record and takes nothing from it', async () => {
    const old = scratch.create();
    write(old, 0, 10);
    rmSync(join(ralph, 'lock'));
    rmSync(join(scratch.folder, 'lock'));
    for (const entry of readdirSync(scratch.workingDir, { recursive: true, encoding: 'utf8' })) {
      if (entry.endsWith('/lock')) rmSync(join(scratch.workingDir, entry));
    }
    const next = scratch.open();
    write(next, 10, 20);
    expect(() => old.append({ type: 'tick' }, 1)).toThrow(LockedError);
    await expect(old.close()).rejects.toThrow(LockedError);
    write(next, 20, 30);
    await next.close();
    await expectWhole(30);
  });
});

describe('a symlink planted before the start', () => {
  it.each(['.ralph', '.ralph/runs', `.ralph/runs/${RUN_ID}`])('at %s is refused by name', (path) => {
    const planted = join(scratch.workingDir, path);
    mkdirSync(join(planted, '..'), { recursive: true });
    symlinkSync(scratch.workingDir, planted);
    expect(() => scratch.create()).toThrow(FileSystemError);
    expect(() => scratch.create()).toThrow(new RegExp(`${planted}: .*symbolic link`));
  });
});

describe('git', () => {
  const git = (...parameters: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...parameters], {
      cwd: scratch.workingDir,
      stdio: 'pipe',
    });

  it('clean -fdx removes the folder, and the record is whole all the same', async () => {
    git('init', '-q');
    const journal = scratch.create();
    write(journal, 0, 10);
    git('clean', '-fdxq');
    expect(existsSync(ralph)).toBe(false);
    write(journal, 10, 20);
    await journal.close();
    await expectWhole(20);
  });

  it('work trees of one repository see only their own runs', async () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    const tree = join(scratch.workingDir, 'tree');
    git('worktree', 'add', '-q', tree);
    const journal = scratch.create({ workingDir: tree });
    await journal.close();
    rmSync(join(tree, '.ralph'), { recursive: true });
    expect(listRuns(tree, scratch.options.environment)).toMatchObject([{ runId: RUN_ID, folder: scratch.folder }]);
    expect(listRuns(scratch.workingDir, scratch.options.environment)).toEqual([]);
  });
});
