import { secretsIn } from '../../journal/secret-values.js';
import { ConfigError, type Issue } from '../../model/errors.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface SubmittedTexts {
  /** What would be kept in the database, by what messages call it. */
  readonly texts: Readonly<Record<string, string>>;
  /** What the config gives to the agent. */
  readonly agentEnvironment: Environment;
  /** Of whoever submits. */
  readonly environment: Environment;
}

/**
 * What is submitted is kept in the database as it is, and is sent to every worker: a secret has no place there. Throws
 * ConfigError, which names the variable and never the value.
 */
export function checkNoSecrets({ texts, agentEnvironment, environment }: SubmittedTexts): void {
  const issues = new Map<string, Issue>();
  const advice = 'the database would keep it; leave it out, and set it where the workers are';
  for (const { name } of secretsIn(agentEnvironment)) {
    issues.set(name, { path: `agent.env.${name}`, message: `is a secret: ${advice}` });
  }
  const secrets = secretsIn(environment);
  for (const [place, text] of Object.entries(texts)) {
    for (const { name, value } of secrets) {
      if (issues.has(name) || !text.includes(value)) continue;
      issues.set(name, { path: '', place, message: `holds the value of $${name}: ${advice}` });
    }
  }
  if (issues.size > 0) throw new ConfigError([...issues.values()]);
}
