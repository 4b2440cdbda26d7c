import { probeProtectedPaths } from '../../../observation/protected-paths.js';
import { ConfigError } from '../../../model/errors.js';
import { isRecord } from '../../../model/show-value.js';
import type { RunEvent } from '../../../model/run-event.js';
import type { MissingFact } from '../../../replay/lane.js';
import { createReplay, type Replay, type ReplayReading } from '../../../replay/replay.js';
import { parseTriedPolicy } from '../../../app/replay-policy.js';
import type { ReplayAnswer } from '../wire/api.js';
import type { FoldedRun } from './folded-run.js';
import { Refusal } from './refusal.js';

const NAME = 'policy';

/** The record of a run under the policy that the page asks about. Executes nothing. */
export async function replayRun(folded: FoldedRun, asked: unknown): Promise<ReplayAnswer> {
  await folded.catchUp();
  const of = folded.view.state.kind === 'pipeline' ? 'pipeline' : 'loop';
  const tried = parseTriedPolicy(policyIn(asked), NAME, of);
  let reading: ReplayReading | undefined;
  const begin = (event: RunEvent) =>
    createReplay(event.type === 'run-started' ? tried.policyFor(event) : undefined, { guard: probeProtectedPaths });
  for await (const event of folded.eventsAfter(0)) {
    reading ??= begin(event);
    reading.see(event);
  }
  if (reading === undefined) throw new Refusal(409, 'nothing is recorded for this run yet');
  return answerOf(reading.end(), tried.notes);
}

function policyIn(asked: unknown): string {
  const policy = isRecord(asked) ? asked['policy'] : undefined;
  if (typeof policy === 'string' && policy.trim() !== '') return policy;
  throw new ConfigError([{ path: NAME, message: 'a policy is a text with the lists success, failure and limits' }]);
}

function answerOf({ policy, stop, saved, missing }: Replay, notes: readonly string[]): ReplayAnswer {
  return {
    policy,
    missing: missing.map(sentenceOf),
    notes,
    ...(stop === undefined
      ? {}
      : { stop: { iteration: stop.iteration, seq: stop.seq, class: stop.class, reasons: stop.reasons } }),
    ...(saved === undefined
      ? {}
      : {
          saved: {
            iterations: saved.iterations,
            costUsd: saved.costUsd,
            activeMs: saved.activeMs,
            losesGoal: saved.losesGoal,
          },
        }),
  };
}

function sentenceOf({ type, what, unknown, of }: MissingFact): string {
  return unknown < of ? `${type} could not be judged everywhere: ${what}` : `${type} could not be judged: ${what}`;
}
