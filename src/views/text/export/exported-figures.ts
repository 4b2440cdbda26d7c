import { eachItem, type ItemState } from '../../../model/item-state.js';
import type { RunState } from '../../../model/run-state.js';
import { knownCostUsd, totalSpend } from '../../../model/spend-account.js';
import type { TestResults } from '../../../model/test-results.js';
import type { Usage } from '../../../model/usage.js';
import { itemsOf } from '../../../words/item-figures.js';
import { wholeCost } from '../../../words/spend-text.js';
import type { ExportedFigures, ExportedItem, ExportedTests, ExportedTokens } from './run-export.js';

/** What a run took and what came of it. */
export function exportedFigures(state: RunState): ExportedFigures {
  const { spend, activeMs, reboots, iterations, baseline, latest, pipeline } = state;
  const { items: total, left } = itemsOf(pipeline);
  return {
    iterations,
    // Of a record without an event nothing is known, also not that it cost nothing.
    costUsd: state.seq === 0 ? undefined : wholeCost(state),
    knownCostUsd: knownCostUsd(spend),
    isEstimated: spend.estimatedIterations > 0,
    isNotional: spend.notional,
    tokens: state.seq === 0 ? {} : tokensOf(totalSpend(spend)),
    activeMs,
    reboots,
    tests: { before: testsOf(baseline?.tests), after: testsOf(latest.observation.tests) },
    ...(pipeline === undefined ? {} : { items: { total, left, ...countsOf(pipeline) } }),
  };
}

export function tokensOf(usage: Usage): ExportedTokens {
  return {
    input: usage.inputTokens,
    output: usage.outputTokens,
    cacheRead: usage.cacheReadTokens,
    cacheWrite: usage.cacheWriteTokens,
    reasoning: usage.reasoningTokens,
    total: usage.totalTokens,
  };
}

/** The items of a pipeline that have begun, in order. */
export function exportedItems(state: RunState, messages: ReadonlyMap<number, string>): readonly ExportedItem[] {
  return [...eachItem(state.pipeline?.states)].map(([index, item]) => ({
    item: item.item,
    index,
    status: statusOf(item, state.pipeline?.open?.[index] !== undefined),
    attempts: item.attempts,
    interrupted: item.interrupted ?? 0,
    durationMs: item.attempts.reduce((sum, { durationMs }) => sum + durationMs, 0),
    message: messages.get(index),
  }));
}

function statusOf({ status, isWithdrawn }: ItemState, isOpen: boolean): ExportedItem['status'] {
  if (status !== undefined) return status;
  if (isWithdrawn === true) return 'withdrawn';
  return isOpen ? 'in_progress' : 'pending';
}

function countsOf({ approved, rejected, failed, attempts }: NonNullable<RunState['pipeline']>) {
  return { approved, rejected, failed, attempts };
}

function testsOf(tests: TestResults | undefined): ExportedTests | undefined {
  if (tests === undefined) return undefined;
  const { source, passed, failed, skipped, exitCode } = tests;
  return { source, passed, failed, skipped, exitCode };
}
