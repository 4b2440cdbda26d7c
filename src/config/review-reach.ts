import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { visitConditions } from './condition-place.js';
import type { Origins } from './origin.js';

/** Conditions that nothing can ever meet in this run. */
export function reviewReach(
  spec: RunSpec,
  entries: readonly PolicyEntry[],
  origins: Origins | undefined,
): readonly Issue[] {
  const warnings: Issue[] = [];
  const most = mostIterations(entries);
  for (const { path, condition } of entries) {
    if (isNever(condition)) warnings.push({ path, message: 'this can never be met; remove it' });
    const isDefault = origins?.[path]?.source === 'default';
    visitConditions(condition, path, (inner, at) => {
      const reason = missingFact(inner, spec) ?? (isDefault ? undefined : outOfReach(inner, most));
      if (reason !== undefined) warnings.push({ path: at, message: reason });
    });
  }
  const { atLeast } = spec.policy;
  if (atLeast !== undefined && most !== undefined && atLeast > most) {
    const message = `goals count only after ${atLeast} iterations, and max_iterations ends the run after ${most}; lower this or raise that`;
    warnings.push({ path: 'stop.at_least', message });
  }
  return warnings;
}

/** The lowest `max_iterations` that stops the run by itself. */
function mostIterations(entries: readonly PolicyEntry[]): number | undefined {
  const counts = entries.flatMap(({ condition }) => (condition.type === 'max_iterations' ? [condition.count] : []));
  return counts.length === 0 ? undefined : Math.min(...counts);
}

function isNever(condition: StopCondition): boolean {
  switch (condition.type) {
    case 'never':
      return true;
    case 'all':
      return condition.conditions.some(isNever);
    case 'any':
      return condition.conditions.every(isNever);
    case 'for':
      return isNever(condition.condition);
    default:
      return false;
  }
}

function missingFact(condition: StopCondition, spec: RunSpec): string | undefined {
  const { type } = condition;
  switch (type) {
    case 'all_tests_pass':
    case 'test_failure_streak':
      if (spec.tests !== undefined || spec.parseTests) return undefined;
      return `${type} can never be met: no \`tests\` are configured and parse_tests is false; set \`tests\``;
    case 'specific_tests_pass':
      return spec.parseTests
        ? undefined
        : `${type} can never be met: parse_tests is false, so no test has a name; set it to true`;
    case 'no_progress':
    case 'oscillation':
    case 'protected_path_changed':
    case 'diff_exceeds':
      return spec.trackFileChanges
        ? undefined
        : `${type} can never be met: track_file_changes is false; set it to true`;
    case 'file_created':
    case 'file_contains':
      return isInside(condition.path, spec.workingDir)
        ? undefined
        : `${type} can never be met: ${JSON.stringify(clip(condition.path))} leads out of the working directory; name a file in it`;
    case 'context_above':
      return contextReason(condition.percent, spec);
    default:
      return undefined;
  }
}

/** As the probe sees it: by name, and by what the working directory is a link to. */
function isInside(path: string, workingDir: string): boolean {
  return [resolve(workingDir), realPathOf(workingDir)].some((folder) => {
    const inner = relative(folder, resolve(workingDir, path));
    return inner !== '..' && !inner.startsWith(`..${sep}`) && !isAbsolute(inner);
  });
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function contextReason(percent: number, spec: RunSpec): string | undefined {
  if (percent >= 100) return 'context_above can never be met: the context window cannot be fuller than 100 %; lower it';
  if (spec.session.mode !== 'continue' || percent < spec.contextRedlinePercent) return undefined;
  const redline = spec.contextRedlinePercent;
  return `context_above ${percent} can only be met within one iteration, because above the redline of ${redline} the next one starts afresh; lower it below the redline`;
}

function outOfReach(condition: StopCondition, most: number | undefined): string | undefined {
  const needed = iterationsNeeded(condition);
  if (most === undefined || needed === undefined || needed <= most) return undefined;
  return `${condition.type} needs ${needed} iterations, and max_iterations ends the run after ${most}; lower this or raise that`;
}

function iterationsNeeded(condition: StopCondition): number | undefined {
  switch (condition.type) {
    case 'no_progress':
    case 'for':
      return condition.iterations;
    case 'test_failure_streak':
    case 'consecutive_failures':
    case 'oscillation':
      return condition.count;
    default:
      return undefined;
  }
}
