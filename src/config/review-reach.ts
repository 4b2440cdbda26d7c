import { realpathSync } from 'node:fs';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import type { StopCondition } from '../model/condition.js';
import { CONDITION_CATALOG, needsOf } from '../model/condition-catalog.js';
import type { Issue } from '../model/errors.js';
import { clip } from '../model/field-rules.js';
import { lowestLimit, type PolicyEntry } from '../model/policy.js';
import type { RunSpec } from '../model/run-spec.js';
import { UNCOUNTED_REMEDY } from '../model/test-results.js';
import { visitConditions } from './condition-place.js';
import type { Origins } from './layer.js';

/** Conditions that can never be met in this run, or are not what was meant. */
export function reviewReach(
  spec: RunSpec,
  entries: readonly PolicyEntry[],
  { now, origins }: ReachOptions,
): readonly Issue[] {
  const warnings: Issue[] = [];
  const most = lowestLimit(
    entries.map(({ condition }) => condition),
    'iterations',
  );
  const planned = {
    continuesSession: spec.session.mode === 'continue',
    contextRedlinePercent: spec.contextRedlinePercent,
    now,
  };
  for (const { path, condition } of entries) {
    if (isNever(condition)) warnings.push({ path, message: 'this can never be met; remove it' });
    const isDefault = origins?.[path]?.source === 'default';
    visitConditions(condition, path, (inner, at) => {
      const own = CONDITION_CATALOG[inner.type].warn?.(inner, { ...planned, isOutermost: inner === condition });
      const message = own?.message ?? unrecorded(inner, spec) ?? (isDefault ? undefined : outOfReach(inner, most));
      if (message !== undefined) warnings.push({ path: own?.field === undefined ? at : `${at}.${own.field}`, message });
    });
  }
  const { atLeast } = spec.policy;
  if (atLeast !== undefined && most !== undefined && atLeast > most) {
    const message = `goals count only after ${atLeast} iterations, and max_iterations ends the run after ${most}; lower the first or raise the second`;
    warnings.push({ path: 'stop.at_least', message });
  }
  return warnings;
}

interface ReachOptions {
  readonly now?: number | undefined;
  readonly origins?: Origins | undefined;
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

/** Why what a condition needs is never recorded in this run. */
function unrecorded(condition: StopCondition, spec: RunSpec): string | undefined {
  const never = `${condition.type} can never be met:`;
  const { files, tests, probe } = needsOf(condition);
  if (files === true && !spec.trackFileChanges) return `${never} track_file_changes is false; set it to true`;
  if (tests === 'all' && spec.tests === undefined && !spec.parseTests)
    return `${never} no \`tests\` are configured and parse_tests is false; set \`tests\``;
  const isGoal = CONDITION_CATALOG[condition.type].evidence === 'tests';
  if (isGoal && tests === 'all' && spec.parseTests && isNoRunner(spec.tests))
    return `${never} no test can be counted in ${JSON.stringify(clip(spec.tests?.command ?? ''))}; ${UNCOUNTED_REMEDY}`;
  if (tests !== undefined && tests !== 'all' && !spec.parseTests)
    return `${never} parse_tests is false, so no test has a name; set it to true`;
  if ((probe?.kind !== 'file' && probe?.kind !== 'checklist') || isInside(probe.path, spec.workingDir))
    return undefined;
  return `${never} ${JSON.stringify(clip(probe.path))} leads out of the working directory; name a file in it`;
}

/** Programs that run no tests, whatever their arguments. A command of nothing else prints nothing that could be counted. */
const NO_RUNNER =
  /^(?:true|false|:|test|\[|grep|diff|cmp|ls|tsc|vue-tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|black|(?:npx|pnpm exec|yarn) (?:--?[\w-]+ )*(?:tsc|vue-tsc|eslint|oxlint|biome|prettier)|cargo (?:build|check|clippy|fmt)|go (?:build|vet)|dotnet build)(?:\s|$)/;

function isNoRunner(tests: RunSpec['tests']): boolean {
  return tests !== undefined && tests.report === undefined && runsNoTests(tests.command);
}

export function runsNoTests(command: string): boolean {
  return command.split(/&&|\|\||;|\n/).every((part) => NO_RUNNER.test(part.trim()));
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
  return `${condition.type} needs ${needed} iterations, and max_iterations ends the run after ${most}; lower the first or raise the second`;
}
