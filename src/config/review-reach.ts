import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import type { PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { visitConditions } from './condition-place.js';
import type { Origins } from './origin.js';

/** Conditions that can never be met in this run, or are not what was meant. */
export function reviewReach(
  spec: RunSpec,
  entries: readonly PolicyEntry[],
  { now, origins }: ReachOptions,
): readonly Issue[] {
  const warnings: Issue[] = [];
  const most = mostIterations(entries);
  const planned = {
    hasTests: spec.tests !== undefined,
    parseTests: spec.parseTests,
    trackFileChanges: spec.trackFileChanges,
    continuesSession: spec.session.mode === 'continue',
    contextRedlinePercent: spec.contextRedlinePercent,
    now,
    isInWorkingDir: (path: string) => isInside(path, spec.workingDir),
  };
  for (const { path, condition } of entries) {
    if (isNever(condition)) warnings.push({ path, message: 'this can never be met; remove it' });
    const isDefault = origins?.[path]?.source === 'default';
    visitConditions(condition, path, (inner, at) => {
      const own = CONDITION_CATALOG[inner.type].warn?.(inner, { ...planned, isOutermost: inner === condition });
      const message = own?.message ?? (isDefault ? undefined : outOfReach(inner, most));
      if (message !== undefined) warnings.push({ path: own?.field === undefined ? at : `${at}.${own.field}`, message });
    });
  }
  const { atLeast } = spec.policy;
  if (atLeast !== undefined && most !== undefined && atLeast > most) {
    const message = `goals count only after ${atLeast} iterations, and max_iterations ends the run after ${most}; lower this or raise that`;
    warnings.push({ path: 'stop.at_least', message });
  }
  return warnings;
}

interface ReachOptions {
  readonly now?: number | undefined;
  readonly origins?: Origins | undefined;
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

function outOfReach(condition: StopCondition, most: number | undefined): string | undefined {
  const needed = CONDITION_CATALOG[condition.type].iterationsNeeded?.(condition);
  if (most === undefined || needed === undefined || needed <= most) return undefined;
  return `${condition.type} needs ${needed} iterations, and max_iterations ends the run after ${most}; lower this or raise that`;
}
