import { readFileSync } from 'node:fs';
import type { StopCondition } from '../model/condition.js';
import { ConfigError, type Issue, messageOf } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { deepFreeze } from '../model/json.js';
import { type Policy, withLimit } from '../model/policy.js';
import { systemErrorWords } from '../model/system-error-words.js';
import { noOutputIssues } from './manifest/check-generate.js';
import { fieldsOf, itemVariablesIn, variablesIn } from './manifest/command-variables.js';
import { hashOfItems, type Item, itemLine } from './item.js';
import { listItems } from './manifest/list-items.js';
import type { Manifest } from './manifest/load-manifest.js';
import { nearName } from './manifest/near-name.js';
import { checkOutputFolder, outputPaths } from './output-path.js';
import type { PipelinePlan } from './pipeline-plan.js';
import { haltingConditions, usualBreaker } from './stop-conditions.js';
import { fieldOf, namesIn, variableOf } from './manifest/template.js';

export interface PlanOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The ids of the items that are wanted; all of them when it is left out. */
  readonly only?: readonly string[] | undefined;
  readonly concurrency?: number | undefined;
  /** Limits in place of those of the same type. */
  readonly limits?: readonly StopCondition[] | undefined;
  readonly redact?: ((text: string) => string) | undefined;
}

/** Lists the items of a manifest, which may run a command, and checks everything against them. Throws ConfigError. */
export async function planPipeline(manifest: Manifest, options: PlanOptions): Promise<PipelinePlan> {
  const { spec, generate, audit, maxAttempts, backoffMs } = manifest;
  const { workingDir } = spec;
  const cookie = `items.${process.pid}`;
  const all = await listItems(manifest.source, { workingDir, environment: options.environment, cookie });
  const items = options.only === undefined ? all : chosen(all, options.only);
  checkFields([generate.output, promptOf(manifest)], items);
  checkVariables([generate.command ?? '', audit?.command ?? ''], items);
  const { redact = (text: string) => text } = options;
  const paths = generate.output === undefined ? undefined : outputPaths(generate.output, items);
  if (generate.output !== undefined) checkOutputFolder(generate.output, workingDir);
  return {
    spec: deepFreeze({ ...spec, policy: policyOf(manifest, items.length, options.limits ?? []) }),
    pipeline: {
      manifest: manifest.path,
      itemsHash: hashOfItems(items.map((item) => redact(itemLine(item)))),
      ...(options.only === undefined ? {} : { only: options.only }),
      ...(options.limits === undefined || options.limits.length === 0 ? {} : { limits: options.limits }),
      generate,
      ...(audit === undefined ? {} : { audit }),
      concurrency: options.concurrency ?? manifest.concurrency,
      retry: { maxAttempts, backoffMs },
    },
    items,
    paths,
  };
}

function policyOf(
  { spec, breaker, stopConditions }: Manifest,
  items: number,
  limits: readonly StopCondition[],
): Policy {
  const failure = haltingConditions(stopConditions, breaker ?? usualBreaker(items));
  return limits.reduce(withLimit, { ...spec.policy, success: [], failure });
}

function chosen(all: readonly Item[], only: readonly string[]): readonly Item[] {
  const wanted = new Set(only);
  const ids = new Set(all.map(({ id }) => id));
  const unknown = only.filter((id) => !ids.has(id));
  if (unknown.length === 0) return all.filter(({ id }) => wanted.has(id));
  throw new ConfigError(
    unknown.map((id) => ({
      path: '',
      message: `there is no item ${clip(JSON.stringify(id))}${nearName(id, [...ids])}`,
    })),
  );
}

/** A prompt that cannot be read is an error before anything is begun. */
function promptOf({ generate: { prompt, promptPath, output }, placeOf }: Manifest): string | undefined {
  if (promptPath === undefined) return prompt;
  const path = 'generate.prompt_path';
  const text = readPrompt(promptPath, (message) => ({ path, place: placeOf(path), message }));
  const issues = noOutputIssues(path, text, output);
  if (issues.length > 0) throw new ConfigError(issues.map((issue) => ({ ...issue, place: placeOf(path) })));
  return text;
}

function readPrompt(file: string, issueOf: (message: string) => Issue): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError([issueOf(`${file} cannot be read: ${systemErrorWords(messageOf(error))}`)]);
  }
}

const MOST_ISSUES = 20;

/** Throws ConfigError when a template asks for a field that an item does not have. */
function checkFields(templates: readonly (string | undefined)[], items: readonly Item[]): void {
  const names = new Set(templates.flatMap((template) => namesIn(template ?? '')));
  const fields = [...names].flatMap((name) => fieldOf(name) ?? []);
  const issues = fields.flatMap((field) => {
    const without = items.find((item) => !Object.hasOwn(item.fields, field));
    return without === undefined ? [] : [missing(without, field, field)];
  });
  if (issues.length > 0) throw new ConfigError(issues.slice(0, MOST_ISSUES));
}

/** Throws ConfigError when a command expands the variable of a field that an item does not have, or has twice. */
function checkVariables(commands: readonly string[], items: readonly Item[]): void {
  const prefix = variableOf('item.');
  const expanded = commands.flatMap(variablesIn).filter((name) => name.startsWith(prefix));
  const variables = itemVariablesIn(commands);
  const issues: Issue[] = [];
  for (const item of items) {
    const fields = Object.keys(item.fields);
    const named = fieldsOf(variables, fields);
    const lost = expanded.filter((name) => !named.has(name));
    issues.push(...lost.map((name) => missing(item, `field for $${name}`, name.slice(prefix.length).toLowerCase())));
    for (const [name, [field, other]] of named) {
      if (other === undefined) continue;
      const message = `${JSON.stringify(field)} and ${JSON.stringify(other)} would both be the variable ${name}; rename a field`;
      issues.push({ path: 'items', place: item.place, message: clip(message) });
    }
    if (issues.length > 0) throw new ConfigError(issues.slice(0, MOST_ISSUES));
  }
}

function missing(item: Item, what: string, name: string): Issue {
  const known = Object.keys(item.fields);
  const hint = nearName(name, known) || `; it has ${clip(known.join(', '))}`;
  return {
    path: 'items',
    place: item.place,
    message: `the item ${clip(JSON.stringify(item.id))} has no ${what}${hint}`,
  };
}
