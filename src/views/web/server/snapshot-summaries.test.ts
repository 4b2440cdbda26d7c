import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFileJournal } from '../../../journal/open-file-journal.js';
import { createContext } from '../../cli/command-context.js';
import { SnapshotSummaries } from './snapshot-summaries.js';

it('asks the disk about a state.json once for each look, however often it is wanted', async () => {
  const workingDir = mkdtempSync(join(tmpdir(), 'pawl-summaries-'));
  const journal = createFileJournal({ workingDir, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });
  journal.append({ type: 'paused' }, 1);
  await journal.close();
  const path = join(journal.folder, 'state.json');
  const summaries = new SnapshotSummaries(createContext(process));
  const first = summaries.read(path);
  expect(first?.live?.row.status).toBe('paused');
  rmSync(workingDir, { recursive: true });
  expect(summaries.read(path)).toBe(first);
  summaries.forgetUnseen();
  expect(summaries.read(path)).toBeUndefined();
});
