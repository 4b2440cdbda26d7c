import { tool } from 'ai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { maxIterations } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { type AgentStreamPart, createDeepFactorAgent } from './index.js';

async function all<T>(parts: AsyncIterable<T>): Promise<readonly T[]> {
  const read: T[] = [];
  for await (const part of parts) read.push(part);
  return read;
}

describe('a stream', () => {
  it('that cannot begin throws where it is read, as parts and as text', async () => {
    let answer: (result: { readonly text: string }) => void = () => undefined;
    const answered = new Promise<{ readonly text: string }>((resolve) => (answer = resolve));
    const model = scriptedModel([() => answered]);
    const agent = createDeepFactorAgent({ model });
    await expect(all(agent.stream({ prompt: ' ' }))).rejects.toMatchObject({ code: 'ConfigError' });
    const running = agent.stream({ prompt: 'go' });
    await expect(all(agent.stream({ prompt: 'go' }).textStream)).rejects.toMatchObject({ code: 'AlreadyRunning' });
    answer({ text: 'ok' });
    expect((await all(running.textStream)).join('')).toBe('ok');
  });

  it('refuses a second reader, and the first misses nothing', async () => {
    const stream = createDeepFactorAgent({ model: scriptedModel([{ text: 'one two' }]) }).stream({ prompt: 'go' });
    const first = all(stream);
    await expect(all(stream)).rejects.toThrow('it can be read once');
    await expect(all(stream.textStream)).rejects.toMatchObject({ code: 'InvalidState' });
    expect((await first).filter(({ type }) => type === 'text-delta')).toHaveLength(2);
    await expect(all(stream)).rejects.toThrow('it can be read once');
  });

  it('tells of a call that failed', async () => {
    const model = scriptedModel([{ error: new Error('no such model') }, { text: 'ok' }]);
    const parts: readonly AgentStreamPart[] = await all(createDeepFactorAgent({ model }).stream({ prompt: 'go' }));
    expect(parts).toContainEqual({ type: 'error', message: 'no such model' });
  });

  it('that only brings the input of a tool is no silence', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const scripted = scriptedModel([{ toolCalls: [{ name: 'write', id: 'w' }] }, { text: 'ok' }]);
    const model = {
      ...scripted,
      doStream: async (options: Parameters<typeof scripted.doStream>[0]) => {
        const { stream } = await scripted.doStream(options);
        if (scripted.calls.length > 1) return { stream };
        return { stream: slowly(stream) };
      },
    };
    const write = tool({ inputSchema: z.object({}), execute: () => 'written' });
    const options = { model, tools: { write }, idleTimeout: '600ms', stopWhen: maxIterations(1) };
    const { result } = createDeepFactorAgent(options).stream({ prompt: 'go' });
    expect(await result).toMatchObject({ status: 'completed', iterations: 1, text: 'ok' });
  });
});

/** The input of the tool comes in pieces, over more than the time that a silence may last. */
function slowly<T>(stream: ReadableStream<T>): ReadableStream<T> {
  return stream.pipeThrough(
    new TransformStream<T, T>({
      async transform(part, controller) {
        if ((part as { readonly type: string }).type === 'tool-call') {
          controller.enqueue({ type: 'tool-input-start', id: 'w', toolName: 'write' } as T);
          for (let piece = 0; piece < 10; piece++) {
            // oxlint-disable-next-line no-await-in-loop -- one after the other is the point
            await vi.advanceTimersByTimeAsync(100);
            controller.enqueue({ type: 'tool-input-delta', id: 'w', delta: piece === 0 ? '{' : ' ' } as T);
          }
          controller.enqueue({ type: 'tool-input-end', id: 'w' } as T);
        }
        controller.enqueue(part);
      },
    }),
  );
}
