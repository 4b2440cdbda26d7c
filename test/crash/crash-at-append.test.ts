import { afterEach, describe, expect, it } from 'vitest';
import { canonicalJson } from '../../src/model/json.js';
import { reduceAll } from '../../src/model/reduce.js';
import { crashingJournal, SimulatedCrash } from '../../src/testing/index.js';
import { realisticEvents } from '../contract/realistic-events.js';
import { FULL } from '../support/full-form.js';
import { DEAD_PROCESS, eventsIn, type ScratchRun, scratchRun } from './scratch-run.js';

let scratch: ScratchRun | undefined;
afterEach(() => scratch?.dispose());

const EVENTS = realisticEvents(FULL ? 200 : 30);

describe.each(['before', 'after'] as const)('a crash %s an append', (when) => {
  it('leaves exactly the events before it, at every append, and the run goes on', async () => {
    for (let append = 1; append <= EVENTS.length; append += 1) {
      const run = scratchRun();
      scratch = run;
      const inside = run.create({ self: DEAD_PROCESS });
      const journal = crashingJournal(inside, { append, when });
      expect(() => EVENTS.forEach((event, index) => journal.append(event, index))).toThrow(SimulatedCrash);
      const kept = when === 'before' ? append - 1 : append;
      const again = run.open();
      expect(again.recovered).toBeUndefined();
      expect(canonicalJson(again.state)).toBe(canonicalJson(inside.state));
      for (const [index, event] of EVENTS.slice(kept).entries()) again.append(event, kept + index);
      await again.close();
      const events = await eventsIn(run.path);
      expect(events.map((event) => event.type)).toEqual(EVENTS.map((event) => event.type));
      expect(canonicalJson(again.state)).toBe(canonicalJson(reduceAll(events)));
      run.dispose();
    }
  }, 300_000);
});
