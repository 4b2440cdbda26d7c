import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';

/** Everything that this process of Pawl supervises has it, and nothing that a later one resumes. */
const RUNNER_VARIABLE = 'PAWL_RUNNER';
const RUNNER = randomBytes(12).toString('hex');

/**
 * Reads which process groups Pawl supervises, or that it is just starting one. Its input ends when Pawl ends, whatever the cause. If a group is left then, it
 * ends them, and on Linux every process that inherited the variable of this Pawl.
 */
const SCRIPT = `trap '' TERM INT HUP QUIT USR1 USR2
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) groups="\${groups%% $group *} \${groups#* $group }" ;;
  esac
done
send() {
  for group in $groups; do
    kill -s "$1" -- "-$group"
  done
  for file in $(grep -lszxF "${RUNNER_VARIABLE}=${RUNNER}" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -s "$1" "\${pid%/environ}"
  done
}
[ "$groups" = ' ' ] && exit
send TERM
sleep 2
for round in 1 2 3; do
  send KILL
  sleep 1
done
`;

/** One process for everything that Pawl supervises, started with the first. */
let guard: ChildProcess | undefined;
const MOST_REPLACED = 10;
let replaced = 0;
/** The groups that run. */
const groups = new Set<number | 'starting'>();

export interface GuardedChild {
  readonly child: ChildProcess;
  /** Call it when the group has ended: its id may be used again. */
  readonly unguard: () => void;
}

/** Starts a process in a group of its own, with the variable of this Pawl. It does not outlive Pawl for long. */
export function startGuarded(start: (env: Readonly<Record<string, string>>) => ChildProcess): GuardedChild {
  add('starting');
  try {
    const child = start({ [RUNNER_VARIABLE]: RUNNER });
    const { pid } = child;
    if (pid === undefined) return { child, unguard: () => undefined };
    add(pid);
    return { child, unguard: () => remove(pid) };
  } finally {
    remove('starting');
  }
}

function add(group: number | 'starting'): void {
  guard ??= startGuard();
  groups.add(group);
  guard.stdin?.write(`+ ${group}\n`);
}

function remove(group: number | 'starting'): void {
  groups.delete(group);
  guard?.stdin?.write(`- ${group}\n`);
}

/** It has neither the variable nor a cookie, so it is never taken for a straggler, and it does not keep Pawl from ending. */
function startGuard(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', SCRIPT], {
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const group of groups) child.stdin.write(`+ ${group}\n`);
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  // It was killed: another one takes its place. Where shells do not last, the search at the next resume has to do.
  child.on('exit', () => {
    replaced += 1;
    guard = groups.size === 0 || replaced > MOST_REPLACED ? undefined : startGuard();
  });
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
