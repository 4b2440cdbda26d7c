import { outcomeWord, type StopClass } from '../../../../model/stop-class.js';

const TONES: Readonly<Record<string, string>> = {
  running: 'live',
  rebooting: 'live',
  paused: 'warn',
  waiting: 'warn',
  stopping: 'warn',
  completed: 'good',
  incomplete: 'warn',
  stopped: 'still',
  idle: 'still',
  error: 'bad',
  damaged: 'bad',
  interrupted: 'bad',
};

interface StatusBadgeProps {
  readonly status: string;
  /** Of a run that has ended. */
  readonly stopClass: StopClass | undefined;
}

/** What a run is at, with a dot in its colour. A pipeline that came to its end is good only if every item is. */
export function StatusBadge({ status, stopClass }: StatusBadgeProps) {
  const word = outcomeWord(status, stopClass);
  return (
    <span className={`badge tone-${TONES[word] ?? 'still'}`}>
      <span className="dot" aria-hidden="true" />
      {word}
    </span>
  );
}
