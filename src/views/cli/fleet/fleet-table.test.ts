import { expect, it } from 'vitest';
import { contextOf, recordingTerminal } from '../../../../test/support/terminal.js';
import type { FleetRun } from '../../../fleet/fleet-status.js';
import { newRunId } from '../../../journal/run-places.js';
import { textWidth } from '../../../words/printable.js';
import { fleetTable } from './fleet-table.js';

const QUEUED: FleetRun = {
  id: newRunId(),
  state: 'queued',
  repository: 'https://example.org/team/a-repository-with-a-long-name.git',
  base: 'main',
  labels: [],
  epoch: 0,
  iteration: 0,
  lastSeq: 0,
  spentUsd: 0,
  atLeastUsd: 0,
  crashes: 0,
  createdAt: new Date().toISOString(),
};
const error = 'there is no git repository at /somewhere/that/is/far/away.git, or none that can be seen';
const RUNS: readonly FleetRun[] = [
  { ...QUEUED, wish: 'cancel', labels: ['gpu'] },
  { ...QUEUED, id: newRunId(), state: 'ended', outcome: { status: 'error', error } },
  {
    ...QUEUED,
    id: newRunId(),
    state: 'running',
    worker: 'host-1-0123abcd',
    iteration: 1_234,
    spentUsd: undefined,
    atLeastUsd: 12.34,
  },
  { ...QUEUED, id: newRunId(), state: 'running', iteration: 1, spentUsd: undefined },
  { ...QUEUED, id: newRunId(), state: 'waiting', lastSeq: 9, iteration: 2, spentUsd: 1, waitsFor: 'approval' },
];

it.each([40, 60, 80, 100])('in %i columns no line is longer, and the reason begins with what matters', (columns) => {
  const lines = fleetTable(RUNS, contextOf(recordingTerminal(columns)));
  expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(columns);
  expect(lines[2]).toContain(' there is no');
});

it('what nobody knows is not shown as nothing, and what no run has takes no room', () => {
  const text = fleetTable(RUNS, contextOf(recordingTerminal(100))).join('\n');
  expect(text).toMatch(/running +1,234 ≥ \$12\.34 0123abcd/);
  expect(text).toMatch(/running +1 +unknown/);
  expect(text).toMatch(/waiting +2 +\$1\.00 .* for your approval/);
  expect(text).not.toContain('$0.00');
  expect(fleetTable([QUEUED], contextOf(recordingTerminal(100)))[0]).toBe('run        state  repository     why');
});
