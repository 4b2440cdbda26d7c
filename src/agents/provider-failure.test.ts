import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../model/agent-event.js';
import { findAdapter } from './find-adapter.js';
import { failureEvent, failureKind, plainWords, retryEvent } from './provider-failure.js';

describe('what a provider refuses, and why', () => {
  it.each([
    ['Quota exceeded. Check your plan and billing details.', undefined, 'billing'],
    ['You exceeded your current quota', 429, 'billing'],
    ['Your credit balance is too low', 400, 'billing'],
    ["You've reached your usage limit for this period.", 429, 'usage-limit'],
    ['You have exhausted your daily quota on this model.', undefined, 'usage-limit'],
    ['prompt is too long: 205000 tokens > 200000 maximum', 400, 'context'],
    ['something', 401, 'auth'],
    ['something', 403, 'auth'],
    ['something', 402, 'billing'],
    ['something', 429, 'rate'],
    ['something', 503, 'overload'],
    ['Overloaded', undefined, 'overload'],
    ['something', 500, 'overload'],
    ['something', 502, 'overload'],
    ['something', 504, 'overload'],
    ['something', 522, 'overload'],
    ['something', 529, 'overload'],
    ['something', 501, 'other'],
    ['something', 404, 'other'],
    ['API Error: Unable to connect to API (ECONNREFUSED)', undefined, 'overload'],
    ['Cannot connect to API: getaddrinfo EAI_AGAIN api.example.com', undefined, 'overload'],
    ['[API Error: Connection error.]', undefined, 'overload'],
    ['error sending request for url (http://127.0.0.1:1/v1/responses)', undefined, 'overload'],
    ['exception TypeError: fetch failed', undefined, 'overload'],
    ['cannot connect to the URL of the image', 400, 'other'],
    ['Authentication failed with provider at http://127.0.0.1:1 (HTTP 401).', undefined, 'auth'],
    ['The provider failed (HTTP 502).', undefined, 'overload'],
    ['Your credit balance is too low', 500, 'billing'],
    ['prompt is too long: 205000 tokens', 500, 'context'],
    ['something', undefined, 'other'],
  ] as const)('%s (%s) is %s', (message, status, kind) => expect(failureKind(message, status)).toBe(kind));

  it('what passes by itself is a limit, so that the run waits', () => {
    expect([429, 529, 401].map((status) => failureEvent('x', { status }).kind)).toEqual(['limit', 'limit', 'error']);
  });

  it('is named in plain words, whatever JSON the CLI shows, and judged by all of it', () => {
    const message = '529 {"error":{"type":"overloaded_error","message":"Try later"}}';
    expect(failureEvent(message)).toEqual({ kind: 'limit', limit: 'overload', message: '529 Try later' });
    expect(retryEvent(message, 2)).toEqual({ kind: 'retry', error: 'overload', attempt: 2, message: '529 Try later' });
  });

  it('an attempt is counted from one', () => {
    expect(retryEvent('x', 0, 529)).toEqual({ kind: 'retry', error: 'overload', attempt: 1, message: 'x' });
  });
});

/** What each agent prints when it gives up at a status of its provider. */
const GIVES_UP: Readonly<Record<string, (status: number) => unknown>> = {
  claude: (status) => ({
    type: 'assistant',
    error: 'unknown',
    api_error_status: status,
    message: { model: '<synthetic>', content: [{ type: 'text', text: `API Error: ${status} Something broke.` }] },
  }),
  codex: (status) => ({ type: 'error', message: `unexpected status ${status} Broke: , url: http://x` }),
  copilot: (status) => ({ type: 'session.error', data: { message: 'Broke', statusCode: status } }),
  gemini: (status) => ({ type: 'result', status: 'error', error: { message: `{"error":{"code": ${status}}}` } }),
  opencode: (status) => ({
    type: 'error',
    error: { name: 'APIError', data: { message: 'Broke', statusCode: status } },
  }),
  pi: (status) => ({
    type: 'message_end',
    message: { role: 'assistant', stopReason: 'error', errorMessage: `${status} status code (no body)` },
  }),
  qwen: (status) => ({ type: 'result', subtype: 'error', is_error: true, result: `[API Error: ${status} Broke]` }),
};

function readBy(agent: string, line: unknown): readonly AgentEvent[] {
  const adapter = findAdapter(agent);
  const reader = adapter?.reader?.({ now: () => new Date() });
  const text = JSON.stringify(line);
  return reader === undefined ? (adapter?.parse(text) ?? []) : [...reader.read(text), ...reader.end()];
}

describe.each(Object.entries(GIVES_UP))('%s', (agent, line) => {
  it.each([500, 502, 503, 504, 529])('that gives up at a %i is waited for, not counted as a failure', (status) => {
    const events = readBy(agent, line(status));
    expect(events).toContainEqual(expect.objectContaining({ kind: 'limit', limit: 'overload' }));
    expect(events.filter(({ kind }) => kind === 'error')).toEqual([]);
  });
});

describe('messages with JSON in them', () => {
  it.each([
    [
      '401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}',
      '401 invalid x-api-key',
    ],
    ['[API Error: {"error":{"code":401,"message":"no key","status":"UNAUTHENTICATED"}}]', '[API Error: no key]'],
    ['{"type":"overloaded_error","message":"Overloaded"}', 'Overloaded'],
    [
      '[API Error: {"error":{"message":"{\\n \\"error\\": {\\"code\\": 503, \\"message\\": \\"Busy\\"}}"}}]',
      '[API Error: Busy]',
    ],
    [
      'Reconnecting... 1/5 (unexpected status 503: {"error":"down"})',
      'Reconnecting... 1/5 (unexpected status 503: down)',
    ],
    ['400 {"error":{"code":"bad_request"}}', '400 bad_request'],
    ['503 {"error":{"message":"cut here","status":"UNAV', '503 cut here'],
    ['503 {"error":{"mess', '503'],
    ['{"retry":true}', 'no reason given'],
    [
      'A rule prevents you from using this tool. Here are the relevant rules: [{"permission":"*","action":"allow"},{"permission":"bash"}]',
      'A rule prevents you from using this tool. Here are the relevant rules',
    ],
    ['Plain words stay {as they are}', 'Plain words stay {as they are}'],
  ])('%s', (message, words) => expect(plainWords(message)).toBe(words));

  it('whatever comes, it is read', () => {
    fc.assert(
      fc.property(fc.string(), fc.json(), fc.string(), (before, json, after) => {
        expect(typeof plainWords(`${before}${json}${after}`)).toBe('string');
      }),
    );
  });
});
