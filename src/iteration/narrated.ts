import { asksPerson } from '../model/asks-person.js';
import type { Claim } from '../model/claim.js';
import type { Observation, SeenRequest } from '../model/observation.js';
import type { RunSpec } from '../model/run-spec.js';
import { claimAtEnd, withoutStatusLine } from '../model/status-line.js';
import { isRefusal } from '../model/wait-policy.js';
import { summaryOf } from '../observation/summary-of.js';
import type { Narration } from './narrate.js';
import type { Outcome } from './outcome.js';

/** What the agent's own words and events show. */
export function narrated({ statusLine }: RunSpec, narration: Narration, outcome: Outcome): Observation {
  const said = statusLine === true ? withoutStatusLine : (text: string | undefined) => text;
  return {
    summary: summaryOf(said(narration.result?.text), said(narration.lastMessage)),
    request: requestOf(said(narration.closing), outcome),
    contextPercent: narration.contextPercent,
    tests: narration.tests,
    ...(narration.droppedEvents === 0 ? {} : { unobserved: [droppedText(narration.droppedEvents)] }),
  };
}

/** What the provider refused was not the agent's turn. Words say that all is done only where the agent came to its end. */
export function claimOf(closing: string | undefined, { outcome }: Outcome): Claim | undefined {
  const claim = closing === undefined || isRefusal(outcome) ? undefined : claimAtEnd(closing);
  return claim?.from === 'words' && outcome !== 'completed' ? undefined : claim;
}

/** Only an agent that ended its turn itself has said all it had to say. */
function requestOf(closing: string | undefined, { outcome }: Outcome): SeenRequest | undefined {
  if (closing === undefined || closing.trim() === '') return undefined;
  if (outcome !== 'completed' && outcome !== 'failed') return undefined;
  return asksPerson(closing) ?? { kind: 'none' };
}

function droppedText(count: number): string {
  return `the record leaves out ${count.toLocaleString('en-US')} events of the agent: there were too many in one iteration`;
}
