import type { NewEvent } from '../model/run-event.js';
import type { RunSpec } from '../model/run-spec.js';
import { summaryOf } from '../observation/message/closing.js';
import type { Agent } from './agent.js';
import { createCliAgent, knownAdapter } from './cli-agent.js';
import { Excerpt } from './speech.js';
import { interruptOf } from './stop-signal.js';
import { createNarration } from './narrate.js';
import { lastLine, type Outcome, outcomeOf } from './outcome.js';

export interface GeneratorRequest {
  readonly spec: RunSpec;
  readonly prompt: string;
  /** Added to the agent's own variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly cookie: string;
  readonly budgetUsd?: number | undefined;
}

export interface GeneratorSetting {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** In place of the one that the spec names. */
  readonly agent?: Agent | undefined;
  /** Must not throw. */
  readonly record: (event: NewEvent) => void;
  readonly redact: (text: string) => string;
  /** Ends it. The reason is an `Interrupt`. */
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** What came of one call of an agent that makes one thing. */
export interface Generated extends Outcome {
  readonly agentStarted: boolean;
  /** What it said last. */
  readonly said?: string | undefined;
  /** The end of what it printed. */
  readonly printed?: string | undefined;
  readonly survivors: number;
}

/** Sessions and windows belong to one call: of many side by side nothing is kept. */
const LEFT_OUT: ReadonlySet<NewEvent['type']> = new Set<NewEvent['type']>(['context-reported', 'session-opened']);

/** One call of an agent, without anything around it. Never rejects. */
export async function runGenerator(request: GeneratorRequest, setting: GeneratorSetting): Promise<Generated> {
  const { spec, prompt, cookie, budgetUsd } = request;
  const { iterationTimeoutMs: timeoutMs, idleTimeoutMs } = spec;
  const agent = setting.agent ?? agentFor(request, setting);
  // Who is refused is ended by itself, and not with the others.
  const own = new AbortController();
  const abort = () => own.abort(setting.signal.reason);
  setting.signal.addEventListener('abort', abort, { once: true });
  if (setting.signal.aborted) abort();
  const record = (event: NewEvent) => void (LEFT_OUT.has(event.type) || setting.record(event));
  const narration = createNarration({ ...setting, spec, record }, { prompt });
  const output = new Excerpt();
  const end = await agent.run(
    { prompt, budgetUsd, cookie, timeoutMs, idleTimeoutMs },
    {
      onSpawn: () => undefined,
      onLine: ({ text, bytes }) => output.add(text, bytes),
      onEvent(event) {
        narration.tell(event);
        if (narration.refusal !== undefined && !own.signal.aborted) own.abort('refused');
      },
    },
    own.signal,
  );
  narration.end();
  setting.signal.removeEventListener('abort', abort);
  const { result, limit, lastError, lastMessage } = narration;
  const printed = output.tail ?? output.head;
  const facts = { end, interrupt: interruptOf(own.signal), result, limit, timeoutMs, idleTimeoutMs, isGenerator: true };
  return {
    ...outcomeOf({ ...facts, lastError: lastError ?? lastLine(printed), tellsResult: agent.tellsResult }),
    agentStarted: end.cause !== 'not-started',
    said: summaryOf(result?.text, lastMessage),
    printed,
    survivors: end.survivors,
  };
}

function agentFor({ spec, env }: GeneratorRequest, { environment }: GeneratorSetting): Agent {
  const agent = { ...spec.agent, env: { ...spec.agent.env, ...env } };
  return createCliAgent({ adapter: knownAdapter(agent), agent, workingDir: spec.workingDir, environment });
}
