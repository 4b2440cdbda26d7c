import { type Secret, secretsIn } from '../../../journal/redact.js';
import type { Issue } from '../../../model/errors.js';
import { keysToRefuse, SECRET_ADVICE, secretIssues, type SubmittedText, unkeepableIssues } from './submitted-text.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SubmittedWords {
  readonly texts: readonly SubmittedText[];
  /** What the config comes to: it may say a key in other words, such as with escapes. */
  readonly config: { readonly place: string; readonly spec: unknown };
  /** What the config gives to the agent. */
  readonly agentEnvironment: Environment;
  /** By variable, where the config gives it. */
  readonly placeOf: (name: string) => string | undefined;
  /** Of whoever submits. */
  readonly environment: Environment;
}

/**
 * What is submitted is kept in the database as it is, and is sent to every worker: a secret has no place there. The issues
 * name the variable or the kind of key and never the value.
 */
export function issuesWith({
  texts,
  config,
  agentEnvironment,
  placeOf,
  environment,
}: SubmittedWords): readonly Issue[] {
  const given = secretsIn(agentEnvironment);
  const secrets = secretsIn(environment).filter(({ value }) => !given.some((own) => own.value === value));
  const names = [...new Set(given.map(({ name }) => name))];
  const isGiven = (key: string) => given.some(({ value }) => value.includes(key));
  const found = texts.flatMap((submitted) => [
    ...unkeepableIssues(submitted),
    ...secretIssues({ ...submitted, text: without(given, submitted.text) }, secrets),
  ]);
  const seen = texts.flatMap(({ text }) => keysToRefuse(text).map(({ key }) => key));
  const hidden = textsIn(config.spec).flatMap(keysToRefuse);
  const unseen = hidden.filter(({ key }) => !isGiven(key) && !seen.includes(key));
  return [
    ...names.map((name) => ({
      path: `agent.env.${name}`,
      ...at(placeOf(name)),
      message: `is a secret: ${SECRET_ADVICE}`,
    })),
    ...found,
    ...new Map(unseen.map(({ name }) => [name, hiddenKey(config.place, name)])).values(),
  ];
}

/** What is told of a variable is not told again of the text that holds it. Everything stays in its place. */
function without(given: readonly Secret[], text: string): string {
  return given.reduce((rest, { value }) => rest.replaceAll(value, ' '.repeat(value.length)), text);
}

function hiddenKey(place: string, name: string): Issue {
  return { path: '', place, message: `contains what looks like a key (${name}): ${SECRET_ADVICE}` };
}

function at(place: string | undefined): { readonly place?: string } {
  return place === undefined ? {} : { place };
}

function textsIn(value: unknown): readonly string[] {
  const texts: string[] = [];
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'string') texts.push(part);
    return part;
  });
  return texts;
}
