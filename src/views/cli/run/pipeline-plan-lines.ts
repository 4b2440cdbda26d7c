import { policyEntries } from '../../../model/policy.js';
import type { RunState } from '../../../model/run-state.js';
import type { PipelinePlan } from '../../../pipeline/pipeline-plan.js';
import { count, plural, usd } from '../../../model/figures.js';
import { entryText } from '../../../words/clock-text.js';
import { type LabelledRow, labelledRows } from '../../text/labelled-rows.js';
import { oneLine } from '../../../words/printable.js';
import { reviewerText } from '../../text/policy-lines.js';
import type { Terminal } from '../../text/terminal.js';

/** What a pipeline is told to do, and what ends it. */
export function pipelineHeader(state: RunState, terminal: Terminal): readonly string[] {
  const { pipeline, runId = '', spec, policy } = state;
  if (pipeline?.spec === undefined || spec === undefined) return [];
  const title = `run ${runId}: ${plural(pipeline.items, 'item')}, ${count(pipeline.spec.concurrency)} at a time`;
  return [
    terminal.style('bold', title),
    ...labelledRows(planRows({ spec: { ...spec, policy }, pipeline: pipeline.spec, items: [] }), terminal),
  ];
}

/** What a dry run prints. */
export function pipelinePlanLines(plan: PipelinePlan, terminal: Terminal): readonly string[] {
  const items = plan.items.filter((item) => item !== undefined);
  const title = `a pipeline: ${plural(items.length, 'item')}, ${count(plan.pipeline.concurrency)} at a time`;
  return planLines(title, plan, terminal);
}

/** The same for a run that continues: `plan` has the items that it would make, of so many. */
export function continuationLines(
  runId: string,
  plan: PipelinePlan,
  all: number,
  terminal: Terminal,
): readonly string[] {
  const made = `${count(plan.items.length)} of ${plural(all, 'item')} would be processed`;
  const title = `run ${runId} can be resumed: ${made}, ${count(plan.pipeline.concurrency)} at a time`;
  return planLines(title, plan, terminal);
}

function planLines(title: string, plan: PipelinePlan, terminal: Terminal): readonly string[] {
  const shown = plan.items.flatMap((item, index) => {
    if (item === undefined) return [];
    const path = plan.paths?.[index];
    return [`  ${oneLine(item.id, 60)}${path === undefined ? '' : ` -> ${oneLine(path, 100)}`}`];
  });
  return [terminal.style('bold', title), ...labelledRows(planRows(plan), terminal), '', ...shown];
}

function planRows({ spec, pipeline }: PipelinePlan): readonly LabelledRow[] {
  const { generate, audit, retry } = pipeline;
  const { agent, policy, review } = spec;
  const entries = policyEntries(policy);
  const texts = (wanted: 'failure' | 'limit') =>
    entries.filter((entry) => entry.class === wanted).map((entry) => entryText(entry, policy));
  const rows: LabelledRow[] = [
    ['generate', commandText(generate.command ?? agent.command?.join(' ') ?? agentText(agent))],
    ['output', generate.output],
    ['audit', commandText(audit?.command ?? (review === undefined ? 'none: every output is approved' : 'none'))],
    ['review', review?.agent && `${reviewerText(review.agent)}, for at most ${usd(review.maxCostUsd)} in all`],
    ['attempts', `at most ${count(retry.maxAttempts)} for each item`],
    ['halts', ...texts('failure')],
    ['limits', ...texts('limit')],
  ];
  return rows;
}

function agentText({ name, model }: PipelinePlan['spec']['agent']): string {
  return model === undefined ? name : `${name} with ${model}`;
}

/** Lines that stood one after the other would read like another command. */
function commandText(command: string): string {
  const [first = '', ...rest] = command.trim().split('\n');
  return rest.length === 0 ? first : `${first.trimEnd()} … (${rest.length + 1} lines)`;
}
