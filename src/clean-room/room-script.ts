import { findProgram } from '../process/run-tool.js';
import { CLAIM_KEY_VARIABLE, COOKIE_VARIABLE } from '../process/process-table.js';

/** A program to start, in the words of `supervise`. */
export interface RoomCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Only programs of the system: an agent can write to other folders of a PATH. */
export const SYSTEM_PATH = '/usr/sbin:/usr/bin:/sbin:/bin:/run/current-system/sw/bin';

/** A kind of mount namespace. */
export interface Namespace {
  readonly as: 'root' | 'user-namespace';
  /** Processes get a namespace, too: none of them outlives the command. */
  readonly hasProcesses: boolean;
}

export interface Entrance {
  readonly namespace: Namespace;
  /** What is mounted on the work tree: an overlay, or the copy in the room. */
  readonly how: 'overlay' | 'bind';
  readonly room: string;
  /** A real path. */
  readonly tree: string;
  /** The folder in the room that holds the upper layer. */
  readonly layer: string;
  readonly toolPath: string;
  /** How much an upper layer in memory can hold. */
  readonly memoryBytes: number;
}

/** A folder of the layer below, removed and made again to find out whether the upper layer can hide a folder. */
export const TRIAL_FOLDER = '.pawl-clean-room';

const PREFIX = 'PAWL_ROOM_';
const NAME = /^[A-Za-z_]\w*$/;
/** Variables that a shell sets itself. */
const OF_THE_SHELL = /^(?:_|BASHOPTS|BASH_VERSINFO|E?UID|OLDPWD|OPTIND|PPID|PWD|SHELLOPTS|SHLVL)$/;

/** Ends at once when the parent died before the signal for its death was set up. */
const GUARD = `[ "$PPID" = "$0" ] || exit 125
PAWL_ROOM=$$ exec "$@"`;

/**
 * Runs in the mount namespace. The upper layer is in the room, or in memory where the room is on a file system that cannot
 * hold one (an overlay itself, NFS). The room is hidden from the command, which inherits no descriptor of it.
 * In a namespace of processes it checks, like the guard, that its parent lived when the signal was set up: the /proc of the
 * outer namespace shows it.
 */
const ENTER = `processes=$1 how=$2 room=$3 tree=$4 layer=$5 options=$6 memory=$7
shift 7
if [ -n "$processes" ]; then
  read -r pid name state parent rest </proc/self/stat && [ "$parent" = "$PAWL_ROOM" ] || exit 125
  mount -t proc proc /proc || exit 125
fi
ended=
trap 'ended=1' TERM INT HUP
cd "$room" && exec 9>>"$layer/status" || exit 125
inMemory=
overlay() {
  mount -t overlay -o "$options,lowerdir=then:low,upperdir=$1/written,workdir=$1/work" overlay "$tree" || return 1
  (cd "$tree" && rmdir ${TRIAL_FOLDER} && mkdir ${TRIAL_FOLDER} && rmdir ${TRIAL_FOLDER}) && return 0
  umount "$tree"
  return 1
}
overlayInMemory() {
  mount -t tmpfs -o "size=$memory,mode=700" none memory || return 1
  inMemory=1
  mkdir memory/work && cp -a "$layer/written" memory && overlay memory
}
if [ "$how" = bind ]; then
  mount --bind copy "$tree" || exit 125
else
  mount --bind "$tree" low || exit 125
  overlay "$layer" 2>"$layer/refused" || overlayInMemory || { cat "$layer/refused" >&2; exit 125; }
fi
cd "$tree" || exit 125
if [ "$how" = overlay ] && [ -s "$room/removed" ]; then xargs -0 rm -rf -- <"$room/removed" || exit 125; fi
mount -t tmpfs -o size=4k,mode=0 none "$room" || exit 125
[ -z "$ended" ] || exit 143
echo entered >&9
"$@" 9>&-
code=$?
umount "$room" && cd "$tree" || exit "$code"
xargs -0 sh -c 'for path; do [ -e "$path" ] || [ -L "$path" ] || printf "%s\\0" "$path"; done' sh <"$room/kept" >"$room/$layer/missing"
if [ -n "$inMemory" ] && cd "$room"; then
  set -- $(df -Pk memory | tail -n 1)
  echo "free $4" >&9
  set -- $(du -sk memory/written)
  if [ "$1" -gt 102400 ]; then echo lost >&9; else cp -a memory/written "$layer/" 2>/dev/null; fi
fi
exit "$code"`;

/** Gives the command the environment of the user. What ran before it had only a PATH of the system. */
const START = `cd "$1" || exit 126
PAWL_ROOM=$2
shift 2
for PAWL_ROOM in $PAWL_ROOM; do eval "export $PAWL_ROOM=\\"\\$${PREFIX}$PAWL_ROOM\\"; unset ${PREFIX}$PAWL_ROOM"; done
unset PAWL_ROOM
exec "$@"`;

/** The namespaces to try, the best first. Empty where the system has no programs for them. */
export function namespacesToTry(toolPath: string): readonly Namespace[] {
  if (!['unshare', 'setpriv', 'mount'].every((name) => findProgram(name, '/', toolPath) !== undefined)) return [];
  const kinds = process.geteuid?.() === 0 ? (['root', 'user-namespace'] as const) : (['user-namespace'] as const);
  return kinds.flatMap((as) => [true, false].map((hasProcesses) => ({ as, hasProcesses })));
}

/** How to start a command in the room. When this process dies, everything in the room is killed. */
export function enter(
  { namespace, how, room, tree, layer, toolPath, memoryBytes }: Entrance,
  inside: RoomCommand,
): RoomCommand {
  const isUser = namespace.as === 'user-namespace';
  const program = (name: string) => findProgram(name, '/', toolPath) ?? name;
  const names = Object.keys(inside.env).filter((name) => inside.env[name] !== undefined && isPassedOn(name));
  const start = ['/bin/sh', '-c', START, 'pawl', inside.cwd, names.join(' '), inside.command, ...inside.args];
  const options = isUser ? 'userxattr' : 'redirect_dir=on';
  const processes = namespace.hasProcesses ? 'own' : '';
  const setUp = ['/bin/sh', '-c', ENTER, 'pawl', processes, how, room, tree, layer, options, String(memoryBytes)];
  const unshare = [
    program('unshare'),
    ...(isUser ? ['--user', '--map-root-user'] : []),
    '--mount',
    '--propagation',
    'private',
    ...(namespace.hasProcesses ? ['--pid', '--fork', '--kill-child'] : []),
  ];
  // Tests that run as an ordinary user do not become root.
  const asBefore = isUser ? [program('unshare'), '--user', ...sameUser()] : [];
  const dieTogether = [program('setpriv'), '--pdeathsig', 'KILL', '--'];
  const inner = [...setUp, ...asBefore, ...(namespace.hasProcesses ? [] : dieTogether), ...start];
  return {
    command: dieTogether[0] ?? '',
    args: [...dieTogether.slice(1), '/bin/sh', '-c', GUARD, String(process.pid), ...unshare, '--', ...inner],
    cwd: '/',
    env: { ...Object.fromEntries(names.map((name) => [`${PREFIX}${name}`, inside.env[name]])), PATH: toolPath },
  };
}

/** The cookie and the claim key are set by the supervisor of the process. */
function isPassedOn(name: string): boolean {
  return NAME.test(name) && !OF_THE_SHELL.test(name) && name !== COOKIE_VARIABLE && name !== CLAIM_KEY_VARIABLE;
}

function sameUser(): readonly string[] {
  return [`--map-user=${process.geteuid?.()}`, `--map-group=${process.getegid?.()}`, '--'];
}
