import { describe, expect, it } from 'vitest';
import { claudeTranscript } from './transcript.js';

const ID = '66ad6ebe-4421-4ea4-92f5-d2f6eafa9ae0';
const pathIn = (workingDir: string, environment: Record<string, string> = { HOME: '/h' }) =>
  claudeTranscript(ID, { workingDir, environment })?.path;
const line = (more: object) =>
  JSON.stringify({
    type: 'assistant',
    timestamp: '2026-11-15T11:36:26.169Z',
    message: {
      id: 'msg_1',
      model: 'claude-sonnet-4-5-20250929',
      content: [{ type: 'text', text: 'Done.' }],
      usage: { input_tokens: 1200, cache_creation_input_tokens: 800, cache_read_input_tokens: 3000, output_tokens: 40 },
    },
    ...more,
  });
const read = (text: string, since: string) =>
  claudeTranscript(ID, { workingDir: '/w', environment: { HOME: '/h' } })?.parse(text, since);

describe('where Claude Code keeps a session', () => {
  it('every character of the path that is no letter or digit becomes a dash', () => {
    expect(pathIn('/tmp/my project_ü/.x')).toBe(`/h/.claude/projects/-tmp-my-project----x/${ID}.jsonl`);
  });

  it('its own folder for settings wins over the home', () => {
    expect(pathIn('/w', { HOME: '/h', CLAUDE_CONFIG_DIR: '/c' })).toBe(`/c/projects/-w/${ID}.jsonl`);
    expect(pathIn('/w', { HOME: '/h', CLAUDE_CONFIG_DIR: '' })).toBe(`/h/.claude/projects/-w/${ID}.jsonl`);
    expect(pathIn('/w', {})).toBeUndefined();
  });

  it('an id that would lead elsewhere is refused', () => {
    expect(claudeTranscript('../../x', { workingDir: '/w', environment: { HOME: '/h' } })).toBeUndefined();
  });
});

describe('what it tells', () => {
  it('the true usage of requests since then, and nothing of before', () => {
    expect(read(line({}), '2026-11-15T11:36:26.169Z')).toEqual([
      {
        kind: 'usage',
        scope: 'request',
        id: 'msg_1',
        model: 'claude-sonnet-4-5-20250929',
        spend: {
          inputTokens: 5000,
          outputTokens: 40,
          cacheReadTokens: 3000,
          cacheWriteTokens: 800,
          totalTokens: 5040,
        },
      },
    ]);
    expect(read(line({}), '2026-11-15T11:36:26.170Z')).toEqual([]);
  });

  it.each([
    '',
    'x',
    line({ timestamp: undefined }),
    line({ timestamp: 5 }),
    line({ type: 'user' }),
    line({ message: null }),
  ])('nothing of a line without a time or a usage: %.40s', (text) => {
    expect(read(text, '2020-01-01T00:00:00.000Z')).toEqual([]);
  });

  it('nothing since a time that cannot be read', () => expect(read(line({}), 'yesterday')).toEqual([]));
});
