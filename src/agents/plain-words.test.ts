import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWords } from './plain-words.js';

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
