import { describe, expect, it } from 'vitest';
import { started, stateAfter } from '../../../../test/support/record.js';
import { recordingTerminal } from '../../../../test/support/terminal.js';
import type { PipelineSpec } from '../../../model/pipeline-spec.js';
import type { RunSpec } from '../../../model/run-spec.js';
import { pipelineHeader } from './pipeline-plan-lines.js';

function headerOf(generate: Partial<PipelineSpec['generate']>, audit: string, command?: readonly string[]): string {
  const pipeline: PipelineSpec = {
    manifest: 'pipeline.yaml',
    itemsHash: '',
    generate: { timeoutMs: 1000, ...generate },
    audit: { command: audit, timeoutMs: 1000 },
    concurrency: 1,
    retry: { maxAttempts: 1, backoffMs: 0 },
  };
  const spec = { agent: { name: 'command', command }, policy: {} } as unknown as RunSpec;
  return pipelineHeader(
    stateAfter(started({}, { kind: 'pipeline', items: 1, pipeline, spec })),
    recordingTerminal(80),
  ).join('\n');
}

describe('what a pipeline says of itself before it begins', () => {
  it('does not run the lines of a command together, which would read like another one', () => {
    const header = headerOf({ command: 'cd out\nrm -f old\nmake\n' }, './audit.sh\n');
    expect(header).toMatch(/^ {2}generate +cd out … \(3 lines\)$/m);
    expect(header).toMatch(/^ {2}audit +\.\/audit\.sh$/m);
  });

  it('names the command of an agent of its own, and breaks a word that is too long', () => {
    const header = headerOf({ prompt: 'Draw.' }, `./${'x'.repeat(120)}.sh`, ['./agent.sh', '--fast']);
    expect(header).toMatch(/^ {2}generate +\.\/agent\.sh --fast$/m);
    for (const line of header.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });
});
