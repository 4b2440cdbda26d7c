/** One question, until an iteration that ended by itself has had the answer. */
export interface Question {
  /** `q1`, `q2` and so on: a run never uses one again. */
  readonly id: string;
  readonly text: string;
  readonly choices?: readonly string[] | undefined;
  readonly iteration: number;
  readonly askedAt: string;
  readonly answer?: { readonly text: string; readonly by: string } | undefined;
  /** The wait for an answer ended without one, and a person resumed the run. */
  readonly isGivenUp?: true | undefined;
  /** The iteration that is under way was given the answer, by its prompt or by the call that asked. */
  readonly isSent?: true | undefined;
}

export interface Questions {
  /** How many were asked in all. */
  readonly asked: number;
  readonly list: readonly Question[];
  /** For those that are open. Absent: it has not started. Only another question starts one again. */
  readonly wait?: { readonly since: string; readonly until?: string | undefined } | 'over' | undefined;
}
