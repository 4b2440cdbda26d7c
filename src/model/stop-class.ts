/** What kind of end a condition means, strongest first. */
export const STOP_CLASSES = ['veto', 'goal', 'operator', 'blocked', 'failure', 'limit'] as const;

export type StopClass = (typeof STOP_CLASSES)[number];

/** 0 for the strongest. */
export function rankOf(stopClass: StopClass): number {
  return STOP_CLASSES.indexOf(stopClass);
}
