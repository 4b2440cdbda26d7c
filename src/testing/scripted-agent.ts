import type { Agent, AgentEnd, AgentTask } from '../iteration/agent.js';
import type { AgentEvent } from '../model/agent-event.js';
import type { UsageReporting } from '../model/run-event.js';

/** What a scripted agent does in one iteration. */
export interface ScriptedStep {
  readonly events?: readonly AgentEvent[] | undefined;
  /** Work on the world: files to write, a promise to wait for. The signal is that of the iteration. */
  readonly work?: ((task: AgentTask, signal: AbortSignal) => void | Promise<void>) | undefined;
  /** It works until it is interrupted. */
  readonly hangs?: boolean | undefined;
  readonly end?: Partial<AgentEnd> | undefined;
}

export interface ScriptedAgent extends Agent {
  /** The tasks that it was given, in order. */
  readonly tasks: readonly AgentTask[];
}

/**
 * An agent that follows a script, one step per iteration, and repeats the last. No process is started.
 *
 * @example
 * ```ts
 * const agent = scriptedAgent([{ events: [{ kind: 'text', text: 'DONE' }] }]);
 * const runner = new LoopRunner({ prompt: 'go', stop: { success: [{ output_pattern: 'DONE' }] } }, { agent });
 * ```
 */
export function scriptedAgent(
  steps: readonly ScriptedStep[],
  options: { readonly usage?: UsageReporting; readonly canResume?: boolean; readonly tellsResult?: boolean } = {},
): ScriptedAgent {
  const tasks: AgentTask[] = [];
  return {
    name: 'scripted',
    usage: options.usage ?? 'live',
    canResume: options.canResume ?? false,
    tellsResult: options.tellsResult ?? false,
    tasks,
    async run(task, listener, signal) {
      const step = steps[Math.min(tasks.length, steps.length - 1)] ?? {};
      tasks.push(task);
      listener.onSpawn({ pid: process.pid, startTime: '0' });
      for (const event of step.events ?? []) if (!signal.aborted) listener.onEvent(event);
      await step.work?.(task, signal);
      if (step.hangs === true) await aborted(signal);
      const cause = signal.aborted ? 'aborted' : 'exit';
      return { cause, exitCode: signal.aborted ? undefined : 0, stragglers: 0, survivors: 0, ...step.end };
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
