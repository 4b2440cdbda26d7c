import { keysIn } from '../journal/known-keys.js';
import { createRedactor, inTurn, type Redactor, valueRedactor } from '../journal/redact.js';
import type { Environment } from '../journal/run-places.js';
import type { RunSpec } from '../model/run-spec.js';

export interface SpecRedactor extends Redactor {
  /** From now on this is secret, too; in place of the one before of that name. */
  readonly keep: (name: string, value: string) => void;
}

/** Takes out what is secret in a run. The config may hold secrets that the environment does not. */
export function specRedactor(spec: RunSpec, environment: Environment): SpecRedactor {
  const { agent, notify, review } = spec;
  const webhook = notify.webhook === undefined ? {} : { NOTIFY_WEBHOOK: notify.webhook };
  const known = { ...environment, ...agent.env, ...review?.agent?.env, ...webhook };
  const kept: Record<string, string> = {};
  const written = keysWrittenIn(spec);
  const first = valueRedactor(known);
  // Apart, as it changes with every iteration: what is made of a large environment is made once.
  let second = createRedactor(kept, written);
  return {
    text: (text) => second.text(first.text(text)),
    json: (json) => second.json(first.json(json)),
    stream: () => inTurn(first.stream(), second.stream()),
    keep(name, value) {
      kept[name] = value;
      second = createRedactor(kept, written);
    },
  };
}

/**
 * Keys that are in a command or a condition of the run. It is resumed from its record, and facts are kept under
 * conditions: there they have to stay. Variables and the webhook come from outside again.
 */
function keysWrittenIn({ agent, notify, review, ...rest }: RunSpec): ReadonlySet<string> {
  const written = new Set<string>();
  const others = {
    ...rest,
    agent: { ...agent, env: {} },
    review: { ...review, agent: { ...review?.agent, env: {} } },
    notify: { ...notify, webhook: undefined },
  };
  JSON.stringify(others, (_key, value: unknown) => {
    if (typeof value === 'string') for (const key of keysIn(value)) written.add(key);
    return value;
  });
  return written;
}
