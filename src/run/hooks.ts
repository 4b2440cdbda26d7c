import { loopStateOf } from '../model/phase.js';
import type { RunContext } from '../iteration/run-context.js';
import type { Json } from '../model/json.js';
import type { EventBodies } from '../model/run-event.js';
import type { HookName, HookSpec } from '../model/run-spec.js';
import { tailOf } from '../model/figures.js';
import type { Harness } from '../observation/harness.js';
import { runCommand } from '../observation/run-command.js';

export type HookFacts = Readonly<Record<string, Json | undefined>>;

/** How far an iteration is while they run. */
const STATUS: Partial<Record<HookName, EventBodies['iteration-status']['status']>> = {
  before_iteration: 'pre_hooks',
  after_iteration: 'post_hooks',
  on_error: 'post_hooks',
};

/** The user's own commands at certain moments of a run. */
export class Hooks {
  readonly #context: RunContext;
  /** Ends the hook that runs now. */
  #running: AbortController | undefined;
  #hasStopped = false;

  constructor(context: RunContext) {
    this.#context = context;
  }

  /** Runs a hook if there is one. Gives the reason when what follows must not continue because of it. */
  async run(name: HookName, facts: HookFacts): Promise<string | undefined> {
    const { record, stop } = this.#context;
    // A hook that cleans up when a run stops is wanted also when it stops at once.
    const isLast = name === 'on_stop';
    if (!this.#isThere(name) || (stop.now.aborted && !isLast)) return undefined;
    const status = STATUS[name];
    if (status !== undefined) record({ type: 'iteration-status', status });
    record({ type: 'hook-started', hook: name });
    const ran = await this.#execute(name, facts, isLast ? undefined : stop.now);
    if (ran === undefined) return undefined;
    record({ type: 'hook-ran', ...ran });
    return ran.failure === undefined || ran.failure.leadsTo === 'warn' ? undefined : ran.failure.message;
  }

  /** Ends the hook that runs now. That is no failure of it. */
  cutShort(): void {
    this.#running?.abort();
  }

  /** Ends the hook with which the run ends, if that runs now: anyone who asks again is not willing to wait for it. */
  cutLast(): void {
    if (this.#hasStopped) this.cutShort();
  }

  /** The run itself is broken. Whatever becomes of these hooks, and of the record of them, that is what is told. */
  async runBroken(error: string): Promise<void> {
    const facts = { status: 'error', state: 'error', error };
    for (const name of ['on_error', 'on_stop'] as const) {
      if (!this.#isThere(name)) continue;
      this.#context.record({ type: 'hook-started', hook: name });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ran = await this.#execute(name, facts, undefined);
      if (ran !== undefined) this.#context.record({ type: 'hook-ran', ...ran });
    }
  }

  /** A run that breaks while it stops has been cleaned up after. */
  #isThere(name: HookName): boolean {
    return this.#context.spec.hooks[name] !== undefined && !(name === 'on_stop' && this.#hasStopped);
  }

  async #execute(
    name: HookName,
    facts: HookFacts,
    hurry: AbortSignal | undefined,
  ): Promise<EventBodies['hook-ran'] | undefined> {
    const { spec, runId, environment, tree, journal } = this.#context;
    const hook = spec.hooks[name];
    if (hook === undefined) return undefined;
    if (name === 'on_stop') this.#hasStopped = true;
    this.#running = new AbortController();
    const cut = this.#running.signal;
    const signal = hurry === undefined ? cut : AbortSignal.any([hurry, cut]);
    const { workingDir } = spec;
    const known = { run: runId, workingDir, status: loopStateOf(journal.state), ...facts };
    const ran = await runHook(name, hook, known, { workingDir, environment, cookie: `${runId}.hook`, signal });
    this.#running = undefined;
    // It may have changed what the agent works on.
    tree?.disturb();
    return ran;
  }
}

const KEPT_CHARACTERS = 2000;
const LONGEST_WORDS = 200;

/** Runs a command of the user's with the facts as JSON on its input. Never rejects; its failure is a fact, too. */
async function runHook(
  hook: HookName,
  { command, timeoutMs, onFailure }: HookSpec,
  facts: Readonly<Record<string, Json | undefined>>,
  harness: Harness,
): Promise<EventBodies['hook-ran']> {
  const input = `${JSON.stringify({ hook, ...facts })}\n`;
  const outcome = await runCommand({ shell: command }, { timeoutMs, input, env: { PAWL_HOOK: hook } }, harness);
  const { exitCode, signal, timedOut, aborted, notStarted, durationMs } = outcome;
  const output = tailOf(outcome.output.trim(), KEPT_CHARACTERS);
  const failed = exitCode !== 0 && !aborted;
  const why = timedOut
    ? 'did not end in time'
    : (notStarted ?? (signal === undefined ? `exits with ${exitCode}` : `was killed by ${signal}`));
  return {
    hook,
    durationMs: Math.round(durationMs),
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(output === '' ? {} : { output }),
    ...(failed ? { failure: { message: `the hook ${hook} ${why}${lastWords(output)}`, leadsTo: onFailure } } : {}),
  };
}

/** What it said last is what people need to know of its failure. */
function lastWords(output: string): string {
  const line = output.split('\n').at(-1)?.trim() ?? '';
  return line === '' ? '' : `: ${line.slice(0, LONGEST_WORDS)}`;
}
