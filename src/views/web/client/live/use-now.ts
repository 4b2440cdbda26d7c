import { useEffect, useState } from 'react';

const SECOND_MS = 1000;

/** The time, which continues every second as long as something does. */
export function useNow(isTicking: boolean): number {
  const [nowMs, setNow] = useState(() => Date.now());
  useEffect(() => {
    setNow(Date.now());
    if (!isTicking) return undefined;
    const timer = setInterval(() => setNow(Date.now()), SECOND_MS);
    return () => clearInterval(timer);
  }, [isTicking]);
  return nowMs;
}
