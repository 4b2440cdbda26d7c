import type { Command } from 'commander';
import type { LoopCommand } from '../../../model/loop-command.js';
import type { CommandContext, CommandSetting } from '../command-context.js';
import { circuitBreakerOption, raisingOptions } from '../config-flags.js';
import type { SteerOptions } from './steer-run.js';
import type { WaitOptions } from '../inspect/wait.js';

const LIVE_RUN = 'the id of a run or the start of one (default: the live run)';

/** Commands that need nothing but the run. */
const PLAIN = [
  ['pause', 'pause a live run after its iteration', 'pause'],
  ['unpause', 'continue after a pause, or try now instead of waiting', 'resume'],
  ['skip', 'end the current iteration and start the next', 'skip'],
  ['reboot', 'start a new session with the next iteration', 'reboot'],
] as const;

const WITH_TEXT = [
  ['reject', 'send an attended run back with a reason; it asks again'],
  ['steer', 'add a message to the next prompt'],
] as const;

/** The commands that steer a run of another process. */
export function addSteeringCommands(program: Command, { context, end }: CommandSetting): void {
  const command = (name: string, about: string) =>
    program
      .command(name)
      .description(about)
      .option('--cwd <DIR>', 'use this folder instead of the current one')
      .option('--json', 'print JSON');
  const steer = async (
    name: string,
    run: string | undefined,
    commands: readonly LoopCommand[],
    options: SteerOptions,
  ) => {
    const { steerCommand } = await import('../looking-commands.js');
    end(await steerCommand({ name, run, commands, options }, context));
  };

  command('stop', 'stop a live run after its iteration')
    .argument('[run]', LIVE_RUN)
    .option('--now', 'stop the agent and everything it started at once')
    .action((run: string | undefined, options: SteerOptions) => {
      const now = options['now'] === true;
      return steer('stop', run, [now ? { type: 'stop', now } : { type: 'stop' }], options);
    });
  for (const [name, about, type] of PLAIN) {
    command(name, about)
      .argument('[run]', LIVE_RUN)
      .action((run: string | undefined, options: SteerOptions) => steer(name, run, [{ type }], options));
  }
  command('approve', 'let a run continue, or accept the tests it changed')
    .argument('[run]', LIVE_RUN)
    .action(async (run: string | undefined, options: SteerOptions) => {
      const { approveCommand } = await import('../driving-commands.js');
      end(await approveCommand(run, options, context));
    });
  for (const [type, about] of WITH_TEXT) {
    command(type, about)
      .argument('<text...>', 'the text in quotes; put the run before it unless it is the live one')
      .usage('[options] [RUN] TEXT')
      .action(async (words: readonly string[], options: SteerOptions) => {
        const { runAndText } = await import('../looking-commands.js');
        const { run, text } = runAndText(type, words, options.cwd, context);
        await steer(type, run, [{ type, text }], options);
      });
  }
  addAnswer(command('answer', 'answer a question that the agent asked'), { context, end });
  addExtend(command('extend', 'change a limit of a live run'), steer, context);
  command('wait', 'wait until a run has ended, and exit with its exit code')
    .argument('[run]', 'the id of a run or the start of one (default: the live run, or the latest)')
    .action(async (run: string | undefined, options: WaitOptions) => {
      const { waitCommand } = await import('../looking-commands.js');
      end(await waitCommand(run, options, context));
    });
}

type Steer = (
  name: string,
  run: string | undefined,
  commands: readonly LoopCommand[],
  options: SteerOptions,
) => Promise<void>;

function addExtend(extend: Command, steer: Steer, context: CommandContext): void {
  extend.argument('[run]', LIVE_RUN).action(async (run: string | undefined, options: SteerOptions) => {
    const { extensionsIn } = await import('../looking-commands.js');
    await steer('extend', run, extensionsIn(options, context), options);
  });
  for (const option of raisingOptions(true)) extend.addOption(option);
  extend.addOption(circuitBreakerOption('for a pipeline: halt after this many attempts in total'));
}

function addAnswer(answer: Command, { context, end }: Pick<CommandSetting, 'context' | 'end'>): void {
  answer
    .argument(
      '<text...>',
      'the answer in quotes, or the number of a choice; put the run before it unless it is the live one',
    )
    .usage('[options] [RUN] TEXT')
    .option('--question <ID>', 'which question, if several are open')
    .action(async (words: readonly string[], options: SteerOptions & { readonly question?: string }) => {
      const { answerCommand } = await import('../looking-commands.js');
      end(await answerCommand(words, options, context));
    });
}
