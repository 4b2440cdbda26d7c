import { loopStateOf } from '../model/phase.js';
import { runHook } from '../iteration/run-hook.js';
import type { Json } from '../model/json.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import type { HookName } from '../model/run-spec.js';
import type { RunParts } from './run-parts.js';

export interface HookSetting {
  /** Ends every hook but those of a run that ends. */
  readonly hurry: AbortSignal;
  /** Throws when it cannot be recorded. */
  readonly record: (event: NewEvent) => void;
  /** Records one of the last events of a run that is broken. May throw. */
  readonly recordLast: (event: NewEvent) => void;
}

export type HookFacts = Readonly<Record<string, Json | undefined>>;

/** How far an iteration is while they run. */
const STATUS: Partial<Record<HookName, EventBodies['iteration-status']['status']>> = {
  before_iteration: 'pre_hooks',
  after_iteration: 'post_hooks',
  on_error: 'post_hooks',
};

/** The user's own commands at certain moments of a run. */
export class Hooks {
  readonly #parts: RunParts;
  readonly #setting: HookSetting;
  /** Ends the hook that runs now. */
  #running: AbortController | undefined;
  #hasStopped = false;

  constructor(parts: RunParts, setting: HookSetting) {
    this.#parts = parts;
    this.#setting = setting;
  }

  /** Runs a hook if there is one. Gives the reason when what follows must not go on because of it. */
  async run(name: HookName, facts: HookFacts): Promise<string | undefined> {
    const { record, hurry } = this.#setting;
    // Who cleans up when a run stops wants that also when it stops at once.
    const isLast = name === 'on_stop';
    if (!this.#isThere(name) || (hurry.aborted && !isLast)) return undefined;
    const status = STATUS[name];
    if (status !== undefined) record({ type: 'iteration-status', status });
    record({ type: 'hook-started', hook: name });
    const ran = await this.#execute(name, facts, isLast ? undefined : hurry);
    if (ran === undefined) return undefined;
    record({ type: 'hook-ran', ...ran });
    return ran.failure === undefined || ran.failure.leadsTo === 'warn' ? undefined : ran.failure.message;
  }

  /** Ends the hook that runs now. That is no failure of it. */
  cutShort(): void {
    this.#running?.abort();
  }

  /** Ends the hook with which the run ends, if that runs now: whoever asks again is not willing to wait for it. */
  cutLast(): void {
    if (this.#hasStopped) this.cutShort();
  }

  /** The run itself is broken. Whatever becomes of these hooks, and of the record of them, that is what is told. */
  async runBroken(error: string): Promise<void> {
    const facts = { status: 'error', state: 'error', error };
    for (const name of ['on_error', 'on_stop'] as const) {
      if (!this.#isThere(name)) continue;
      this.#noteLast({ type: 'hook-started', hook: name });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const ran = await this.#execute(name, facts, undefined);
      if (ran !== undefined) this.#noteLast({ type: 'hook-ran', ...ran });
    }
  }

  #noteLast(event: NewEvent): void {
    try {
      this.#setting.recordLast(event);
    } catch {
      // What cannot be recorded runs all the same.
    }
  }

  /** A run that breaks while it stops has been cleaned up after. */
  #isThere(name: HookName): boolean {
    return this.#parts.spec.hooks[name] !== undefined && !(name === 'on_stop' && this.#hasStopped);
  }

  async #execute(
    name: HookName,
    facts: HookFacts,
    hurry: AbortSignal | undefined,
  ): Promise<EventBodies['hook-ran'] | undefined> {
    const { spec, runId, environment, tree, journal } = this.#parts;
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
