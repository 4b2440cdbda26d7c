import { neededBy } from '../model/condition-catalog.js';
import { conditionKey } from '../model/condition-key.js';
import type { Needs } from '../model/judging/needs.js';
import type { Observation, ProbeResult } from '../model/observation.js';
import { compilePattern, type Matcher } from '../model/pattern.js';
import { type Policy, policyLeaves } from '../model/policy.js';
import type { EventOf, RunEvent } from '../model/run-event.js';

/** Tells from what was observed what a guard would have said; undefined when the record does not hold enough. */
export type GuardLook = (
  guard: NonNullable<Needs['guard']>,
  changedPaths: readonly string[],
) => ProbeResult | undefined;

/**
 * What policies ask for and the recorded run did not look for, found in what it recorded: patterns in the messages, guards
 * in the lists of changed files. It happens before the decision, which reads facts only.
 */
export class LookedFor {
  readonly #patterns = new Map<string, Matcher>();
  readonly #guards = new Map<string, NonNullable<Needs['guard']>>();
  readonly #look: GuardLook | undefined;

  constructor(look?: GuardLook) {
    this.#look = look;
  }

  /** What the recorded policy asked for was looked for with more at hand: the whole message, the prompt, the disk. */
  add(policy: Policy, recorded: Policy): void {
    const known = new Set(policyLeaves(recorded).map(conditionKey));
    const added = policyLeaves(policy).filter((leaf) => !known.has(conditionKey(leaf)));
    for (const [key, pattern] of neededBy(added, 'output'))
      if (!this.#patterns.has(key)) this.#patterns.set(key, compilePattern(pattern));
    for (const [key, guard] of neededBy(added, 'guard')) this.#guards.set(key, guard);
  }

  /** The event with what is found in it. What the run itself found stays as it is. */
  in(event: RunEvent): RunEvent {
    if (event.type === 'agent-said') return this.#patterns.size === 0 ? event : this.#withMatches(event);
    if (event.type === 'iteration-ended' && this.#guards.size > 0) {
      return { ...event, observation: this.#withProbes(event.observation) };
    }
    return event;
  }

  #withMatches(event: EventOf<'agent-said'>): RunEvent {
    let found: Record<string, string> | undefined;
    for (const [key, find] of this.#patterns) {
      if (event.matches?.[key] !== undefined) continue;
      const match = find(event.text);
      if (match !== undefined) found = { ...found, [key]: match };
    }
    return found === undefined ? event : { ...event, matches: { ...event.matches, ...found } };
  }

  #withProbes(observation: Observation): Observation {
    const paths = changedPaths(observation);
    if (paths === undefined || this.#look === undefined) return observation;
    const found: Record<string, ProbeResult> = {};
    for (const [key, guard] of this.#guards) {
      const answer = observation.probes?.[key] === undefined ? this.#look(guard, paths) : undefined;
      if (answer !== undefined) found[key] = answer;
    }
    return { ...observation, probes: { ...observation.probes, ...found } };
  }
}

/** Every changed file, if all of them are in the record. */
function changedPaths({ files }: Observation): readonly string[] | undefined {
  if (files === undefined || (files.incomplete?.length ?? 0) > 0) return undefined;
  const paths = [...files.created, ...files.modified, ...files.deleted];
  return paths.length === files.changedFiles ? paths : undefined;
}
