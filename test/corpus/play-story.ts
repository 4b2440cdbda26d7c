import { createHash } from 'node:crypto';
import type { RunEvent } from '../../src/model/run-event.js';
import type { RunSpec } from '../../src/model/run-spec.js';
import { endOf } from '../../src/model/phase.js';
import type { RunState } from '../../src/model/run-state.js';
import { createSpecRun } from '../../src/run/run-handle.js';
import { allTestsPass, maxCost, maxIterations } from '../../src/stop/conditions.js';
import { type MemoryJournal, memoryJournal } from '../../src/testing/memory-journal.js';
import { observedJournal } from './observed-journal.js';
import { baselineOf, type Scene, scenesOf } from './scenes-of.js';
import type { Story } from './story.js';
import { storyAgent } from './story-agent.js';
import { byStoryClock } from './story-clock.js';

const DAY_MS = 86_400_000;

/** Runs a story through the real loop, as often as it is started again, and returns what is recorded. */
export async function playStory(story: Story): Promise<readonly RunEvent[]> {
  const scenes = scenesOf(story);
  let journal: MemoryJournal | undefined;
  const stateOf = (): RunState | undefined => journal?.state;
  return byStoryClock(startOf(story), stateOf, async (clock) => {
    let stop = (_by: string): void => undefined;
    const agent = storyAgent(scenes, {
      clock,
      canResume: story.redlinePercent !== undefined,
      onStop: (by) => stop(by),
    });
    const spec = specOf(story, scenes.length);
    for (;;) {
      journal = memoryJournal({ events: journal?.events, now: clock.now });
      const observed = observedJournal(journal, {
        baseline: baselineOf(story),
        scene: agent.scene,
        isCrash: (event) =>
          event.type === 'iteration-status' && event.status === 'observing' && isCrashing(agent.scene()),
      });
      const run = createSpecRun(spec, { journal: observed, agent, now: clock.now, environment: {} }, runIdOf(story));
      stop = (by) => void run.send({ type: 'stop' }, by);
      // oxlint-disable-next-line no-await-in-loop -- a process after the other
      await run.run();
      if (endOf(journal.state) !== undefined) return journal.events;
      clock.advance((agent.scene()?.turn.crashes?.downMinutes ?? 0) * 60_000);
    }
  });
}

function isCrashing(scene: Scene | undefined): boolean {
  return scene?.turn.crashes !== undefined;
}

function specOf(story: Story, iterations: number): RunSpec {
  const { success = story.tests === 'none' ? [] : [allTestsPass()], maxCostUsd, redlinePercent = 85 } = story;
  const limits = maxCostUsd === undefined ? [] : [maxCost(maxCostUsd)];
  return {
    workingDir: '/home/dev/shop',
    promptPath: '/home/dev/shop/PROMPT.md',
    prompt: 'Make all tests pass.',
    agent: { name: 'command', args: [], env: {}, permissions: 'edit', allow: [] },
    policy: { success, failure: [], limits: [maxIterations(iterations), ...limits] },
    checks: {},
    iterationDelayMs: 0,
    iterationTimeoutMs: 1_800_000,
    idleTimeoutMs: 600_000,
    maxWaitMs: 21_600_000,
    contextRedlinePercent: redlinePercent,
    attendedMode: false,
    session: { mode: 'continue', timeoutMs: DAY_MS, persist: false, stateDir: '/home/dev/shop/.ralph/sessions' },
    hooks: {},
    commit: 'never',
    trackFileChanges: false,
    parseTests: true,
    notify: {},
    prices: {},
  };
}

function hashOf({ name }: Story): string {
  return createHash('sha1').update(name).digest('hex');
}

function runIdOf(story: Story): string {
  return `loop_01${hashOf(story).slice(0, 24).toUpperCase()}`;
}

/** Some evening of half a year. */
function startOf(story: Story): string {
  const minutes = Number.parseInt(hashOf(story).slice(0, 6), 16);
  const evening = Date.UTC(2026, 0, 1, 17) + (minutes % 180) * DAY_MS + (minutes % 300) * 60_000;
  return new Date(evening).toISOString();
}
