import type { Terminal } from '../text/terminal.js';
import { giveBackBeforeDeath } from './give-back-terminal.js';
import { type Key, Keyboard } from './keyboard.js';
import type { LiveTerminal } from '../text/live-terminal.js';
import { Screen } from './screen.js';

export interface Choice {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Lets someone choose a line with the arrows and Enter. Undefined when no one wants one. */
export function pickLine(
  { title, lines }: Choice,
  { output, input }: LiveTerminal & { readonly input: NodeJS.ReadStream },
  terminal: Terminal,
): Promise<number | undefined> {
  return new Promise((resolve) => {
    let at = 0;
    const screen = new Screen(
      (text) => void output.write(text),
      () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    );
    const draw = () => screen.draw({ lines: pickerLines({ title, lines }, at, screen.height, terminal) });
    const end = (picked: number | undefined) => {
      screen.end();
      keyboard.stop();
      output.off('resize', draw);
      process.off('exit', giveUp);
      ignoreSignals();
      resolve(picked);
    };
    const giveUp = () => end(undefined);
    const keyboard = new Keyboard(input, (key) => {
      const step = stepOf(key);
      if (step === 'pick') return end(at);
      if (step === 'leave') return end(undefined);
      at = (at + step + lines.length) % lines.length;
      return draw();
    });
    output.on('resize', draw);
    process.on('exit', giveUp);
    const ignoreSignals = giveBackBeforeDeath(giveUp, ['SIGINT', 'SIGTERM', 'SIGHUP']);
    keyboard.start();
    draw();
  });
}

function stepOf(key: Key): number | 'pick' | 'leave' {
  if (key.name === 'enter') return 'pick';
  if (key.name === 'escape' || key.name === 'interrupt' || key.text === 'q') return 'leave';
  if (key.name === 'up' || key.text === 'k') return -1;
  return key.name === 'down' || key.text === 'j' ? 1 : 0;
}

/** As many lines as there is room for, around the one that is marked. */
function pickerLines({ title, lines }: Choice, at: number, height: number, terminal: Terminal): readonly string[] {
  const room = Math.max(1, height - 3);
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), lines.length - room));
  const shown = lines.slice(first, first + room).map((line, index) => {
    const isMarked = first + index === at;
    return isMarked ? terminal.style(['bold', 'cyan'], `❯ ${line}`) : `  ${line}`;
  });
  return [terminal.style('bold', title), ...shown, '', terminal.style('dim', '↑ ↓ choose  Enter watch  q leave')];
}
