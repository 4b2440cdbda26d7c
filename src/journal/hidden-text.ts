import type { KeyStream } from './known-keys.js';
import { UNSEEN_CHARACTERS } from '../model/unseen-characters.js';

/** A piece of text that is to be replaced. */
export interface Found {
  readonly at: number;
  readonly length: number;
  readonly instead: string;
}

/**
 * What views leave out of a text: escape sequences of a terminal, control characters, invisible characters. Also as they are
 * written in JSON and in source code. Line breaks and tabs are seen.
 */
const HIDDEN = new RegExp(
  [
    String.raw`(?:\u001b[\]PX\^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?`,
    String.raw`(?:\u001b|\\+(?:u001[bB]|x1[bB]|033|e))(?:\[[0-?]*[ -\/]*[@-~]?|[ -\/]*[0-~]?)`,
    String.raw`\u009b[0-?]*[ -\/]*[@-~]?`,
    String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f]`,
    String.raw`\\+u(?:200[b-fB-F]|206[0-9a-fA-F]|202[8-9a-eA-E]|00[aA][dD]|[fF][eE][fF][fF])`,
    `[${UNSEEN_CHARACTERS}]`,
  ].join('|'),
  'gv',
);
/** A quick test whether it is worth a closer look. */
const MAY_HIDE = new RegExp(
  String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f${UNSEEN_CHARACTERS}]|\\(?:[bfr]|u[0-9a-fA-F]{4}|x1[bB]|033|e\[)`,
  'v',
);

export function mayHide(text: string): boolean {
  return MAY_HIDE.test(text);
}

/** As far back as something is looked for that is not whole yet, where something is hidden and where nothing is. */
const HELD_CHARACTERS = { hidden: 16 * 1024, plain: 256 } as const;

/** The same for text that comes in pieces. */
export function hiddenStream(find: (seen: string) => readonly Found[]): KeyStream {
  let held = '';
  const passOn = (kept: number): string => {
    held = replaceHidden(held, find);
    const passed = held.slice(0, Math.max(0, held.length - kept));
    held = held.slice(passed.length);
    return passed;
  };
  return {
    write(piece) {
      held += piece;
      return passOn(mayHide(held) ? HELD_CHARACTERS.hidden : HELD_CHARACTERS.plain);
    },
    end: () => passOn(0),
  };
}

/** Replaces what is found once the hidden characters are taken away, together with those that were inside of it. */
export function replaceHidden(text: string, find: (seen: string) => readonly Found[]): string {
  if (!mayHide(text)) return text;
  const starts: { readonly seenAt: number; readonly at: number }[] = [{ seenAt: 0, at: 0 }];
  let seen = '';
  let from = 0;
  for (const { 0: hidden, index } of text.matchAll(HIDDEN)) {
    seen += text.slice(from, index);
    from = index + hidden.length;
    starts.push({ seenAt: seen.length, at: from });
  }
  seen += text.slice(from);
  if (starts.length === 1) return text;
  const placeOf = (seenAt: number) => {
    const start = starts.findLast((one) => one.seenAt <= seenAt);
    return (start?.at ?? 0) + seenAt - (start?.seenAt ?? 0);
  };
  let replaced = '';
  let passed = 0;
  for (const { at, length, instead } of find(seen)) {
    const [begin, end] = [placeOf(at), placeOf(at + length - 1) + 1];
    if (begin < passed) continue;
    replaced += text.slice(passed, begin) + instead;
    passed = end;
  }
  return replaced + text.slice(passed);
}
