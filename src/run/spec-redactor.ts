import { createRedactor, type RedactingStream, type Redactor } from '../journal/redact.js';
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
  const first = createRedactor(known);
  // Apart, as it changes with every iteration: what is made of a large environment is made once.
  let second = createRedactor(kept);
  return {
    text: (text) => second.text(first.text(text)),
    json: (json) => second.json(first.json(json)),
    stream: () => inTurn(first.stream(), second.stream()),
    keep(name, value) {
      kept[name] = value;
      second = createRedactor(kept);
    },
  };
}

function inTurn(first: RedactingStream, second: RedactingStream): RedactingStream {
  return {
    write: (piece) => second.write(first.write(piece)),
    end: () => second.write(first.end()) + second.end(),
  };
}
