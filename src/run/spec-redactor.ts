import { createRedactor, type Redactor } from '../journal/redact.js';
import type { Environment } from '../journal/second-home.js';
import type { RunSpec } from '../model/run-spec.js';

export interface SpecRedactor extends Redactor {
  /** From now on this is secret, too; in place of the one before of that name. */
  readonly keep: (name: string, value: string) => void;
}

/** Takes out what is secret in a run. The config may hold secrets that the environment does not. */
export function specRedactor({ agent, notify }: RunSpec, environment: Environment): SpecRedactor {
  const webhook = notify.webhook === undefined ? {} : { NOTIFY_WEBHOOK: notify.webhook };
  const known = { ...environment, ...agent.env, ...webhook };
  const kept: Record<string, string> = {};
  let redactor = createRedactor(known);
  return {
    text: (text) => redactor.text(text),
    json: (json) => redactor.json(json),
    stream: () => redactor.stream(),
    keep(name, value) {
      kept[name] = value;
      redactor = createRedactor({ ...known, ...kept });
    },
  };
}
