import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ListedRun } from '../../../journal/list-runs.js';
import type { ExitCode } from '../../../model/exit-code.js';
import type { EventOf, RunEvent } from '../../../model/run-event.js';
import { openIteration } from '../../../model/phase.js';
import type { RunState } from '../../../model/run-state.js';
import { evaluateRun } from '../../../stop/evaluate-policy.js';
import { outputFolder } from '../../../run/history.js';
import { toolInput } from '../../../words/event-words.js';
import { iterationDetails, type ShownIteration } from '../../text/iteration-details.js';
import { jsonText } from '../../text/json-text.js';
import { verdictDifference } from '../../text/iteration-table.js';
import { placeFlag } from '../../../app/run-folder.js';
import { noSuchIteration } from '../../../app/no-such-iteration.js';
import { exitCodeOfRecord, readRecord } from '../../../app/read-record.js';
import type { CommandContext } from '../command-context.js';

/** Errors are kept up to this many: an agent may repeat one for ever. */
const MOST_ERRORS = 20;

export async function showIteration(
  run: ListedRun,
  number: number,
  { json, cwd }: { readonly json?: boolean; readonly cwd?: string },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context;
  let found: ShownIteration | undefined;
  let current: number | undefined;
  const record = await readRecord(run, (event, before, after) => {
    if (event.type === 'iteration-started') {
      current = event.iteration;
      if (current === number)
        found = { started: event, errors: [], denied: [], claims: [], hooks: [], reviews: [], difference: [] };
    } else if (current === number && found !== undefined) found = withEvent(found, event, before, after);
  });
  if (found === undefined && !record.isDamaged) {
    throw noSuchIteration(run.runId, number, record.state);
  }
  if (found !== undefined) {
    const shown = {
      ...found,
      prompt: await promptOf(run, found.started),
      wayTo: { runId: run.runId, place: placeFlag(cwd) },
    };
    if (json === true) terminal.raw(`${jsonText(jsonOf(shown), 2)}\n`);
    else for (const line of iterationDetails(shown, context)) terminal.say(line);
  }
  return exitCodeOfRecord(record, terminal);
}

function withEvent(shown: ShownIteration, event: RunEvent, before: RunState, after: RunState): ShownIteration {
  switch (event.type) {
    case 'error-seen':
      return { ...shown, errors: [...shown.errors, `${event.kind}: ${event.message}`].slice(-MOST_ERRORS) };
    case 'permission-denied':
      return {
        ...shown,
        denied: [...shown.denied, `${event.tool} ${toolInput(event.detail ?? '')}`.trim()].slice(-MOST_ERRORS),
      };
    case 'claim-made': {
      const { claim, evidence, from } = event;
      const made = { claim, evidence, ...(from === undefined ? {} : { from }) };
      return { ...shown, claims: [...shown.claims, made].slice(-MOST_ERRORS) };
    }
    case 'green-seen':
      return { ...shown, green: openIteration(after)?.green };
    case 'hook-ran':
      return event.failure === undefined ? shown : { ...shown, hooks: [...shown.hooks, event].slice(-MOST_ERRORS) };
    case 'iteration-ended': {
      const summary = after.recent.at(-1);
      const green = summary?.iteration === event.iteration ? summary.green : undefined;
      return { ...shown, ended: event, summary, green };
    }
    case 'review-ended':
      // What it said is part of the verdict.
      return { ...shown, reviews: [...shown.reviews, event].slice(-MOST_ERRORS), verdict: undefined };
    case 'verdict-reached': {
      // A pause or a wait is judged again: the first verdict after the iteration is its own.
      if (shown.ended === undefined || shown.verdict !== undefined) return shown;
      const difference = verdictDifference(event.verdict, before);
      const recomputed = difference.length === 0 ? undefined : evaluateRun(before);
      return { ...shown, verdict: event.verdict, difference, recomputed };
    }
    default:
      return shown;
  }
}

function jsonOf({
  started,
  ended,
  summary,
  errors,
  denied,
  claims,
  green,
  hooks,
  reviews,
  verdict,
  recomputed,
  prompt,
}: ShownIteration) {
  return {
    iteration: started.iteration,
    try: started.try,
    startedAt: started.at,
    endedAt: ended?.at,
    outcome: ended?.outcome ?? 'executing',
    interruption: ended?.interruption,
    ending: ended?.ending,
    durationMs: ended?.durationMs,
    error: ended?.error,
    session: started.session,
    spend: summary?.spend,
    estimated: summary?.estimated,
    observation: ended?.observation,
    errors,
    denied,
    claims,
    green,
    failedHooks: hooks.map(({ hook, exitCode, output, failure }) => ({ hook, exitCode, output, ...failure })),
    ...(reviews.length === 0 ? {} : { reviews: reviews.map(reviewJson) }),
    verdict,
    recomputed,
    prompt,
  };
}

function reviewJson({
  cause,
  reviewer,
  opinion,
  problem,
  costUsd,
  durationMs,
  evidence,
  tree,
}: EventOf<'review-ended'>) {
  return { cause, reviewer, ...opinion, problem, costUsd, durationMs, evidence, tree };
}

async function promptOf({ folder }: ListedRun, started: EventOf<'iteration-started'>): Promise<string | undefined> {
  try {
    return await readFile(join(folder, outputFolder(started.iteration, started.try), 'prompt.md'), 'utf8');
  } catch {
    return undefined;
  }
}
