import { describe, expect, it } from 'vitest';
import { maxIterations } from '../stop/conditions.js';
import { scriptedModel } from '../testing/index.js';
import { createDeepFactorAgent } from './index.js';

const model = scriptedModel([{}]);
const make = (options: object) => () => createDeepFactorAgent({ model, ...options });
const verifyCompletion = () => true;

describe('an option that cannot be', () => {
  it.each<[string, object]>([
    ['stopwhen: unknown option; did you mean "stopWhen"?', { stopwhen: maxIterations(1) }],
    ['model: must not be null', { model: null }],
    ['model: is missing', { model: undefined }],
    ['model: must be a model', { model: {} }],
    ['tools: must not be null', { tools: null }],
    ['stopWhen: must not be null', { stopWhen: null }],
    ['verifyCompletion: must be a function', { verifyCompletion: 'yes' }],
    ['confirm: says how often', { confirm: 2 }],
    ['confirm: must be a whole number', { confirm: 0, verifyCompletion }],
    ['contextManagement.contextWindow: must be a number above 0', { contextManagement: { contextWindow: '200k' } }],
    ['contextManagement.contextWindow: must be a number above 0', { contextManagement: { contextWindow: 0 } }],
    ['contextManagement.contextWindow: is missing', { contextManagement: {} }],
    ['contextManagement.summarize: must be a function', { contextManagement: { contextWindow: 1, summarize: 'x' } }],
    ['contextManagement.redlinePercent: must be', { contextManagement: { contextWindow: 1, redlinePercent: 900 } }],
    ['journal: must be false', { journal: {} }],
    ['journal: must be false', { journal: 5 }],
    ['stopWhen.count: must be', { stopWhen: { type: 'max_iterations', count: 0 } }],
    ['stopWhen[1]: unknown condition', { stopWhen: [maxIterations(1), { type: 'nope' }] }],
    ['stopWhen: there is no function isQuiet', { stopWhen: { type: 'function', name: 'isQuiet' } }],
    [
      'stopWhen[0]: there is no function toString',
      { stopWhen: [{ type: 'not', condition: { type: 'function', name: 'toString' } }] },
    ],
  ])('%s', (message, options) => {
    expect(make(options)).toThrow(
      expect.objectContaining({ code: 'ConfigError', message: expect.stringContaining(message) }),
    );
    expect(make(options)).toThrow(new RegExp(`^${message.replace(/[.[\]?]/g, '\\$&')}`, 'm'));
  });

  it('a function by name is taken where it is given', () => {
    const stopWhen = { type: 'function', name: 'isQuiet' };
    expect(make({ stopWhen, functions: { isQuiet: () => true } })).not.toThrow();
  });

  it('a folder where nothing can be made is an error, and no hang', () => {
    expect(make({ journal: '/proc/pawl/records' })).toThrow(expect.objectContaining({ code: 'FileSystemError' }));
  });
});
