import { setTimeout as sleep } from 'node:timers/promises';
import type { OnNotice, Session } from './database.js';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
/** A connection that leads nowhere any more is noticed by this. */
const LOOK_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;

/** A session of its own on which notices arrive. */
type OpenSession = (onNotice: OnNotice) => Promise<Session>;

/** Listens, and listens again whenever the connection is lost, until it is ended. */
export async function listenOn(
  channels: readonly string[],
  openSession: OpenSession,
  onNotice: OnNotice,
): Promise<() => Promise<void>> {
  const ended = new AbortController();
  let session = await listenOnce(channels, openSession, onNotice);
  const looking = setInterval(() => {
    // Whoever waits for the loss of the session hears of it.
    session.query('select 1', [], ANSWER_WITHIN_MS).catch(() => {});
  }, LOOK_EVERY_MS).unref();
  const again = async (): Promise<void> => {
    const next = await listenAgain(() => listenOnce(channels, openSession, onNotice), ended.signal);
    if (next === undefined) return;
    session = next;
    session.onLost(() => void again());
    for (const channel of channels) onNotice(channel, '');
  };
  session.onLost(() => void again());
  return async () => {
    ended.abort();
    clearInterval(looking);
    await session.end();
  };
}

async function listenOnce(channels: readonly string[], openSession: OpenSession, onNotice: OnNotice): Promise<Session> {
  const session = await openSession(onNotice);
  try {
    await session.query(channels.map((channel) => `listen "${channel.replaceAll('"', '""')}"`).join('; '));
  } catch (error) {
    await session.end();
    throw error;
  }
  return session;
}

async function listenAgain(listen: () => Promise<Session>, ended: AbortSignal): Promise<Session | undefined> {
  for (let waitMs = FIRST_WAIT_MS; !ended.aborted; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    try {
      await sleep(waitMs, undefined, { signal: ended, ref: false });
      const session = await listen();
      if (!ended.aborted) return session;
      await session.end();
    } catch {
      // The next try follows.
    }
  }
  return undefined;
}
