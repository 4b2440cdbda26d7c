import { afterEach, describe, expect, it } from 'vitest';
import { type Answers, WebListener } from '../../test/support/web-listener.js';
import { postWebhook } from './notifier.js';

const open: WebListener[] = [];
afterEach(async () => {
  for (const listener of open.splice(0)) await listener.close();
});

async function listen(...answers: Answers): Promise<WebListener> {
  const listener = await WebListener.open(...answers);
  open.push(listener);
  return listener;
}

const post = (address: string, options: { signal?: AbortSignal; timeoutMs?: number } = {}) =>
  postWebhook(address, '{"a":1}', {
    signal: new AbortController().signal,
    timeoutMs: 5000,
    retryDelaysMs: [1, 1],
    ...options,
  });

describe('a webhook', () => {
  it('gets JSON by POST', async () => {
    const listener = await listen(204);
    expect(await post(listener.address)).toBeUndefined();
    expect(listener.posts).toMatchObject([
      { path: '/hook/s3cr3t-path', body: '{"a":1}', headers: { 'content-type': 'application/json' } },
    ]);
  });

  it('that is broken for a moment is asked again', async () => {
    const listener = await listen(500, 503, 200);
    expect(await post(listener.address)).toBeUndefined();
    expect(listener.posts).toHaveLength(3);
  });

  it('that stays broken is asked three times', async () => {
    const listener = await listen(500);
    expect(await post(listener.address)).toBe('it answers 500');
    expect(listener.posts).toHaveLength(3);
  });

  it('that refuses is not asked again', async () => {
    const listener = await listen(403);
    expect(await post(listener.address)).toBe('it answers 403');
    expect(listener.posts).toHaveLength(1);
  });

  it('cannot send the payload on to somebody else', async () => {
    const other = await listen(200);
    const listener = await listen({ redirectTo: other.address });
    expect(await post(listener.address)).toMatch(/307.*redirect/);
    expect(other.posts).toEqual([]);
  });

  it('that never answers is given up, and not told twice', async () => {
    const listener = await listen('hang');
    expect(await post(listener.address, { timeoutMs: 300 })).toBe('no answer within 300ms');
    expect(listener.posts).toHaveLength(1);
  });

  it('is ended at once when asked', async () => {
    const listener = await listen('hang');
    const stop = new AbortController();
    const posted = post(listener.address, { timeoutMs: 600_000, signal: stop.signal });
    await expect.poll(() => listener.posts.length, { timeout: 60_000 }).toBe(1);
    stop.abort();
    expect(await posted).toMatch(/ended with the run/);
  });

  it('that nobody runs is named by its error, never by its address', async () => {
    const listener = await WebListener.open(200);
    const { address } = listener;
    await listener.close();
    expect(await post(address)).toBe('it cannot be reached: ECONNREFUSED');
    expect(await post('http://nowhere.invalid/s3cr3t')).toMatch(/^it cannot be reached: (ENOTFOUND|EAI_AGAIN)$/);
  });

  it('with a password in its address gets it in a header', async () => {
    const listener = await listen(200);
    expect(await post(listener.address.replace('://', '://me:p%40ss@'))).toBeUndefined();
    const authorization = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(listener.posts).toMatchObject([{ headers: { authorization } }]);
  });
});
