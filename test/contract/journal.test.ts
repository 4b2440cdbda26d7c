import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileJournal, openFileJournal } from '../../src/journal/open-file-journal.js';
import { type MemoryJournal, memoryJournal } from '../../src/testing/index.js';
import { journalContract } from './journal.contract.js';

journalContract('file', async () => {
  const workingDir = await mkdtemp(join(tmpdir(), 'pawl-contract-'));
  const environment = { XDG_STATE_HOME: join(workingDir, 'state') };
  let runId: string | undefined;
  return {
    async open(settings) {
      const options = { ...settings, workingDir, environment };
      const journal = runId === undefined ? createFileJournal(options) : openFileJournal({ ...options, runId });
      runId = journal.runId;
      return journal;
    },
    dispose: () => rm(workingDir, { recursive: true }),
  };
});

journalContract('memory', async () => {
  let last: MemoryJournal | undefined;
  return {
    async open(settings) {
      last = memoryJournal({ ...settings, events: last?.events });
      return last;
    },
    async dispose() {
      last = undefined;
    },
  };
});
