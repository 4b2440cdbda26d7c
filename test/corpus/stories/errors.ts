import { throughout } from '../turns.js';
import type { Story } from '../story.js';

const other = (message: string) => ({ error: { kind: 'other', message } }) as const;
const NO_SPACE = other("ENOSPC: no space left on device, write '/var/lib/agent/cache'");
const REGISTRY = other('getaddrinfo EAI_AGAIN registry.example');
const MESSAGES = [
  'TypeError: cannot read properties of undefined (reading map)',
  'the model returned an empty message',
  'spawn git EACCES',
  'tool input is not valid JSON: unexpected end of input',
  'the session file is locked by another process',
  'socket hang up',
];
const inTurn = (iteration: number) => other(MESSAGES[iteration % MESSAGES.length] ?? '');
const HUNG = { timesOut: true, minutes: 30 } as const;

export const ERRORS: readonly Story[] = [
  {
    name: 'same-error',
    about: 'the disk is full; every iteration ends with the same error',
    tests: { total: 10, passedBefore: 5 },
    script: 'w6 i6x9',
    costUsd: 0.1,
    minutes: 1,
    turns: throughout(2, 10, NO_SPACE),
  },
  {
    name: 'same-error-clears',
    about: 'a name server is down for five iterations; then the work goes on',
    tests: { total: 16, passedBefore: 6 },
    script: 'w8 w10 i10x5 w11 w12 w13 w14 w15 w16',
    costUsd: 0.15,
    minutes: 3,
    turns: throughout(3, 7, REGISTRY),
  },
  {
    name: 'different-errors',
    about: 'something else goes wrong every time',
    tests: { total: 18, passedBefore: 9 },
    script: 'w10 w10 i10 w10 i10 w9 i9 w10 i10x2 w9',
    costUsd: 0.3,
    minutes: 3,
    turns: throughout(2, 11, inTurn),
  },
  {
    name: 'different-errors-then-fine',
    about: 'three bad starts, then it converges',
    tests: { total: 18, passedBefore: 7 },
    script: 'i7x3 w9 w11 w13 w14 w16 w17 w18',
    costUsd: 0.3,
    minutes: 4,
    turns: throughout(1, 3, inTurn),
  },
  {
    name: 'times-out-often',
    about: 'every second iteration hangs and is ended; what it wrote is kept, and it converges',
    tests: { total: 22, passedBefore: 9 },
    script: 'w11 w11 w13 w13 w15 w16 w17 w17 w18 w18 w20 w21 w21 w22',
    costUsd: 0.6,
    minutes: 9,
    turns: { 2: HUNG, 4: HUNG, 6: HUNG, 8: HUNG, 10: HUNG, 13: HUNG },
  },
  {
    name: 'login-lost',
    about: 'four good iterations, then the login has expired',
    tests: { total: 14, passedBefore: 6 },
    script: 'w8 w9 w11 w12 i12 w13',
    costUsd: 0.3,
    minutes: 4,
    turns: { 5: { error: { kind: 'auth', message: 'OAuth token has expired. Please log in again.' }, minutes: 0.2 } },
  },
];
