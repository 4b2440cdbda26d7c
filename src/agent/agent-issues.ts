import { ConfigError, type Issue } from '../model/errors.js';
import type { DeepFactorAgentOptions } from './agent-options.js';

/** Runs something and names what is wrong by the options of an agent, not by the config that is made of them. */
export function inOptionWords<T>(options: DeepFactorAgentOptions, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw inWords(options, error);
  }
}

/** The error, with the paths of a ConfigError as whoever wrote the options knows them. */
export function inWords(options: DeepFactorAgentOptions, error: unknown): unknown {
  if (!(error instanceof ConfigError)) return error;
  return new ConfigError(error.issues.map((issue) => ({ ...issue, path: pathOf(options, issue) })));
}

function pathOf({ stopWhen }: DeepFactorAgentOptions, { path }: Issue): string {
  const isList = Array.isArray(stopWhen);
  return path
    .replace(/^stop\.conditions\[(\d+)\]/, (_, index: string) => (isList ? `stopWhen[${index}]` : 'stopWhen'))
    .replace(/^stop\.success\[\d+\]\.confirm$/, 'confirm')
    .replace(/^contextRedlinePercent$/, 'contextManagement.redlinePercent');
}
