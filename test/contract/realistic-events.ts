import type { NewEvent } from '../../src/model/run-event.js';

/** What a loop records: a start, then iterations of a few tool calls each. */
export function realisticEvents(count: number, runId = 'loop_01JZZZZZZZZZZZZZZZZZZZZZZZ'): readonly NewEvent[] {
  const events: NewEvent[] = [started(runId)];
  for (let iteration = 1; events.length < count; iteration += 1) events.push(...iterationOf(iteration));
  return events.slice(0, count);
}

function started(runId: string): NewEvent {
  return {
    type: 'run-started',
    runId,
    kind: 'loop',
    policy: { success: [{ type: 'all_tests_pass' }], failure: [], limits: [{ type: 'max_iterations', count: 20 }] },
    agent: { name: 'claude', usage: 'live', model: 'claude-sonnet' },
    versions: { pawl: '0.1.0' },
  };
}

function iterationOf(iteration: number): readonly NewEvent[] {
  return [
    { type: 'iteration-started', iteration, try: 1, cookie: `cookie-${iteration}` },
    { type: 'agent-spawned', pid: 1000 + iteration, startTime: `${iteration}` },
    { type: 'iteration-status', status: 'executing' },
    { type: 'agent-said', text: `Ich prüfe „${iteration}“ \u2028 and then 🦀\n` },
    { type: 'tool-called', id: `t${iteration}`, name: 'Bash', input: '{"command":"npm test"}' },
    { type: 'tool-answered', id: `t${iteration}`, output: `${iteration} passed` },
    {
      type: 'usage-reported',
      scope: 'request',
      id: `r${iteration}`,
      model: 'claude-sonnet',
      spend: { inputTokens: 100 * iteration, outputTokens: 20, costUsd: 0.01 },
    },
    {
      type: 'iteration-ended',
      iteration,
      outcome: iteration % 3 === 0 ? 'failed' : 'completed',
      agentStarted: true,
      durationMs: 1000,
      observation: {
        files: {
          treeBefore: `a${iteration}`,
          treeAfter: `a${iteration + 1}`,
          created: [],
          modified: ['src/a.ts'],
          deleted: [],
          changedFiles: 1,
          changedLines: 4,
        },
        summary: 'did it',
      },
    },
    { type: 'verdict-reached', iteration, verdict: { stop: false, reasons: [], judgements: [], holds: {} } },
  ];
}
