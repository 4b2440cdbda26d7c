import { PawlError } from '../model/errors.js';

/** This worker may record nothing more of the run: another has it, or events are missing. */
export class SupersededError extends PawlError {
  readonly runId: string;

  constructor(runId: string, epoch: number, why = 'another worker has taken it over') {
    super('LockedError', `run ${runId}: ${why} (this one had it as epoch ${epoch})`);
    this.name = 'SupersededError';
    this.runId = runId;
  }
}
