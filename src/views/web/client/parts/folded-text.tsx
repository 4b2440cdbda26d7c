import { Fragment, memo, useMemo, useState } from 'react';
import { foldText } from '../text/fold-text.js';
import { sizeText } from '../text/figures.js';
import { shownText } from '../text/shown-text.js';
import { textPieces } from '../text/text-pieces.js';

interface FoldedTextProps {
  readonly text: string;
  /** How many are shown at first. */
  readonly lines?: number;
}

/** Text from outside, as text and nothing else; a long one as far as someone wants to read it. */
export const FoldedText = memo(function FoldedText({ text, lines }: FoldedTextProps) {
  const [asked, setAsked] = useState(0);
  const whole = useMemo(() => shownText(text), [text]);
  const { shown, hidden } = foldText(whole, asked, lines);
  const pieces = useMemo(() => textPieces(shown), [shown]);
  return (
    <>
      <span className={pieces.length > 1 ? 'outside unbroken' : 'outside'} dir="auto">
        {pieces.length > 1
          ? pieces.map((piece, index) => (
              <Fragment key={index}>
                <span>{piece}</span>
                <wbr />
              </Fragment>
            ))
          : shown}
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
