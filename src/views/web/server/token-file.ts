import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { errnoOf, isMissing, NODE_DISK, writeNewFile } from '../../../journal/disk.js';
import { ConfigError, messageOf } from '../../../model/errors.js';
import { systemErrorWords } from '../../../model/system-error-words.js';
import { newSecret } from './keys.js';

const LARGEST_BYTES = 4096;
const TOKEN = /^[\w-]{32,200}$/;

/** The token in a file, which is made with a new one when it is not there. Throws ConfigError. */
export function tokenIn(path: string): string {
  try {
    return readToken(path) ?? writeToken(path);
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw refused(errnoOf(error) === undefined ? 'it cannot be read' : systemErrorWords(messageOf(error)));
  }
}

function readToken(path: string): string | undefined {
  let descriptor: number;
  try {
    // Never waiting for the other end of a pipe.
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const { mode, uid, size } = fstatSync(descriptor);
    if (!fstatSync(descriptor).isFile()) throw refused('it is not a file');
    if ((mode & 0o077) !== 0) throw refused('others can read it; chmod 600 keeps it to yourself');
    if (process.getuid !== undefined && uid !== process.getuid()) throw refused('it belongs to another user');
    const token = size > LARGEST_BYTES ? '' : readFileSync(descriptor, 'utf8').trim();
    if (!TOKEN.test(token)) throw refused('a token is one line of at least 32 letters, digits, - and _');
    return token;
  } finally {
    closeSync(descriptor);
  }
}

function writeToken(path: string): string {
  const token = newSecret();
  try {
    writeNewFile(NODE_DISK, path, Buffer.from(`${token}\n`));
  } catch (error) {
    if (isMissing(error)) throw refused(`the folder ${dirname(path)} does not exist`);
    throw error;
  }
  return token;
}

function refused(message: string): ConfigError {
  return new ConfigError([{ path: '', place: '--token-file', message }]);
}
