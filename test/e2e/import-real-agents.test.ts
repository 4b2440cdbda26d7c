/** What the real Claude Code and Codex keep of their sessions, imported: every call, every token. */
import { join } from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { findRecordings, ownFolders } from '../../src/import/find-recordings.js';
import { importRecordings } from '../../src/import/import-recordings.js';
import { importedFolder } from '../../src/journal/run-places.js';
import { listRuns } from '../../src/journal/list-runs.js';
import { readJournal } from '../../src/journal/read-journal.js';
import type { RunEvent } from '../../src/model/run-event.js';
import { totalSpend } from '../../src/model/spend-account.js';
import type { ScriptedStep } from '../support/model-server/step.js';
import { realAgent, resultsOf, sessionOf } from '../support/real-agent.js';

const STEPS: readonly ScriptedStep[] = [
  { bash: 'pwd', usage: { output: 21 } },
  { writeFile: { path: 'made.txt', content: 'hello\n' }, usage: { output: 33, input: 900 } },
  { bash: 'exit 3' },
  { text: 'All done.', usage: { output: 7, cacheRead: 5000 } },
  { text: 'Again.', usage: { output: 3 } },
];

/** One session of two turns, as the agent keeps it in its own home. */
async function imported(name: 'claude' | 'codex', context: TestContext) {
  const { server, tree, home, run } = await realAgent(name, { steps: STEPS }, context);
  const first = await run();
  const second = await run({ task: { session: sessionOf(first) } });
  expect([...resultsOf(first), ...resultsOf(second)]).toEqual(['success', 'success']);
  const environment = { ...home.environment, XDG_STATE_HOME: join(tree, '..', 'imported-state') };
  const files = findRecordings(ownFolders(environment), tree);
  const result = await importRecordings(files, { environment, as: 'calls' });
  expect(result).toMatchObject({ refused: [], ignored: 0 });
  expect(result.imported).toHaveLength(1);
  const run0 = listRuns(importedFolder(environment) ?? '', environment)[0];
  const state = run0?.snapshot?.state ?? expect.fail('nothing was imported');
  const events: RunEvent[] = [];
  for await (const event of readJournal(run0?.journalPath ?? '')) events.push(event);
  return { server, state, events, calls: result.imported[0]?.calls };
}

describe.each(['claude', 'codex'] as const)('the own sessions of the real %s', (name) => {
  it('are imported exactly: calls, tokens, tools and how they ended', async (context) => {
    const { server, state, events, calls } = await imported(name, context);
    const { input, output, cacheRead, cacheWrite } = server.spent;
    expect(totalSpend(state.spend)).toMatchObject({
      inputTokens: input + cacheRead + cacheWrite,
      outputTokens: output,
      cacheReadTokens: cacheRead,
    });
    expect([calls, state.iterations]).toEqual([STEPS.length, STEPS.length]);
    const called = events.filter(({ type }) => type === 'tool-called');
    const answered = events.flatMap((event) => (event.type === 'tool-answered' ? [event.failed === true] : []));
    expect([called.length, answered]).toEqual([3, [false, false, true]]);
    expect(state.toolUse).toMatchObject({ calls: 3, edits: 1, failures: 1 });
    const said = events.flatMap((event) => (event.type === 'agent-said' ? [event.text] : []));
    expect(said).toEqual(['All done.', 'Again.']);
    expect(state.task).toBe('Do it.');
    expect(state.faults).toBeUndefined();
  });
});
