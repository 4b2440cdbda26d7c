import type { Environment } from '../../../journal/run-places.js';
import { connectPostgres, type Database } from '../../../fleet/connect-postgres.js';
import { readFleetRuns } from '../../../fleet/fleet-status.js';
import { plural } from '../../../model/figures.js';
import { agoText } from '../../../words/clock-text.js';
import type { Candidate, WhatOfFleet } from './completion-request.js';
import { fleetOutcome } from '../../../app/fleet-words.js';
import { shortIds } from '../../../words/short-id.js';

/** No one waits longer at a key press. */
const WITHIN_MS = 700;
const MOST_RUNS = 40;
const MOST_NAMES = 200;

export interface FleetWish {
  readonly url: string;
  readonly what: WhatOfFleet;
  readonly typed: string;
  readonly nowMs: number;
  readonly environment: Environment;
}

/** What the database of the fleet knows that begins as typed. Nothing when it does not answer in a moment. */
export async function fleetCandidates({
  url,
  what,
  typed,
  nowMs,
  environment,
}: FleetWish): Promise<readonly Candidate[]> {
  const database = await connectPostgres(url, environment, { applicationName: 'pawl completion', withinMs: WITHIN_MS });
  try {
    switch (what) {
      case 'runs':
      case 'open-runs':
        return await runCandidates(database, what === 'open-runs', typed, nowMs);
      case 'batches':
        return await nameCandidates(database, BATCHES);
      case 'labels':
        return await nameCandidates(database, LABELS);
      default:
        return what satisfies never;
    }
  } finally {
    await database.close();
  }
}

const BATCHES = `select id as name from pawl.batches order by created_at desc limit ${MOST_NAMES}`;
const LABELS = `select distinct label as name from (
  select unnest(labels) as label from pawl.workers
  union all select unnest(labels) from (select labels from pawl.runs order by position desc limit 1000) latest) either
  order by name limit ${MOST_NAMES}`;

async function nameCandidates({ query }: Database, text: string): Promise<readonly Candidate[]> {
  return (await query<{ name: string }>(text)).map(({ name }) => ({ word: name }));
}

/** The ids of one submission begin alike: what `pawl fleet status` shows is offered, until more is typed. */
async function runCandidates(
  { query }: Database,
  isOpen: boolean,
  typed: string,
  nowMs: number,
): Promise<readonly Candidate[]> {
  const states = isOpen ? (['queued', 'running', 'waiting'] as const) : undefined;
  const runs = await readFleetRuns(query, { states, limit: typed === '' ? MOST_RUNS : 1000 });
  const short = shortIds(runs.map(({ id }) => id));
  return runs
    .flatMap((run) => {
      const word = wordFor(run.id, short(run.id), typed);
      const rounds = run.iteration === 0 ? '' : `, ${plural(run.iteration, 'iteration')}`;
      const about = `${fleetOutcome(run).word}${rounds}, submitted ${agoText(run.createdAt, nowMs)}`;
      return word === undefined ? [] : [{ word, about }];
    })
    .slice(0, MOST_RUNS);
}

/** In the case of letters that was typed: shells offer only what begins with the word that is there. */
function wordFor(runId: string, short: string, typed: string): string | undefined {
  const forms = [short, runId.slice(runId.indexOf('_') + 1), runId];
  const word = forms.find((form) => form.toLowerCase().startsWith(typed.toLowerCase()));
  return word === undefined ? undefined : typed + word.slice(typed.length);
}
