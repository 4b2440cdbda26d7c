import { expect, it } from 'vitest';
import { Refusal } from './refusal.js';
import { refusalAnswer } from './refusal-answer.js';

it.each(['/api', '/api/', '/api/runs/x', '/api?x'])('%s is answered to a program', (path) => {
  const { type, text } = refusalAnswer(path, new Refusal(404, 'no such run'));
  expect(type).toBe('application/json');
  expect(JSON.parse(text)).toEqual({ error: 'no such run' });
});

it.each(['/', '/?token=x', '/foo', '/runs/no-id', '/metrics', '/apis', 'http://evil.example/api', ''])(
  '%j is answered to a person',
  (path) => {
    const { type, text } = refusalAnswer(path, new Refusal(401, 'open the address'));
    expect(type).toBe('text/html; charset=utf-8');
    expect(text).toContain('<p>Pawl: open the address.</p>');
    expect(text).not.toContain('<a ');
  },
);

it('a page that is not there leads to the list, and a name in the reason is no markup', () => {
  const { text } = refusalAnswer('/metrics', new Refusal(404, 'open /a/<img src=x onerror=y>&amp;'));
  expect(text).toContain('<a href="/">');
  expect(text).toContain('&lt;img src=x onerror=y&gt;&amp;amp;');
});

it('a page that is not there looks like the others, in light and dark', () => {
  const { text } = refusalAnswer('/foo', new Refusal(404, 'this address does not exist'), '/assets/index-1.css');
  expect(text).toContain('<link rel="stylesheet" href="/assets/index-1.css">');
  expect(text).toContain('content="light dark"');
  expect(text).toContain('class="notice"');
});
