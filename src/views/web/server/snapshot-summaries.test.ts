import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFileJournal } from '../../../journal/open-file-journal.js';
import { createContext } from '../../cli/command-context.js';
import { SnapshotSummaries } from './snapshot-summaries.js';

it('asks the disk about a state.json once for each look, however often it is wanted', async () => {
  const workingDir = mkdtempSync(join(tmpdir(), 'pawl-glances-'));
  const journal = createFileJournal({ workingDir, environment: { XDG_STATE_HOME: join(workingDir, 'state') } });
  journal.append({ type: 'paused' }, 1);
  await journal.close();
  const path = join(journal.folder, 'state.json');
  const glances = new SnapshotGlances(createContext(process));
  const first = glances.read(path);
  expect(first?.live?.row.status).toBe('paused');
  rmSync(workingDir, { recursive: true });
  expect(glances.read(path)).toBe(first);
  glances.forgetUnseen();
  expect(glances.read(path)).toBeUndefined();
});
