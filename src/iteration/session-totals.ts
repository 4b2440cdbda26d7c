import type { AgentEvent, AgentEventOf } from '../model/agent-event.js';

type Usage = AgentEventOf<'usage'>;

/**
 * Holds back the running totals of a session until all its requests are told. An agent with a file beside its stream
 * tells both by two ways, in no order: a request that comes after a total which has it already would count twice. Of
 * the last totals of both the larger counts: a turn that failed has none on its stream, a record may lack its end.
 */
export class SessionTotals {
  #session: string | undefined;
  #ofStream: Usage | undefined;
  #ofFile: Usage | undefined;

  /** The event if it can be told now. */
  pass(event: AgentEvent, source: 'stream' | 'file'): AgentEvent | undefined {
    if (event.kind === 'session') this.#session = event.id;
    if (event.kind !== 'usage' || event.scope !== 'session-total') return event;
    if (source === 'file') this.#ofFile = event;
    else this.#ofStream = event;
    return undefined;
  }

  end(): readonly Usage[] {
    const [total] = [this.#ofFile, this.#ofStream].filter((one) => one !== undefined).sort(bySize);
    return total === undefined ? [] : [{ ...total, session: total.session ?? this.#session }];
  }
}

function bySize(a: Usage, b: Usage): number {
  return (b.spend.totalTokens ?? 0) - (a.spend.totalTokens ?? 0);
}
