import { createRedactor, type Redactor } from '../journal/redact.js';
import type { Environment } from '../journal/second-home.js';
import type { RunSpec } from '../model/run-spec.js';

/** Takes out what is secret in a run. The config may hold secrets that the environment does not. */
export function specRedactor({ agent, notify }: RunSpec, environment: Environment): Redactor {
  const webhook = notify.webhook === undefined ? {} : { NOTIFY_WEBHOOK: notify.webhook };
  return createRedactor({ ...environment, ...agent.env, ...webhook });
}
