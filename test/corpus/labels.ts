import { readFileSync } from 'node:fs';

/** Where a person who watched the run would have stopped it. */
export interface Label {
  /** After which iteration; null: let it run to its end. */
  readonly stopAfter: number | null;
  /** Whether stopping there loses a goal that the run reached later. */
  readonly losesGoal: boolean;
  /** The run says that its goal is met, and a person would not agree. */
  readonly falseGoal?: boolean | undefined;
  readonly why: string;
}

/** By the name of the run. */
export const LABELS: Readonly<Record<string, Label>> = JSON.parse(
  readFileSync(new URL('labels.json', import.meta.url), 'utf8'),
) as Record<string, Label>;
