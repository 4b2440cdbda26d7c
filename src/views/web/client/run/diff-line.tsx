import { memo, useState } from 'react';
import { sizeText } from '../text/figures.js';
import { foldText } from '../text/fold-text.js';
import { markedText } from '../text/marked-text.js';
import type { PatchLine, PatchLineKind } from './parse-patch.js';

const LONGEST = 2000;
const SIGNS: Readonly<Record<PatchLineKind, string>> = { added: '+', removed: '-', kept: ' ', hunk: '', note: '' };

/** One line of a diff, with every character of it to be seen. */
export const DiffLine = memo(function DiffLine({ line: { kind, text } }: { readonly line: PatchLine }) {
  const [asked, setAsked] = useState(0);
  const { shown, hidden } = text.length <= LONGEST ? { shown: text, hidden: 0 } : foldText(text, asked);
  return (
    <div className={`diff-line ${kind}`}>
      {SIGNS[kind]}
      {markedText(shown)}
      {hidden === 0 ? null : (
        <button type="button" className="link" onClick={() => setAsked(asked + 1)}>
          … show more ({sizeText(hidden)} hidden)
        </button>
      )}
    </div>
  );
});
