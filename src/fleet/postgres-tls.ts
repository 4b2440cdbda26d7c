import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError, messageOf } from '../model/errors.js';
import { clip } from '../model/show-value.js';
import { didYouMean } from '../model/nearest.js';
import { systemErrorWords } from '../model/system-error-words.js';

/** How a connection is made. */
export interface PostgresConnection {
  readonly connectionString: string;
  /** Undefined: as the package decides. */
  readonly ssl?: false | ConnectionOptions | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether the certificate of the server is looked at; undefined where there is no TLS. */
const MODES: ReadonlyMap<string, 'verify' | 'believe' | undefined> = new Map([
  ['disable', undefined],
  ['no-verify', 'believe'],
  // The package treats them alike, and says so at length each time: whoever asks for TLS gets one that nobody can listen to.
  ['require', 'verify'],
  ['verify-ca', 'verify'],
  ['verify-full', 'verify'],
]);
const FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
const OLD_WORDS: Readonly<Record<string, string>> = { true: 'require', 1: 'require', false: 'disable', 0: 'disable' };

/** Takes what is said about TLS out of the URL, for all versions of the package mean the same then. Throws ConfigError. */
export function postgresTls(url: string, environment: Environment): PostgresConnection {
  const parsed = new URL(url);
  const query = parsed.searchParams;
  // Whoever says so wants it as the package does it.
  if (query.get('uselibpqcompat') === 'true') return { connectionString: url };
  const isAsked = Object.values(FILES).some((name) => query.has(name));
  const mode = modeIn(query, environment) ?? (isAsked ? 'require' : undefined);
  if (mode === undefined) return { connectionString: url };
  const ssl = isSocket(parsed) ? false : optionsFor(mode, query);
  for (const name of ['sslmode', 'ssl', ...Object.values(FILES)]) query.delete(name);
  return { connectionString: parsed.toString(), ssl };
}

function modeIn(query: URLSearchParams, environment: Environment): string | undefined {
  const old = query.get('ssl') ?? undefined;
  const given = [
    ['sslmode', query.get('sslmode') ?? undefined],
    ['ssl', old === undefined ? undefined : (OLD_WORDS[old] ?? old)],
    ['PGSSLMODE', environment['PGSSLMODE'] || undefined],
  ] as const;
  const [place, mode] = given.find(([, value]) => value !== undefined) ?? [];
  if (place === undefined || mode === undefined || MODES.has(mode)) return mode;
  const known = [...MODES.keys()];
  const message = `${clip(JSON.stringify(mode))} is none of ${known.join(', ')}${didYouMean(mode, known)}`;
  throw place === 'PGSSLMODE' ? new ConfigError([{ path: '', place, message }]) : refused(place, message);
}

function optionsFor(mode: string, query: URLSearchParams): false | ConnectionOptions {
  const looks = MODES.get(mode);
  if (looks === undefined) return false;
  const files = Object.entries(FILES).flatMap(([option, name]) => {
    const path = query.get(name);
    return path === null || path === 'system' ? [] : [[option, textOf(path, name)] as const];
  });
  return { ...Object.fromEntries(files), rejectUnauthorized: looks === 'verify' };
}

/** A socket of the same machine is not spoken to by TLS. */
function isSocket({ hostname, searchParams }: URL): boolean {
  return (searchParams.get('host') ?? hostname).startsWith('/') || /^%2f/i.test(hostname);
}

function textOf(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw refused(name, `${path} cannot be read: ${systemErrorWords(messageOf(error))}`);
  }
}

function refused(place: string, message: string): ConfigError {
  return new ConfigError([{ path: '', place: `the URL of the database, ${place}`, message }]);
}
