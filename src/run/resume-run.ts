import { statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { locateRun } from '../journal/list-runs.js';
import { readJournal } from '../journal/read-journal.js';
import { secretsIn } from '../journal/redact.js';
import type { Environment } from '../journal/run-places.js';
import type { StoredSnapshot } from '../journal/snapshot.js';
import { ConfigError, InvalidState, JournalDamaged, LockedError } from '../model/errors.js';
import { canonicalJson } from '../model/json.js';
import { reduce } from '../model/reduce.js';
import type { AgentSpec, RunSpec } from '../model/run-spec.js';
import { INITIAL_STATE, type RunState } from '../model/run-state.js';
import { totalSpend } from '../model/spend-account.js';
import { RunHandle } from './run-handle.js';
import { checkRunOptions, type RunOptions } from './run-options.js';
import { recordedRunSource } from './run-source.js';
import { openFileJournal } from '../journal/open-file-journal.js';
import type { LoopCommand } from '../model/loop-command.js';
import { loopStateOf } from '../model/phase.js';
import { meantBy } from '../model/questions.js';
import { whyNotAnswered, whyNotInPrompt } from './command-legality.js';

const MOST_LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 50;

export interface ResumeOptions extends RunOptions {
  readonly workingDir: string;
  /** An id or the beginning of one; the latest run when it is left out. */
  readonly run?: string | undefined;
  /** Variables of the agent that the record does not hold because they are secret. */
  readonly agentEnv?: Readonly<Record<string, string>> | undefined;
  /** Where to post notifications: the record does not hold that, because it is secret. */
  readonly webhook?: string | undefined;
}

/**
 * A recorded run, to continue with it: `run()` continues after a crash or a stop. Throws ConfigError when there is no such
 * run.
 *
 * @example
 * ```ts
 * import { maxIterations, resumeRun } from 'pawl';
 *
 * const run = await resumeRun({ workingDir: '.' });
 * await run.run({ raise: [maxIterations(50)] });
 * ```
 */
export async function resumeRun(options: ResumeOptions): Promise<RunHandle> {
  const { workingDir: _place, run: _run, agentEnv: _env, webhook: _webhook, ...runOptions } = options;
  checkRunOptions(runOptions);
  const { runId, spec, recorded } = await findRecorded(options);
  if (recorded.kind === 'agent' && options.agent === undefined) {
    const message = `${runId} is a run of an agent in code: continue it there with agent.resume('${runId}')`;
    throw new ConfigError([{ path: '', message }]);
  }
  return new RunHandle(recordedRunSource(spec, runId, recorded, options));
}

export interface RecordedRun {
  readonly runId: string;
  readonly spec: RunSpec;
  readonly recorded: RunState;
}

/** What is on record of a run. Rejects with ConfigError when there is no such run. */
export async function findRecorded(options: ResumeOptions): Promise<RecordedRun> {
  const { workingDir, run, environment = process.env, agentEnv } = options;
  const { runId, snapshot, journalPath } = locateRun(workingDir, run, environment);
  if (snapshot !== undefined) await checkNothingLost(journalPath, snapshot);
  // A snapshot may be older than the journal, and of a run that had hardly begun.
  const recorded = snapshot?.state?.spec === undefined ? await foldJournal(journalPath) : snapshot.state;
  if (recorded.spec === undefined) {
    throw new ConfigError([{ path: '', message: `${runId} has no spec in its record: it cannot be resumed` }]);
  }
  const spec = withSecrets(recorded.spec, { ...environment, ...agentEnv }, webhookOf(recorded.spec, options));
  return { runId, spec, recorded };
}

/** A snapshot is only taken of what is on disk for certain: a shorter journal was cut by someone. */
async function checkNothingLost(path: string, { offset, iterations, spend }: StoredSnapshot): Promise<void> {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size >= offset) return;
  const left = await foldJournal(path);
  const isSpendWhole = canonicalJson(totalSpend(left.spend)) === canonicalJson(spend);
  if (left.iterations === iterations && isSpendWhole) return;
  const what = `it is incomplete: it has ${left.iterations} iterations, state.json of ${iterations}`;
  throw new JournalDamaged(path, left.seq + 1, `${what}. It is not resumed, because its budgets would start from zero`);
}

