import { runHook } from '../iteration/run-hook.js';
import type { Json } from '../model/json.js';
import type { NewEvent } from '../model/run-event.js';
import type { HookName } from '../model/run-spec.js';
import type { RunParts } from './run-parts.js';

export interface HookSetting {
  readonly signal: AbortSignal;
  readonly record: (event: NewEvent) => void;
  readonly askPause: () => void;
}

const STATUS = { before_iteration: 'pre_hooks', after_iteration: 'post_hooks' } as const;

/** The user's own commands at certain moments of a run. */
export class Hooks {
  readonly #parts: RunParts;
  readonly #setting: HookSetting;

  constructor(parts: RunParts, setting: HookSetting) {
    this.#parts = parts;
    this.#setting = setting;
  }

  /** Runs a hook if there is one. Gives the reason when what follows must not go on because of it. */
  async run(name: HookName, facts: Readonly<Record<string, Json | undefined>>): Promise<string | undefined> {
    const { spec, runId, environment, tree, journal } = this.#parts;
    const { record, askPause } = this.#setting;
    const hook = spec.hooks[name];
    // Who cleans up when a run stops wants that also when it stops at once.
    const signal = name === 'on_stop' ? undefined : this.#setting.signal;
    if (hook === undefined || signal?.aborted === true) return undefined;
    if (name === 'before_iteration' || name === 'after_iteration') {
      record({ type: 'iteration-status', status: STATUS[name] });
    }
    const { workingDir } = spec;
    const known = { run: runId, workingDir, status: journal.state.status, ...facts };
    const ran = await runHook(name, hook, known, { workingDir, environment, cookie: `${runId}.hook`, signal });
    // It may have changed what the agent works on.
    tree?.disturb();
    record({ type: 'hook-ran', ...ran });
    const { failure } = ran;
    if (failure === undefined || failure.leadsTo === 'warn') return undefined;
    if (failure.leadsTo === 'pause') askPause();
    return failure.message;
  }
}
