import { PawlError } from '../model/errors.js';

/** Another worker has the run: nothing that this one does counts any more. */
export class SupersededError extends PawlError {
  readonly runId: string;

  constructor(runId: string, epoch: number) {
    super('LockedError', `run ${runId}: another worker has taken it over (this one had it as epoch ${epoch})`);
    this.name = 'SupersededError';
    this.runId = runId;
  }
}
