import { createInterface } from 'node:readline';
import type { Confirmation, ConfirmOptions } from '../../../app/confirm-commands.js';
import type { CommandContext } from '../command-context.js';

/** How a person is asked here to confirm commands; only where there is one to ask. */
export function askingHere({ stdin, stderr, terminal }: CommandContext): Pick<ConfirmOptions, 'ask' | 'columns'> {
  const isPersonPresent = stdin.isTTY && stderr.isTTY;
  return {
    columns: terminal.columns,
    ...(isPersonPresent ? { ask: (question: string) => ask(question, stdin, stderr) } : {}),
  };
}

async function ask(question: string, stdin: NodeJS.ReadStream, stderr: NodeJS.WriteStream): Promise<Confirmation> {
  const reader = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    const settle = (answer: Confirmation) => {
      resolve(answer);
      reader.close();
    };
    reader.on('SIGINT', () => {
      stderr.write('\n');
      settle('interrupted');
    });
    reader.on('close', () => settle('no'));
    reader.question(question, (answer) => settle(/^y(es)?$/i.test(answer.trim()) ? 'yes' : 'no'));
  });
}
