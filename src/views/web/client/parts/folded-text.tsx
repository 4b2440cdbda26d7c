import { memo, useMemo, useState } from 'react';
import { foldText } from '../text/fold-text.js';
import { sizeText } from '../text/figures.js';
import { shownText } from '../text/shown-text.js';

interface FoldedTextProps {
  readonly text: string;
  /** How many are shown at first. */
  readonly lines?: number;
}

/** Text from outside, as text and nothing else; a long one as far as somebody wants to read it. */
export const FoldedText = memo(function FoldedText({ text, lines }: FoldedTextProps) {
  const [asked, setAsked] = useState(0);
  const whole = useMemo(() => shownText(text), [text]);
  const { shown, hidden } = foldText(whole, asked, lines);
  return (
    <>
      <span className="outside" dir="auto">
        {shown}
        {hidden > 0 ? '…' : ''}
      </span>
      {hidden > 0 ? (
        <button type="button" className="unfold" onClick={() => setAsked(asked + 1)}>
          show {asked === 0 && whole.length <= 100_000 ? 'all' : 'more'} ({sizeText(hidden)} hidden)
        </button>
      ) : null}
      {asked > 0 ? (
        <button type="button" className="unfold" onClick={() => setAsked(0)}>
          fold
        </button>
      ) : null}
    </>
  );
});
