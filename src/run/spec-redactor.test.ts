import { describe, expect, it } from 'vitest';
import { KEY_SAMPLES } from '../../test/support/key-samples.js';
import { resolveConfig } from '../config/resolve-config.js';
import { specRedactor } from './spec-redactor.js';

const { spec } = resolveConfig({ prompt: 'go', agent: { name: 'claude', env: { MY_API_KEY: 'of-the-config-1' } } });
const redactor = () => specRedactor(spec, { GITHUB_TOKEN: 'of-the-environment-2' });

describe('what is secret in a run', () => {
  it('is what the environment, the config and the run itself keep secret', () => {
    const { keep, text, json } = redactor();
    keep('CLAIM_KEY', 'of-this-iteration-3');
    const said = 'of-the-config-1 of-the-environment-2 of-this-iteration-3';
    expect(text(said)).toBe('[MY_API_KEY] [GITHUB_TOKEN] [CLAIM_KEY]');
    expect(json(JSON.stringify({ said }))).toBe('{"said":"[MY_API_KEY] [GITHUB_TOKEN] [CLAIM_KEY]"}');
  });

  it('is forgotten when something else is kept in its place, and nothing else is', () => {
    const { keep, text } = redactor();
    keep('CLAIM_KEY', 'of-this-iteration-3');
    keep('CLAIM_KEY', 'of-the-next-iteration');
    expect(text('of-the-config-1 of-this-iteration-3 of-the-next-iteration')).toBe(
      '[MY_API_KEY] of-this-iteration-3 [CLAIM_KEY]',
    );
  });

  it('is found in a stream, wherever that is cut', () => {
    const said = 'a of-the-environment-2 b of-this-iteration-3 c';
    for (let at = 0; at <= said.length; at += 1) {
      const { keep, stream } = redactor();
      keep('CLAIM_KEY', 'of-this-iteration-3');
      const pieces = stream();
      const passed = pieces.write(said.slice(0, at)) + pieces.write(said.slice(at)) + pieces.end();
      expect(passed).toBe('a [GITHUB_TOKEN] b [CLAIM_KEY] c');
    }
  });
});

describe('a key that is known by its format', () => {
  const [written = '', found = ''] = KEY_SAMPLES.filter(({ name }) => name === 'github_token').map(
    ({ secret }) => secret,
  );

  it('stays if a command of the run holds it: without it the run could not be resumed', () => {
    const command = `TOKEN=${written} DB=postgres://me:passw0rd@localhost/x npm test`;
    const { spec: withKey } = resolveConfig({ prompt: 'go', agent: { name: 'claude' }, tests: command });
    const { text, json, stream } = specRedactor(withKey, {});
    expect(json(JSON.stringify(withKey))).toBe(JSON.stringify(withKey));
    expect(text(`${command} ${found}`)).toBe(`${command} [github_token]`);
    const pieces = stream();
    expect(pieces.write(`${command} ${found}`) + pieces.end()).toBe(`${command} [github_token]`);
  });

  it('does not stay if it is the value of a variable: that comes from the environment again', () => {
    const { spec: withKey } = resolveConfig({ prompt: 'go', agent: { name: 'claude', env: { ODD: written } } });
    expect(specRedactor(withKey, {}).text(`${written} ${found}`)).toBe('[ODD] [github_token]');
  });
});
