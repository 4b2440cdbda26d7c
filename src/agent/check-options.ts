import { ConfigError, type Issue } from '../model/errors.js';
import { didYouMean } from '../model/nearest.js';
import type { ContextManagement, DeepFactorAgentOptions } from './agent-options.js';

/** What is wrong with a value that was given; undefined when nothing is, or when the config inspects it. */
type Rule = (value: unknown) => string | undefined;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
const isMapping = (value: unknown): boolean => isObject(value) && !Array.isArray(value);

const must =
  (isRight: (value: unknown) => boolean, what: string): Rule =>
  (value) =>
    isRight(value) ? undefined : `must be ${what}`;

const aFunction = must((value) => typeof value === 'function', 'a function');
const aMapping = must(isMapping, 'an object');
const givenOn: Rule = () => undefined;

const OPTIONS: Readonly<Record<keyof DeepFactorAgentOptions, Rule>> = {
  model: must(isModel, 'a model of the AI SDK, or the id of one'),
  tools: must(isMapping, 'an object of tools by name'),
  instructions: must((value) => typeof value === 'string' || isMapping(value), 'a text or a system message'),
  settings: aMapping,
  verifyCompletion: aFunction,
  confirm: givenOn,
  reviewer: must(isModel, 'a model of the AI SDK, or the id of one'),
  review: givenOn,
  contextManagement: aMapping,
  functions: must(isMapping, 'an object of functions by name'),
  hooks: givenOn,
  notify: givenOn,
  prices: givenOn,
  maxStepsPerTurn: must((value) => Number.isSafeInteger(value) && (value as number) > 0, 'a whole number above 0'),
  iterationTimeout: givenOn,
  idleTimeout: givenOn,
  maxWait: givenOn,
  environment: aMapping,
  now: aFunction,
  onWarning: aFunction,
  workingDir: givenOn,
  stopWhen: givenOn,
  tests: givenOn,
  checks: givenOn,
  journal: must(isJournal, 'false, a folder, or a journal such as memoryJournal()'),
};

const CONTEXT: Readonly<Record<keyof ContextManagement, Rule>> = {
  contextWindow: must((value) => typeof value === 'number' && value > 0 && Number.isFinite(value), 'a number above 0'),
  redlinePercent: givenOn,
  summarize: aFunction,
};

/** Looks at what the config of a loop does not know. Throws ConfigError, which names every option that is wrong. */
export function checkOptions(options: DeepFactorAgentOptions): void {
  if (!isMapping(options)) throw new ConfigError([{ path: '', message: 'the options of an agent must be an object' }]);
  const { contextManagement, confirm, verifyCompletion, model } = options;
  const issues = [
    ...issuesOf(options, OPTIONS, ''),
    ...(model === undefined ? [{ path: 'model', message: 'is missing' }] : []),
    ...(isMapping(contextManagement) ? contextIssues(contextManagement as ContextManagement) : []),
  ];
  if (confirm !== undefined && verifyCompletion === undefined) {
    const message = 'says how often `verifyCompletion` is asked: give that, or the goal of stopWhen its own confirm';
    issues.push({ path: 'confirm', message });
  }
  if (issues.length > 0) throw new ConfigError(issues);
}

function contextIssues(context: ContextManagement): readonly Issue[] {
  const isMissing = context.contextWindow === undefined;
  const missing = isMissing ? [{ path: 'contextManagement.contextWindow', message: 'is missing' }] : [];
  return [...issuesOf(context, CONTEXT, 'contextManagement.'), ...missing];
}

function issuesOf(given: object, rules: Readonly<Record<string, Rule>>, prefix: string): Issue[] {
  return Object.entries(given).flatMap(([name, value]): Issue[] => {
    const path = `${prefix}${name}`;
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      return [{ path, message: `unknown option${didYouMean(name, Object.keys(rules))}`, unknownKey: true }];
    }
    if (value === undefined) return [];
    const message = value === null ? 'must not be null: leave it out' : rule(value);
    return message === undefined ? [] : [{ path, message }];
  });
}

function isModel(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return isObject(value) && 'modelId' in value && typeof value.modelId === 'string' && 'doGenerate' in value;
}

function isJournal(value: unknown): boolean {
  if (typeof value === 'string') return value !== '';
  return value === false || (isObject(value) && 'append' in value && 'state' in value);
}
