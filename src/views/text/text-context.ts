import type { Surroundings } from '../../app/surroundings.js';
import type { Terminal } from './terminal.js';

/** Where a text is shown: the time and place that it is written for, and what it is written to. */
export interface TextContext extends Surroundings {
  readonly terminal: Terminal;
}
