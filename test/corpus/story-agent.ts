import type { Agent } from '../../src/iteration/agent.js';
import type { AgentEvent } from '../../src/model/agent-event.js';
import type { ManualClock } from '../../src/testing/manual-clock.js';
import { type ScriptedStep, scriptedAgent } from '../../src/testing/scripted-agent.js';
import type { Scene } from './scenes-of.js';

const MINUTE_MS = 60_000;
const WINDOW_TOKENS = 200_000;

export interface StoryAgent extends Agent {
  /** What it plays, or played last. */
  readonly scene: () => Scene | undefined;
}

export interface StoryAgentOptions {
  readonly clock: ManualClock;
  readonly canResume: boolean;
  /** Somebody asks the run to stop. */
  readonly onStop: (by: string) => void;
}

interface Shot {
  readonly scene: Scene;
  /** The provider says no: nothing is done. */
  readonly isLimited: boolean;
}

/** The scripted agent, with time that passes while it works. */
export function storyAgent(scenes: readonly Scene[], { clock, canResume, onStop }: StoryAgentOptions): StoryAgent {
  const shots = scenes.flatMap(shotsOf);
  const sessions = { count: 0 };
  let current: Shot | undefined;
  return {
    name: 'scripted',
    usage: 'live',
    canResume,
    tellsResult: true,
    scene: () => current?.scene,
    run(task, listener, signal) {
      const shot = shots.shift();
      if (shot === undefined) throw new Error('the story is over');
      current = shot;
      const { turn, minutes } = shot.scene;
      const session = task.session ?? `session-${(sessions.count += 1)}`;
      const step = shot.isLimited ? limitedStep(shot.scene, clock) : playedStep(shot.scene);
      const events = canResume ? [{ kind: 'session', id: session } as const, ...(step.events ?? [])] : step.events;
      const pauseMs = Math.round(((shot.isLimited ? 0.1 : minutes) * MINUTE_MS) / ((events?.length ?? 0) + 1));
      const work = () => {
        clock.advance(pauseMs);
        if (turn.stoppedBy !== undefined) onStop(turn.stoppedBy);
      };
      const onEvent = (event: AgentEvent) => {
        clock.advance(pauseMs);
        listener.onEvent(event);
      };
      return scriptedAgent([{ ...step, events, work }]).run(task, { ...listener, onEvent }, signal);
    },
  };
}

function shotsOf(scene: Scene): readonly Shot[] {
  const times = scene.turn.limited?.times ?? 0;
  return [...Array.from({ length: times }, () => ({ scene, isLimited: true })), { scene, isLimited: false }];
}

function limitedStep({ turn }: Scene, clock: ManualClock): ScriptedStep {
  const { by = 'overload', resetsInMinutes } = turn.limited ?? {};
  const resetsAt =
    resetsInMinutes === undefined ? undefined : new Date(clock.now() + resetsInMinutes * MINUTE_MS).toISOString();
  const message = by === 'overload' ? 'Overloaded' : 'You have reached your usage limit';
  return {
    events: [
      { kind: 'usage', scope: 'turn', model: 'story', spend: { inputTokens: 900, outputTokens: 0, costUsd: 0.003 } },
      { kind: 'limit', limit: by, resetsAt, message },
      { kind: 'result', outcome: 'error' },
    ],
    end: { exitCode: 1 },
  };
}

function playedStep(scene: Scene): ScriptedStep {
  const { turn, says } = scene;
  const { error, timesOut = false, contextPercent } = turn;
  const context: AgentEvent[] =
    contextPercent === undefined
      ? []
      : [{ kind: 'context', usedTokens: contextPercent * (WINDOW_TOKENS / 100), windowTokens: WINDOW_TOKENS }];
  const said = [{ kind: 'text', text: says } as const, ...usageOf(scene), ...context];
  const worked = [...toolsOf(scene), ...said];
  if (timesOut) return { events: worked, end: { cause: 'timeout', exitCode: undefined, signal: 'SIGTERM' } };
  if (error === undefined) return { events: [...worked, { kind: 'result', outcome: 'success' }] };
  return {
    events: [
      ...worked,
      { kind: 'error', error: error.kind, message: error.message },
      { kind: 'result', outcome: 'error' },
    ],
    end: { exitCode: 1 },
  };
}

function toolsOf({ turn, files, iteration }: Scene): AgentEvent[] {
  const denied = (turn.denied ?? []).flatMap((tool, index): AgentEvent[] => {
    const id = `d${iteration}.${index}`;
    return [
      { kind: 'tool-call', id, name: 'Bash', input: tool },
      { kind: 'tool-result', id, failed: true, denied: true },
      { kind: 'permission-denied', tool: 'Bash', id, detail: tool },
    ];
  });
  const [changed] = [...files.created, ...files.modified, ...files.deleted];
  if (changed === undefined) return denied;
  const id = `t${iteration}`;
  return [
    ...denied,
    { kind: 'tool-call', id, name: 'Edit', input: changed },
    { kind: 'tool-result', id, failed: false },
  ];
}

/** A dear iteration reports twice, so that a limit can hold in the middle of it. */
function usageOf({ costUsd }: Scene): AgentEvent[] {
  const reports = costUsd !== undefined && costUsd > 1 ? 2 : 1;
  const part = (costUsd ?? 0.2) / reports;
  const spend = {
    inputTokens: Math.round(part * 220_000),
    outputTokens: Math.round(part * 22_000),
    costUsd: costUsd === undefined ? undefined : Math.round(part * 10_000) / 10_000,
  };
  return Array.from({ length: reports }, () => ({ kind: 'usage', scope: 'turn', model: 'story', spend }));
}
