import { whyRefused } from './request.js';

/**
 * How a page stands with the server: `hidden` while no one inspects it, `refused` when it needs a new link, `full` when
 * the server has no room for another page, which it says in its own words, `gone` when what it is about is no more.
 */
export type Connection = 'connecting' | 'open' | 'lost' | 'full' | 'hidden' | 'refused' | 'gone';

interface StreamPlan {
  /** Asked again for each connection, so that it continues where it was. */
  readonly url: () => string;
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  readonly onConnection: (connection: Connection, words?: string) => void;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8000;
const UNAVAILABLE = 503;

/**
 * One stream of events that is there whenever the page can be seen. A browser opens only six connections to a host, so
 * that a hidden page must hold none. Gives the function that ends it.
 */
export function openStream(plan: StreamPlan): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let retryMs = FIRST_RETRY_MS;
  let isEnded = false;
  let isFull = false;

  const disconnect = () => {
    clearTimeout(timer);
    source?.close();
    source = undefined;
  };
  const retry = () => {
    disconnect();
    if (isEnded || document.hidden) return;
    if (!isFull) plan.onConnection('lost');
    timer = setTimeout(connect, retryMs);
    retryMs = Math.min(LONGEST_RETRY_MS, retryMs * 2);
    void lookWhy();
  };
  const lookWhy = async () => {
    const why = await whyRefused(plan.url());
    if (isEnded || source?.readyState === EventSource.OPEN) return;
    isFull = why?.status === UNAVAILABLE;
    if (isFull) return plan.onConnection('full', why?.message);
    if (why?.isUnauthorized !== true && why?.isNotFound !== true) return plan.onConnection('lost');
    disconnect();
    plan.onConnection(why.isNotFound ? 'gone' : 'refused');
  };
  const connect = () => {
    disconnect();
    const opened = new EventSource(plan.url());
    source = opened;
    opened.addEventListener('open', () => {
      retryMs = FIRST_RETRY_MS;
      isFull = false;
      plan.onConnection('open');
    });
    opened.addEventListener('error', retry);
    for (const [name, hear] of Object.entries(plan.on)) {
      opened.addEventListener(name, (event: MessageEvent<string>) => {
        if (source === opened) hear(event.data === '' ? undefined : JSON.parse(event.data));
      });
    }
  };
  const look = () => {
    retryMs = FIRST_RETRY_MS;
    if (!document.hidden) return connect();
    disconnect();
    plan.onConnection('hidden');
  };

  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    isEnded = true;
    document.removeEventListener('visibilitychange', look);
    disconnect();
  };
}
