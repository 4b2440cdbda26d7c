import { join } from 'node:path';
import type { KnownAgent } from '../agents/known-agent.js';
import { readConfigFile } from '../config/config-file.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Which account an agent would use, as far as files and variables show it. No program is started. */
export type Login =
  /** A login in a file. */
  | { readonly kind: 'login'; readonly from: string }
  /** A variable. Its value is never shown. */
  | { readonly kind: 'variable'; readonly name: string; readonly hasLogin: boolean }
  /** There is none in the only place where it could be. */
  | { readonly kind: 'none' }
  /** It may be in a keychain, or in a setting of the agent. */
  | { readonly kind: 'unknown' };

export interface LoginRequest {
  readonly agent: Pick<KnownAgent, 'home' | 'login'>;
  readonly environment: Environment;
  readonly home: string;
  readonly platform: NodeJS.Platform;
}

export function findLogin({ agent, environment, home, platform }: LoginRequest): Login {
  const { variables, file: name, keys, isOnlyPlace } = agent.login;
  const file = join(environment[agent.home.variable] || join(home, agent.home.folder), name);
  const content = contentOf(file);
  const hasLogin = (keys ?? Object.keys(content)).some((key) => isFilled(content[key]));
  const variable = variables.find((one) => (environment[one] ?? '') !== '');
  if (variable !== undefined) return { kind: 'variable', name: variable, hasLogin };
  if (hasLogin) return { kind: 'login', from: file };
  return { kind: isOnlyPlace?.(platform) === true ? 'none' : 'unknown' };
}

function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

/** Nothing of it leaves this file. */
function contentOf(path: string): Readonly<Record<string, unknown>> {
  const file = readConfigFile(path);
  if (file.kind !== 'read') return {};
  try {
    const content: unknown = JSON.parse(file.text);
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