async function foldJournal(path: string): Promise<RunState> {
  let state = INITIAL_STATE;
  // What is torn off is reported when the journal is opened for writing.
  for await (const event of readJournal(path, { onTorn: () => undefined })) state = reduce(state, event);
  return state;
}

/** The record holds `[NAME]` in place of a secret: its value comes from the environment again. */
function withSecrets(spec: RunSpec, environment: Environment, webhook: string | undefined): RunSpec {
  const values = new Map(
    secretsIn(environment)
      .toReversed()
      .map(({ name, value }) => [`[${name}]`, value]),
  );
  const restored = <A extends AgentSpec>(agent: A, at: string): A => {
    const env = Object.entries(agent.env).map(([name, value]) => {
      const found = values.get(value) ?? value;
      if (found !== value || !/^\[\w+\]$/.test(value)) return [name, found] as const;
      const message = `its value is secret and not in the record: set ${name} in the environment`;
      throw new ConfigError([{ path: `${at}.env.${name}`, message }]);
    });
    return { ...agent, env: Object.fromEntries(env) };
  };
  const { agent, review, notify } = spec;
  return {
    ...spec,
    agent: restored(agent, 'agent'),
    ...(review?.agent === undefined ? {} : { review: { ...review, agent: restored(review.agent, 'review') } }),
    notify: { ...notify, webhook },
  };
}

function webhookOf({ notify }: RunSpec, { webhook, onWarning }: ResumeOptions): string | undefined {
  if (notify.webhook !== '[NOTIFY_WEBHOOK]') return notify.webhook;
  if (webhook === undefined) onWarning?.('notify.webhook is secret and not in the record: nothing is posted');
  return webhook;
}

export type Answer = Extract<LoopCommand, { readonly type: 'answer' }>;

interface AnswerOptions {
  readonly workingDir: string;
  readonly runId: string;
  readonly answer: Answer;
  /** Who answers, for the record. */
  readonly by: string;
  readonly environment: Environment;
}

/**
 * Records the answer to a question of a run that no process has now: it has ended, or its process is gone. A resume then
 * continues with it. Throws InvalidState when there is no such question, LockedError while a run is at work in the tree.
 */
export async function answerStoppedRun(options: AnswerOptions): Promise<Answer & { readonly status: string }> {
  const { runId, answer, by, environment } = options;
  const { workingDir } = locateRun(options.workingDir, runId, environment);
  const journal = await openForAnswer({ workingDir, runId, environment });
  try {
    const { state } = journal;
    const status = loopStateOf(state);
    const why =
      status === 'completed'
        ? 'cannot answer: the run is done, and is not resumed'
        : (whyNotAnswered(answer, state) ?? whyNotInPrompt(answer.text, state));
    if (why !== undefined) throw new InvalidState(status, 'answer', why);
    const command = { ...answer, ...meantBy(answer, state) } as Answer;
    journal.append({ type: 'command-received', command, by }, state.activeMs);
    return { ...command, status };
  } finally {
    await journal.close();
  }
}

/** Another answer has the record for a moment. */
async function openForAnswer(how: Parameters<typeof openFileJournal>[0]): Promise<ReturnType<typeof openFileJournal>> {
  for (let left = MOST_LOCK_TRIES; ; left -= 1) {
    try {
      return openFileJournal(how);
    } catch (error) {
      if (!(error instanceof LockedError) || left === 0) throw error;
    }
    // oxlint-disable-next-line no-await-in-loop -- one try after the other
    await setTimeout(LOCK_PAUSE_MS);
  }
}
