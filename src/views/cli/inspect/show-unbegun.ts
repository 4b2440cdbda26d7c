import type { RunOutcome } from '../../../fleet/run-outcome.js';
import { withoutCredentials } from '../../../workspace/repository-name.js';
import { EXIT_CODES, type ExitCode } from '../../../model/exit-code.js';
import { type UnbegunRun, unbegunJson, unbegunText } from '../../../app/unbegun-run.js';
import { agoText, clockText } from '../../../words/clock-text.js';
import { oneLine } from '../../../words/printable.js';
import { shortId } from '../../../words/short-id.js';
import { jsonText } from '../../text/json-text.js';
import { type LabelledRow, labelledRows } from '../../text/labelled-rows.js';
import { type Terminal, wrap } from '../../text/terminal.js';
import type { CommandContext } from '../command-context.js';

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
    run.state === 'ended' ? ['pawl fleet status'] : ['pawl fleet status', `pawl fleet cancel ${shortId(id)}`];
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
