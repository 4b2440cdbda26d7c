import { z } from 'zod';
import { type LoopCommand, MOST_TEXT_BYTES } from '../../model/loop-command.js';
import { steerRun } from '../../app/steer-run.js';
import { folderOf, PROJECT, RUN } from './run-reference.js';
import { defineTool, type McpSetting, type Registration, type ToolAnswer } from './tool.js';
import type { TextContext } from '../text/text-context.js';

/** An agent may end its own run, and nothing else: it does not decide what it is told, or how long it is let rest. */
const NOT_FOR_ITSELF = ['steer', 'pause', 'unpause'];

const NAMED = { run: RUN, project: PROJECT };
const CHANGES = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

interface Wish {
  /** The command as it is typed. */
  readonly name: string;
  readonly command: LoopCommand;
  readonly run: string;
  readonly project: string | undefined;
}

/** The tools that steer a live run. What gives an agent more than a person has granted is not among them. */
export function steerTools({ cwd }: McpSetting, context: TextContext): readonly Registration[] {
  const steer = (wish: Wish) => send(folderOf(cwd, wish.project, context.environment), wish, context);
  return [
    defineTool({
      name: 'steer_run',
      title: 'Send a message to the agent of a run',
      description: 'Adds a message to the next prompt of a live run. Not for the run that the caller itself works in.',
      input: z.strictObject({
        ...NAMED,
        text: z.string().min(1).max(MOST_TEXT_BYTES).describe('The message to the agent, at most 8 KB'),
      }),
      annotations: CHANGES,
      call: ({ run, project, text }) => steer({ name: 'steer', command: { type: 'steer', text }, run, project }),
    }),
    defineTool({
      name: 'pause_run',
      title: 'Pause a run',
      description: 'Pauses a live run after the current iteration. unpause_run continues it.',
      input: z.strictObject(NAMED),
      annotations: { ...CHANGES, idempotentHint: true },
      call: (named) => steer({ name: 'pause', command: { type: 'pause' }, ...wished(named) }),
    }),
    defineTool({
      name: 'unpause_run',
      title: 'Continue after a pause',
      description: 'Continues a paused run, cancels a pause that was only requested, or ends a wait.',
      input: z.strictObject(NAMED),
      annotations: CHANGES,
      call: (named) => steer({ name: 'unpause', command: { type: 'resume' }, ...wished(named) }),
    }),
    defineTool({
      name: 'stop_run',
      title: 'Stop a run',
      description:
        'Stops a live run after the current iteration; with now: true it ends the agent at once, in the middle of its work.',
      input: z.strictObject({
        ...NAMED,
        now: z.boolean().optional().describe('End the agent and everything it started at once'),
      }),
      annotations: { ...CHANGES, destructiveHint: true, idempotentHint: true },
      call: ({ now, ...named }) =>
        steer({ name: 'stop', command: now === true ? { type: 'stop', now } : { type: 'stop' }, ...wished(named) }),
    }),
  ];
}

function wished({ run, project }: { readonly run: string; readonly project?: string | undefined }) {
  return { run, project };
}

async function send(cwd: string, { name, command, run }: Wish, context: TextContext): Promise<ToolAnswer> {
  const effects: string[] = [];
  const sentences: string[] = [];
  const by = `pawl mcp (pid ${process.pid})`;
  const { runId, status } = await steerRun(
    { name, run, commands: [command], cwd, by, forPeople: NOT_FOR_ITSELF },
    (taken) => {
      effects.push(taken.effect);
      sentences.push(taken.sentence);
    },
    context,
  );
  return { text: sentences.join('\n'), data: { runId, status, effect: effects.join('\n') } };
}
