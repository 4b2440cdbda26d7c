import { confirm, isCancel, select, text } from '@clack/prompts';
import { AGENTS } from '../../../agents/index.js';
import type { KnownAgent } from '../../../agents/known-agent.js';
import { usd } from '../../../model/figures.js';
import { DEFAULT_COST_USD, DEFAULT_REVIEW_COST_USD, reviewerName } from '../../../setup/setup-choices.js';
import type { CommandContext } from '../command-context.js';
import type { InitFlags } from './init-flags.js';
import type { Seen } from './inspect-project.js';

interface Streams {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WriteStream;
}

/** Asks in the terminal what no flag has said; undefined when the user would rather not. */
export async function askQuestions(
  flags: InitFlags,
  seen: Seen,
  { stdin: input, stdout: output }: CommandContext,
): Promise<InitFlags | undefined> {
  const streams = { input, output };
  const agent = flags.agent ?? (await askAgent(seen, streams));
  if (agent === null) return undefined;
  const tests =
    flags.tests === undefined ? await askTests(seen.tests?.command ?? '', streams) : { command: flags.tests };
  if (tests === null) return undefined;
  const { checklist: list } = seen;
  const isList = list === undefined || flags.goals.length > 0 ? false : await askChecklist(list, streams);
  if (isList === null) return undefined;
  const checklist = isList ? list?.path : undefined;
  const isByTests = tests.command !== null && flags.goals.length === 0 && checklist === undefined;
  const task = flags.task ?? (isByTests ? await askTask(streams) : 'build');
  if (task === null) return undefined;
  const globs = seen.tests?.testFiles ?? [];
  const protect =
    flags.protect ?? (tests.command === null || globs.length === 0 ? [] : await askProtected(globs, streams));
  if (protect === null) return undefined;
  const reviewer = flags.review ?? seen.reviewerOf(agent);
  const isReviewed = flags.review ?? (reviewer === undefined ? false : await askReview(reviewer, streams));
  if (isReviewed === null) return undefined;
  const review = isReviewed === false ? undefined : reviewer;
  const maxCostUsd = flags.maxCostUsd ?? (await askCost(streams));
  return maxCostUsd === null
    ? undefined
    : { ...flags, agent, tests: tests.command, checklist, task, review, protect, maxCostUsd };
}

async function askAgent({ installed, likely }: Seen, streams: Streams): Promise<KnownAgent | null> {
  const name = await select({
    ...streams,
    message: 'Which agent does the work?',
    options: AGENTS.map((agent) => ({
      value: agent.name,
      label: installed.includes(agent) ? `${agent.title} (installed)` : agent.title,
    })),
    initialValue: likely.name,
  });
  return isCancel(name) ? null : (AGENTS.find((agent) => agent.name === name) ?? likely);
}

async function askTests(initial: string, streams: Streams): Promise<{ readonly command: string | null } | null> {
  const answer = await text({
    ...streams,
    message: 'Which command runs the tests? (empty for none)',
    initialValue: initial,
  });
  if (isCancel(answer)) return null;
  const command = answer.trim();
  return { command: command === '' ? null : command };
}

async function askChecklist({ path, open }: NonNullable<Seen['checklist']>, streams: Streams): Promise<boolean | null> {
  const boxes = open === 1 ? '1 open box' : `${open} open boxes`;
  const message = `${path} has ${boxes}. Is the work done when all of them are checked?`;
  const isGoal = await confirm({ ...streams, message, initialValue: true });
  return isCancel(isGoal) ? null : isGoal;
}

async function askTask(streams: Streams): Promise<'repair' | 'build' | null> {
  const task = await select({
    ...streams,
    message: 'Repair failing tests, or build something new?',
    options: [
      { value: 'build', label: 'Build', hint: 'done when the tests pass and the agent says it is done' },
      { value: 'repair', label: 'Repair', hint: 'done as soon as all tests pass' },
    ] as const,
    initialValue: 'build' as const,
  });
  return isCancel(task) ? null : task;
}

async function askProtected(globs: readonly string[], streams: Streams): Promise<readonly string[] | null> {
  const mayChange = await confirm({
    ...streams,
    message: `May the agent change the tests? (${globs.join('  ')})`,
    initialValue: true,
  });
  if (isCancel(mayChange)) return null;
  return mayChange ? [] : globs;
}

async function askReview(reviewer: KnownAgent, streams: Streams): Promise<boolean | null> {
  const message = `Does ${reviewerName(reviewer)} have to agree before the work counts as done? (at most ${usd(DEFAULT_REVIEW_COST_USD)} a run)`;
  const isWanted = await confirm({ ...streams, message, initialValue: true });
  return isCancel(isWanted) ? null : isWanted;
}

async function askCost(streams: Streams): Promise<number | null> {
  const answer = await text({
    ...streams,
    message: 'How many US dollars may a run spend?',
    initialValue: String(DEFAULT_COST_USD),
    validate: (value = '') => (isAmount(value.trim()) ? undefined : 'An amount above 0, such as 5 or 2.50'),
  });
  return isCancel(answer) ? null : Number(answer.trim());
}

function isAmount(value: string): boolean {
  return /^\d{1,9}(?:\.\d{1,6})?$/.test(value) && Number(value) > 0;
}
