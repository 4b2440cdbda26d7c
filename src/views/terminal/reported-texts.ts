import { claimsOf } from '../../model/claim.js';
import type { RunState } from '../../model/run-state.js';
import type { Explanation } from '../../replay/explain.js';
import { claimSentence, quote } from '../../stop/figures.js';
import { MOST_OF_QUESTION } from './where-text.js';

type Reported = Pick<Explanation, 'claims' | 'reasons' | 'class' | 'stop' | 'status' | 'question' | 'blockedReport'>;

/** What the agent said of its own work and asked a person, unless that is why the run ended or what it waits for. */
export function reportedTexts(state: RunState): readonly string[] {
  const { latest, ended, status, question, blockedReport } = state;
  return reportedIn({
    claims: claimsOf(latest.claims),
    reasons: ended?.reasons ?? [],
    class: ended?.class,
    stop: ended !== undefined,
    status,
    // A view that shows the wait shows the question with it.
    question: status === 'waiting' ? undefined : question,
    blockedReport,
  });
}

/** The same of a run at any moment of its record. */
export function reportedIn({ claims, reasons, question, blockedReport, ...run }: Reported): readonly string[] {
  const isUnverified = run.stop && run.class !== 'goal';
  const said = claims.map(({ claim, evidence }) => ({ claim, said: claimSentence(claim, evidence) }));
  const isStillBlocked = blockedReport !== undefined && claims.length === 0 && !(run.stop && run.class === 'goal');
  return [
    ...said
      .filter((each) => !reasons.some(({ message }) => message.includes(each.said)))
      .map((each) =>
        each.claim === 'done' && isUnverified ? `${each.said}, but the goal was not verified` : each.said,
      ),
    ...(isStillBlocked
      ? [
          `the agent said in iteration ${blockedReport.iteration} that it is blocked: ${quote(blockedReport.evidence, 160)}`,
        ]
      : []),
    ...(question === undefined ? [] : [questionSentence(question, run.status)]),
  ];
}

function questionSentence(question: string, status: RunState['status']): string {
  const asked = quote(question, MOST_OF_QUESTION);
  return status === 'waiting' ? `the agent asks: ${asked}` : `the agent asked: ${asked}; nobody answered`;
}
