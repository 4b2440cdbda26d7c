/** What kind of end a condition means, strongest first. */
export const STOP_CLASSES = ['veto', 'goal', 'operator', 'blocked', 'failure', 'limit'] as const;

export type StopClass = (typeof STOP_CLASSES)[number];

/** 0 for the strongest. */
export function rankOf(stopClass: StopClass): number {
  return STOP_CLASSES.indexOf(stopClass);
}

/** A status in words for people: a pipeline that worked on every item is completed only if every item was approved. */
export function outcomeWord(status: string, stopClass: StopClass | undefined): string {
  return status === 'completed' && stopClass !== undefined && stopClass !== 'goal' ? 'incomplete' : status;
}
