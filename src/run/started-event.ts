import { NEWEST_RULES } from '../model/condition-catalog.js';
import type { EventBodies, NewEvent } from '../model/run-event.js';
import { VERSION } from '../version.js';
import type { RunParts } from './run-parts.js';

type Started = EventBodies['run-started'];

/** The first event of a record. */
export function startedEvent(
  { runId, spec, agent, versions }: Pick<RunParts, 'runId' | 'spec' | 'agent' | 'versions'>,
  kind: Pick<Started, 'kind' | 'items' | 'pipeline'>,
): NewEvent {
  return {
    type: 'run-started',
    runId,
    policy: spec.policy,
    spec,
    agent: { name: agent.name, usage: agent.usage, model: spec.agent.model },
    ...(Object.keys(NEWEST_RULES).length === 0 ? {} : { rules: NEWEST_RULES }),
    versions: { pawl: VERSION, node: process.versions.node, ...versions },
    ...kind,
  };
}
