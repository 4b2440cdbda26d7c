import { type GitAnswer, type GitPlace, runGit } from '../../workspace/git.js';

/** How long a whole piece of work, of several calls, may take. */
export interface CallLimits {
  /** By `performance.now()`. */
  readonly endsAtMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** git could not do it. `isDamage`: the shadow repository may be at fault, so that a fresh start may help. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed';
  readonly isDamage: boolean;
  readonly stderr: string;
  readonly exitCode: number | undefined;

  constructor(
    message: string,
    { isDamage = false, stderr = '', exitCode }: Partial<Omit<GitFailed, keyof Error>> = {},
  ) {
    super(message);
    this.isDamage = isDamage;
    this.stderr = stderr;
    this.exitCode = exitCode;
  }
}

/** Runs git to a good end, or throws GitFailed. */
export async function callGit(
  place: GitPlace,
  args: readonly string[],
  { endsAtMs, signal }: CallLimits,
  input?: Uint8Array | string,
): Promise<GitAnswer> {
  const timeoutMs = Math.max(0, endsAtMs - performance.now());
  const answer = await runGit({ ...place, signal, timeoutMs }, args, input);
  const { error, stderr, exitCode, overflow, aborted, timedOut, notStarted } = answer;
  if (error === undefined) return answer;
  const isUnfinished = notStarted !== undefined || timedOut || overflow;
  if (isUnfinished) throw new GitFailed(`${error}; ${HOW_TO_DO_WITHOUT}`);
  throw new GitFailed(error, { isDamage: !aborted, stderr, exitCode });
}

export const HOW_TO_DO_WITHOUT = 'track_file_changes: false turns the tracking of files off';
