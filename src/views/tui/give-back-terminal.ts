/**
 * Those that end a program which does not answer them, and that no one sends to a run to say something else. Left out are
 * those that Node.js needs itself, and those of a broken processor state, in which nothing can be answered.
 */
const DEADLY = [
  'SIGQUIT',
  'SIGABRT',
  'SIGALRM',
  'SIGUSR2',
  'SIGVTALRM',
  'SIGXCPU',
  'SIGIO',
  'SIGPWR',
  'SIGSTKFLT',
  'SIGSYS',
  'SIGTRAP',
] as const satisfies readonly NodeJS.Signals[];

/**
 * Before a signal ends this process the terminal is given back; the signal then does what it does by default. `more` are
 * further signals that no one else answers. Returns a function that takes the handlers away.
 */
export function giveBackBeforeDeath(giveBack: () => void, more: readonly NodeJS.Signals[] = []): () => void {
  const answered: NodeJS.Signals[] = [];
  const ignore = () => {
    for (const name of answered.splice(0)) process.off(name, onSignal);
  };
  const onSignal = (name: NodeJS.Signals) => {
    try {
      giveBack();
    } finally {
      ignore();
      process.kill(process.pid, name);
    }
  };
  for (const name of [...DEADLY, ...more]) {
    try {
      process.on(name, onSignal);
      answered.push(name);
    } catch {
      // This system does not know it.
    }
  }
  return ignore;
}
