import { describe, expect, it } from 'vitest';
import { begin, end, record, stateAfter, started } from '../../../test/support/record.js';
import { contextOf, recordingTerminal } from '../../../test/support/terminal.js';
import type { Observation } from '../../model/observation.js';
import type { AgentEnding, EventOf } from '../../model/run-event.js';
import { iterationDetails } from './iteration-details.js';

/** All that is shown of an iteration which told nothing of what it used. */
function detailsOf(observation: Observation, ending?: AgentEnding, hooks: readonly EventOf<'hook-ran'>[] = []): string {
  const drafts = [started(), begin(1), end(1, { observation, ending })];
  const [, begun, ended] = record(drafts) as [unknown, EventOf<'iteration-started'>, EventOf<'iteration-ended'>];
  const summary = stateAfter(...drafts).recent.at(-1);
  const shown = {
    started: begun,
    ended,
    summary,
    errors: [],
    denied: [],
    claims: [],
    hooks,
    reviews: [],
    difference: [],
  };
  return iterationDetails(shown, contextOf(recordingTerminal())).join('\n');
}

describe('the details of an iteration', () => {
  it('what it spent is not told, rather than unknown and estimated at once', () => {
    expect(detailsOf({})).toMatch(/spent +not reported$/m);
  });

  it('the end of what uncounted failing tests printed stands under them, line by line', () => {
    const tests = { source: 'harness', exitCode: 1, details: [], output: 'first\n\n  Error: cannot find x\n' } as const;
    expect(detailsOf({ tests })).toMatch(/tests +.*fail\n +first\n +Error: cannot find x(\n|$)/);
    expect(detailsOf({ tests: { ...tests, exitCode: 0 } })).not.toContain('Error');
    expect(detailsOf({ tests: { ...tests, passed: 1, failed: 1 } })).not.toContain('Error');
  });

  it('a hook that failed is named with its own words, also where that is only a warning', () => {
    const hook = { ...record([started()])[0], type: 'hook-ran', hook: 'after_iteration', durationMs: 1 } as const;
    const failure = { message: 'the hook after_iteration exits with 4: disk full', leadsTo: 'warn' } as const;
    const details = detailsOf({}, undefined, [
      { ...hook, output: 'copying\ndisk full', failure } as unknown as EventOf<'hook-ran'>,
    ]);
    expect(details).toMatch(new RegExp(`hooks +${failure.message}.*warning.*\\n +"copying`));
  });

  it('only an agent that ended by itself left processes behind', () => {
    const ending = (cause: AgentEnding['cause']) => detailsOf({}, { cause, stragglers: 2, survivors: 0 });
    expect(ending('exit')).toContain('2 processes left behind and ended');
    expect(ending('timeout')).toContain('2 more of its processes ended');
  });

  it('says that an agent was killed because it spent on', () => {
    const details = detailsOf({ signal: 'SIGKILL' }, { cause: 'aborted', stragglers: 0, survivors: 0, spentOn: true });
    expect(details).toMatch(/by SIGKILL, because.*spent/s);
  });
});
