import { ConfigError, messageOf, PawlError } from '../model/errors.js';
import { EXIT_CODES, type ExitCode } from '../model/exit-code.js';

/** The database does not answer. It may do so later: nothing is wrong with what was asked. */
export class DatabaseUnreachable extends PawlError {
  readonly exitCode: ExitCode;

  constructor(message: string, cause?: unknown, exitCode: ExitCode = EXIT_CODES.blocked) {
    super('FileSystemError', message, { cause });
    this.name = 'DatabaseUnreachable';
    this.exitCode = exitCode;
  }
}

/** What the system says when there is no way to the server. */
const NO_WAY: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to its network',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOENT: 'there is no such socket',
};

/** What Postgres says when it does not serve now. */
const NOT_NOW: Readonly<Record<string, string>> = {
  '57P01': 'the connection was ended by its administrator',
  '57P02': 'it is recovering from a crash',
  '57P03': 'it is starting up or shutting down',
  '57P05': 'the connection was idle for too long',
  '25P03': 'a transaction was idle for too long',
  '53300': 'it has no connection left',
  '08000': 'the connection failed',
  '08003': 'there is no connection',
  '08006': 'the connection failed',
  '08001': 'no connection could be made',
  '08004': 'it refused the connection',
};

/** What `pg` says without a code. */
const LOST =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|timeout expired|timeout exceeded when trying to connect|Query read timeout|There was an error establishing an SSL connection)/;

/** What is said when no TLS comes about. */
const NO_TLS = /^The server does not support SSL connections/;
const NOT_TRUSTED =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA|HOSTNAME_MISMATCH|EPROTO$)/;

/** Asking again can help, with the same words: the server cannot serve for want of something. */
const PASSING: Readonly<Record<string, string>> = {
  '40001': 'others were faster',
  '40P01': 'it was held up by others',
  '55P03': 'it was held up by others',
  '57014': 'it took longer than the server allows',
  '53100': 'its disk is full',
  '53200': 'its memory is full',
  '25006': 'it can only be read, as one that stands by for another can',
};

/** Whether the connection is gone, so that nobody knows what became of the statement. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DatabaseUnreachable) return true;
  if (!(error instanceof Error) || error instanceof PawlError) return false;
  const code = codeOf(error);
  if (code === undefined) return LOST.test(error.message);
  return Object.hasOwn(NOT_NOW, code) || (Object.hasOwn(NO_WAY, code) && 'syscall' in error);
}

/** Whether the same statement may succeed later. */
export function mayPass(error: unknown): boolean {
  return isConnectionLost(error) || Object.hasOwn(PASSING, codeOf(error) ?? '');
}

/** The error for a user; one that no words are known for stays what it is. `place` is the URL without its password. */
export function databaseErrorInWords(error: unknown, place: string): unknown {
  if (error instanceof PawlError) return error;
  const code = codeOf(error) ?? '';
  // Somebody has to put it right, and a worker that had a connection waits until that is done.
  const noTls = withoutTls(error, place);
  if (noTls !== undefined) return new DatabaseUnreachable(noTls, error, EXIT_CODES.usage);
  if (isConnectionLost(error)) {
    const why = NO_WAY[code] ?? NOT_NOW[code] ?? 'the connection was lost or it does not answer';
    return new DatabaseUnreachable(
      `the database ${place} is not reachable: ${why} (${code || messageOf(error)})`,
      error,
    );
  }
  const passing = PASSING[code];
  if (passing !== undefined)
    return new DatabaseUnreachable(`the database ${place} does not take it now: ${passing} (${code})`, error);
  const wrong = wrongWith(code, place, messageOf(error));
  return wrong === undefined ? error : new ConfigError([{ path: '', message: wrong }]);
}

/** Why no TLS came about, if it is that. */
function withoutTls(error: unknown, place: string): string | undefined {
  const [code, message] = [codeOf(error) ?? '', messageOf(error)];
  if (NO_TLS.test(message)) {
    return `the database ${place} has no TLS, and is asked for it: turn it on there, or sslmode=disable in the URL goes without`;
  }
  if (!NOT_TRUSTED.test(code)) return undefined;
  const way = 'sslrootcert=FILE in the URL names the certificate of who has signed it';
  return `the database ${place} has no certificate that is trusted here: ${message} (${code}); ${way}`;
}

/** What the user has to put right, if it is that. */
function wrongWith(code: string, place: string, message: string): string | undefined {
  switch (code) {
    case '28000':
      if (/no pg_hba\.conf entry/.test(message)) return letsNobodyIn(place, message);
      return `the database ${place} refuses the user or the password`;
    case '28P01':
      return `the database ${place} refuses the user or the password`;
    case '3D000':
      return `there is no such database: ${place}`;
    case '42P01':
    case '3F000':
      return `the database ${place} is not prepared for a fleet: pawl fleet init`;
    case '42704':
    case '22023':
      return /parameter/.test(message)
        ? `the database ${place} does not understand what the URL sets: ${message}`
        : undefined;
    case '55000':
      return /accepting connections/.test(message) ? `the database ${place} lets nobody in: ${message}` : undefined;
    case '42501':
      return `the database ${place} does not allow it to this user: ${message}`;
    default:
      // The package says so itself, without a code, when the server asks for a password and there is none.
      return /client password must be a string/.test(message)
        ? `the database ${place} asks for a password, and there is none in the URL`
        : undefined;
  }
}

function letsNobodyIn(place: string, message: string): string {
  const isPlain = /no encryption|SSL off/.test(message);
  const way = isPlain ? '; it may want TLS: sslmode=verify-full in the URL' : '';
  return `the database ${place} lets this user in from here by no line of its pg_hba.conf${way}`;
}

function codeOf(error: unknown): string | undefined {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}
