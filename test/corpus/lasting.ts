import type { RunEvent } from '../../src/model/run-event.js';
import type { Verdict } from '../../src/model/verdict.js';

/**
 * An event without what a later version of Pawl may say in other words: a new setting with its default or a better
 * sentence is no reason to make the corpus anew.
 */
export function lasting(event: RunEvent): object {
  switch (event.type) {
    case 'run-started': {
      // The corpus is older than the versions of rules.
      const { spec: _spec, rules: _rules, ...rest } = event;
      return rest;
    }
    case 'iteration-ended': {
      // It is older than the record of what an agent asks and leaves open, and of what its tools write.
      const { request: _request, closing: _closing, wroteFiles: _wroteFiles, ...observation } = event.observation;
      return { ...event, observation };
    }
    case 'iteration-started': {
      const { configHash: _configHash, ...rest } = event;
      return rest;
    }
    case 'reboot-completed': {
      const { handover: _handover, ...rest } = event;
      return rest;
    }
    case 'verdict-reached':
      return { ...event, verdict: lastingReasons(event.verdict) };
    case 'run-ended':
      return { ...event, reasons: lastingReasons(event).reasons };
    default:
      return event;
  }
}

function lastingReasons({ class: stopClass, reasons }: Pick<Verdict, 'class' | 'reasons'>) {
  return { class: stopClass, reasons: reasons.map(({ path, condition }) => ({ path, condition })) };
}
