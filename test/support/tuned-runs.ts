import type { RunEvent } from '../../src/model/run-event.js';
import { createTrace, type TracedRun } from '../../src/tune/trace-run.js';
import { begin, type Draft, end, record, started, tests, used } from './record.js';

export interface MadeRun {
  readonly name: string;
  readonly task?: string;
  readonly isGoal: boolean;
  readonly steps: readonly MadeStep[];
}

export interface MadeStep {
  readonly costUsd?: number | undefined;
  readonly outputTokens?: number;
  readonly command?: string;
  readonly toolFailed?: boolean;
  readonly failing?: number;
  readonly error?: string;
  readonly contextPercent?: number;
  readonly failed?: boolean;
  readonly ms?: number;
}

/** The record of an imported run: each step is a model call that uses a tool. */
export function madeEvents({ isGoal, steps }: MadeRun): readonly RunEvent[] {
  let activeMs = 0;
  const at = (draft: Draft): Draft => ({ ...draft, activeMs });
  const drafts = steps.flatMap((step, index) => {
    const number = index + 1;
    const { costUsd, outputTokens = 10, command, toolFailed = false, failing, error, contextPercent } = step;
    const said: Draft = { type: 'agent-said', text: `step ${number}` };
    const before = [at(begin(number)), at(said)];
    activeMs += step.ms ?? 1000;
    const id = `t${number}`;
    const input = JSON.stringify({ command });
    return [
      ...before,
      ...(command === undefined ? [] : [at({ type: 'tool-called', id, name: 'Bash', input })]),
      at(used({ inputTokens: 1000, outputTokens, costUsd }, { id: `r${number}` })),
      ...(contextPercent === undefined
        ? []
        : [at({ type: 'context-reported', usedTokens: contextPercent, windowTokens: 100 })]),
      ...(error === undefined ? [] : [at({ type: 'error-seen', kind: 'other', message: error, fingerprint: error })]),
      ...(command === undefined ? [] : [at({ type: 'tool-answered', id, failed: toolFailed, output: 'x' })]),
      at(
        end(number, {
          outcome: step.failed === true ? 'failed' : 'completed',
          observation: {
            ...(failing === undefined ? {} : { tests: tests(3, failing, { source: 'agent' }) }),
            ...(toolFailed && command !== undefined ? { toolFailures: [{ digest: command, text: command }] } : {}),
          },
        }),
      ),
    ];
  });
  const stopClass = isGoal ? 'goal' : 'failure';
  return record([
    started({}, { kind: 'imported' }),
    ...drafts,
    at({ type: 'run-ended', state: isGoal ? 'completed' : 'stopped', class: stopClass, reasons: [] }),
  ]);
}

export function traced(run: MadeRun): TracedRun {
  const trace = createTrace(run.name);
  for (const event of madeEvents(run)) trace.see(event);
  return trace.end({ task: run.task ?? run.name, isGoal: run.isGoal });
}

/** Runs that fail repeat themselves and cost more; those that reach their goal are short and do not. */
export function plantedRuns(count: number): readonly MadeRun[] {
  return Array.from({ length: count }, (_, index) => {
    const isGoal = index % 3 !== 0;
    const length = isGoal ? 8 + (index % 5) : 30 + (index % 7);
    const steps = Array.from({ length }, (__, step) => ({
      costUsd: 0.05,
      outputTokens: 100,
      command: isGoal || step < 5 ? `look ${step}` : 'npm test',
      toolFailed: !isGoal && step > 5,
    }));
    return { name: `run-${index}`, isGoal, steps };
  });
}
