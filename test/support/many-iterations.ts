import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { encodeRecord } from '../../src/journal/record-scanner.js';
import type { NewEvent } from '../../src/model/run-event.js';

/** A record that is written at once, as far as a reader needs it. Gives the run's id. */
export function writeRun(workingDir: string, events: (runId: string) => Iterable<NewEvent>, kind = 'loop'): string {
  const runId = `${kind}_${ulid()}`;
  const folder = join(workingDir, '.ralph', 'runs', runId);
  mkdirSync(folder, { recursive: true });
  const lines: Buffer[] = [];
  const startMs = Date.now() - 3_600_000;
  for (const event of events(runId)) {
    const seq = lines.length + 1;
    const at = new Date(startMs + seq * 10).toISOString();
    lines.push(encodeRecord(event, { seq, at, activeMs: seq * 10 }).line);
  }
  writeFileSync(join(folder, 'journal.jsonl'), Buffer.concat(lines));
  return runId;
}

/** A policy that ends nothing, an agent, and as many iterations as wanted, every hundredth of which fails. */
export function* manyIterations(runId: string, count: number): Generator<NewEvent, void, void> {
  yield {
    type: 'run-started',
    runId,
    kind: 'loop',
    policy: { success: [], failure: [], limits: [{ type: 'max_cost', usd: 500 }] },
    agent: { name: 'claude', usage: 'live', model: 'claude-sonnet-4-5' },
    versions: { pawl: '0.1.0' },
  };
  for (let iteration = 1; iteration <= count; iteration += 1) {
    yield { type: 'iteration-started', iteration, try: 1 };
    yield { type: 'agent-said', text: `This is iteration ${iteration}.` };
    yield {
      type: 'usage-reported',
      scope: 'turn',
      model: 'claude-sonnet-4-5',
      spend: { inputTokens: 1000, outputTokens: 100, totalTokens: 1100, costUsd: 0.01 },
    };
    yield iterationEnded(iteration);
  }
  yield { type: 'run-ended', state: 'stopped', class: 'operator', reasons: [] };
}

function iterationEnded(iteration: number): NewEvent {
  const tree = (number: number) => createHash('sha1').update(String(number)).digest('hex');
  return {
    type: 'iteration-ended',
    iteration,
    outcome: iteration % 100 === 0 ? 'failed' : 'completed',
    agentStarted: true,
    durationMs: 20,
    observation: {
      files: {
        treeBefore: tree(iteration),
        treeAfter: tree(iteration + 1),
        created: [],
        modified: ['src/a.ts'],
        deleted: [],
        changedFiles: 1,
        changedLines: 4,
      },
      tests: { source: 'harness', passed: iteration % 40, failed: 40 - (iteration % 40), total: 40, details: [] },
    },
  };
}
