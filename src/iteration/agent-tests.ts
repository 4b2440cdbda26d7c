import type { AgentEventOf } from '../model/agent-event.js';
import type { RunSpec } from '../model/run-spec.js';
import type { TestResults } from '../model/test-results.js';
import { parseTestOutput } from '../observation/parse-test-output.js';
import type { GreenWatch } from './green-watch.js';

/** Reads how tests went off the output of the agent's own tools. */
export class AgentTests {
  readonly #isParsed: boolean;
  /** Where Pawl runs no tests, these are the tests of the iteration. */
  readonly #isSource: boolean;
  readonly #green: GreenWatch | undefined;
  last: TestResults | undefined;

  constructor({ tests, parseTests }: Pick<RunSpec, 'tests' | 'parseTests'>, green: GreenWatch | undefined) {
    this.#isParsed = parseTests;
    this.#isSource = tests === undefined;
    this.#green = green;
  }

  see({ failed, denied, output }: AgentEventOf<'tool-result'>): void {
    if (!this.#isParsed || output === undefined) return;
    const isWatched = !failed && denied !== true && this.#green?.mayRead(output) === true;
    if (!this.#isSource && !isWatched) return;
    const parsed = parseTestOutput(output);
    if (parsed === undefined) return;
    if (this.#isSource) this.last = { source: 'agent', ...parsed };
    if (isWatched) this.#green?.see(parsed);
  }
}
