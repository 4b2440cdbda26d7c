import type { FleetRun } from '../../fleet/fleet-status.js';
import { withoutCredentials } from '../../workspace/repository-name.js';
import type { RunOutcome } from '../../fleet/run-outcome.js';
import { EXIT_CODES, type ExitCode } from '../../model/exit-code.js';
import { agoText, clockText } from '../terminal/clock-text.js';
import { jsonText } from '../terminal/json-text.js';
import { type LabelledRow, labelledRows } from '../terminal/labelled-rows.js';
import { oneLine } from '../terminal/printable.js';
import { fleetOutcome, fleetStatus, whyText } from './fleet-words.js';
import { asOfText, type StaleCopy, staleJson } from './stale-copy.js';
import { type Terminal, wrap } from './terminal.js';
import type { CommandContext } from './command-context.js';
import { shortFleetId } from '../terminal/short-id.js';

/** A run of the fleet of which nothing is recorded: it waits for a worker, or failed before it could begin. */
export interface UnbegunRun {
  readonly run: FleetRun;
  readonly stale?: StaleCopy | undefined;
}

/** What can be said of it where its record is asked for: `queued since 14:30 (2h ago)`, `error at 14:30 (2h ago): …`. */
export function unbegunText({ run, stale }: UnbegunRun, nowMs: number): string {
  const { state, createdAt, startedAt, endedAt } = run;
  const at = state === 'ended' ? (endedAt ?? createdAt) : state === 'queued' ? createdAt : (startedAt ?? createdAt);
  const ago = agoText(at, nowMs);
  const when = `${state === 'ended' ? 'at' : 'since'} ${clockText(at, nowMs)}${ago === 'now' ? '' : ` (${ago})`}`;
  const why = whyText(run, nowMs);
  const seen = stale === undefined || state === 'ended' ? '' : `, as it was ${asOfText(stale, nowMs)}`;
  return `${unbegunWord({ run, stale })} ${when}${why === '' ? '' : `: ${why}`}${seen}`;
}

/** What a list calls it, whether it has begun or not. */
export function unbegunWord({ run, stale }: UnbegunRun): string {
  const { word } = fleetOutcome(run);
  return stale === undefined || run.state === 'ended' ? word : `was ${word}`;
}

/** What its row tells for machines, as a list has it, whether it has begun or not. */
export function unbegunJson({ run, stale }: UnbegunRun) {
  const { id, state, createdAt, startedAt, endedAt, ...row } = run;
  const { class: stopClass, reasons, error, kept } = (run.outcome ?? {}) as Partial<RunOutcome>;
  const isEnded = state === 'ended';
  return {
    runId: id,
    status: fleetStatus(run),
    live: !isEnded,
    ...staleJson(fleetStatus(run), isEnded, stale),
    fleet: {
      state,
      batch: row.batch,
      labels: row.labels,
      worker: row.worker,
      wish: row.wish,
      notBefore: row.notBefore,
      heldUp: row.heldUp,
      kept,
    },
    kind: 'loop',
    iterations: row.iteration,
    costUsd: row.lastSeq === 0 ? 0 : row.spentUsd,
    submittedAt: createdAt,
    startedAt,
    at: endedAt ?? startedAt ?? createdAt,
    class: stopClass,
    reasons,
    error,
    repository: withoutCredentials(row.repository),
    base: row.base,
  };
}

/** All that its row says: there is no record to show. */
export function showUnbegun(unbegun: UnbegunRun, json: boolean, context: CommandContext): ExitCode {
  const { terminal } = context;
  if (json) terminal.raw(`${jsonText(unbegunJson(unbegun), 2)}\n`);
  else for (const line of unbegunLines(unbegun, context)) terminal.say(line);
  return EXIT_CODES.goal;
}

function unbegunLines(unbegun: UnbegunRun, context: CommandContext): readonly string[] {
  const { terminal } = context;
  const { run } = unbegun;
  const { id, createdAt, repository, base, batch, labels } = run;
  const { kept } = (run.outcome ?? {}) as Partial<RunOutcome>;
  const next =
    run.state === 'ended' ? ['pawl fleet status'] : ['pawl fleet status', `pawl fleet cancel ${shortFleetId(id)}`];
  const rows = [
    ['submitted', `${clockText(createdAt, context.now())} (${agoText(createdAt, context.now())})`],
    ['repository', oneLine(`${withoutCredentials(repository)}, from ${base}`, 300)],
    ['batch', batch === undefined ? undefined : oneLine(batch, 100)],
    ['labels', labels.length === 0 ? undefined : oneLine(labels.join(' '), 300)],
    ['kept', kept === undefined ? undefined : { path: kept }],
    ['record', 'nothing is recorded for it'],
    ['next', ...next.map((command) => ({ command }))],
  ] satisfies LabelledRow[];
  return [
    terminal.style('dim', `run ${id}`),
    ...wrapBold(unbegunText(unbegun, context.now()), terminal),
    ...labelledRows(rows, terminal),
  ];
}

function wrapBold(text: string, terminal: Terminal): readonly string[] {
  return wrap(oneLine(text, 2000), terminal.columns).map((line) => terminal.style('bold', line));
}
