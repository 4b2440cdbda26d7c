import type { AgentEvent } from '../../../src/model/agent-event.js';
import { totalSpend } from '../../../src/model/spend-account.js';
import { begin, end, started, stateAfter, used } from '../../support/record.js';
import { faultsOf } from '../../support/well-formed-event.js';

/** A line tells a few things, and more only where it lists them. */
const BYTES_OF_ONE = 8;
const FEW = 8;
/** Texts may be repeated in another form, and a complaint quotes the first line. */
const TIMES_THE_INPUT = 6;
const SOME_BYTES = 8192;

/** What is wrong with the events that were made of so many bytes. */
export function eventsFault(events: readonly AgentEvent[], inputBytes: number, lineCount: number): string | undefined {
  const faults = events.flatMap((event) => faultsOf(event));
  if (faults.length > 0) return `malformed: ${faults.slice(0, 5).join(', ')}`;
  if (events.length > FEW * lineCount + inputBytes / BYTES_OF_ONE)
    return `${events.length} events of ${inputBytes} bytes`;
  const bytes = JSON.stringify(events).length;
  if (bytes > SOME_BYTES * lineCount + inputBytes * TIMES_THE_INPUT) return `${bytes} bytes of ${inputBytes}`;
  return spendFault(events);
}

function spendFault(events: readonly AgentEvent[]): string | undefined {
  const reports = events.flatMap((event) => {
    if (event.kind !== 'usage') return [];
    const { kind: _kind, spend, ...report } = event;
    return [used(spend, { model: undefined, ...report })];
  });
  if (reports.length === 0) return undefined;
  const spend = totalSpend(stateAfter(started(), begin(1), ...reports, end(1)).spend);
  const wrong = Object.entries(spend).filter(([, value]) => value !== undefined && !(Number(value) >= 0));
  return wrong.length === 0 ? undefined : `spend is ${JSON.stringify(Object.fromEntries(wrong))}`;
}
