import { emitKeypressEvents, type Interface } from 'node:readline';

/** How long the rest of an escape sequence may take: over a slow line it comes in parts. */
const ESCAPE_MS = 60;

type KeyName =
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'delete'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'erase-line'
  | 'erase-word'
  | 'interrupt'
  | 'suspend'
  | 'quit'
  | 'other';

/** A key that was pressed: a text that was typed or pasted, or a name. */
export type Key =
  | { readonly text: string; readonly name?: undefined }
  | { readonly text?: undefined; readonly name: KeyName };

interface Keypress {
  readonly name?: string | undefined;
  readonly ctrl?: boolean | undefined;
  readonly meta?: boolean | undefined;
}

const NAMED: Readonly<Record<string, KeyName>> = {
  return: 'enter',
  enter: 'enter',
  escape: 'escape',
  backspace: 'backspace',
  delete: 'delete',
  left: 'left',
  right: 'right',
  up: 'up',
  down: 'down',
  home: 'home',
  end: 'end',
};

const WITH_CONTROL: Readonly<Record<string, KeyName>> = {
  c: 'interrupt',
  z: 'suspend',
  '\\': 'quit',
  a: 'home',
  e: 'end',
  b: 'left',
  f: 'right',
  h: 'backspace',
  d: 'delete',
  u: 'erase-line',
  w: 'erase-word',
};

/** The keys of a terminal, one by one, from `start` to `stop`. In between the terminal is in raw mode. */
export class Keyboard {
  readonly #input: NodeJS.ReadStream;
  readonly #onKey: (key: Key) => void;
  #isPasting = false;

  constructor(input: NodeJS.ReadStream, onKey: (key: Key) => void) {
    this.#input = input;
    this.#onKey = onKey;
    // A terminal that is gone has no keys; anyone who writes to it notices.
    input.on('error', () => undefined);
  }

  start(): void {
    emitKeypressEvents(this.#input, { escapeCodeTimeout: ESCAPE_MS } as unknown as Interface);
    this.#input.setRawMode(true);
    this.#input.on('keypress', this.#read);
    this.#input.resume();
  }

  stop(): void {
    this.#isPasting = false;
    this.#input.off('keypress', this.#read);
    this.#input.setRawMode(false);
    // Nothing is read any more: what is typed now belongs to the shell.
    this.#input.pause();
  }

  readonly #read = (text: string | undefined, keypress: Keypress): void => {
    const { name = '' } = keypress;
    if (name === 'paste-start' || name === 'paste-end') this.#isPasting = name === 'paste-start';
    else this.#onKey(this.#isPasting ? { text: text ?? '' } : keyOf(text, keypress));
  };
}

function keyOf(text: string | undefined, { name = '', ctrl = false, meta = false }: Keypress): Key {
  if (text === '\u001c') return { name: 'quit' };
  if (ctrl) return { name: WITH_CONTROL[name] ?? 'other' };
  const named = NAMED[name];
  if (named !== undefined) return { name: named };
  return text === undefined || meta || text < ' ' ? { name: 'other' } : { text };
}
