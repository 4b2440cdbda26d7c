import { type ReactNode, useState } from 'react';
import type { Connection } from '../live/event-stream.js';
import { useKeys } from '../live/use-keys.js';
import { shownText } from '../text/shown-text.js';
import { KeysDialog } from './keys-dialog.js';
import { PageLink } from './page-link.js';
import { ThemeButton } from './theme-button.js';

interface TopBarProps {
  readonly connection: Connection;
  /** What the server says of the connection. */
  readonly words?: string | undefined;
  readonly children?: ReactNode;
}

/** At the head of every page: where one is, whether it is live, and what helps. */
export function TopBar({ connection, words, children }: TopBarProps) {
  const [showsKeys, setShowsKeys] = useState(false);
  useKeys({ '?': () => setShowsKeys(true) });
  return (
    <header className="top-bar">
      <PageLink href="/" className="home">
        Pawl
      </PageLink>
      <div className="where">{children}</div>
      <span className={`connection ${connection}`} role="status">
        {connection === 'lost' ? 'connection lost, trying again' : null}
        {connection === 'full' ? shownText(words ?? 'too many pages are open') : null}
      </span>
      <button
        type="button"
        className="quiet icon"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => setShowsKeys(true)}
      >
        <span aria-hidden="true">?</span>
      </button>
      <ThemeButton />
      {showsKeys ? <KeysDialog onClose={() => setShowsKeys(false)} /> : null}
    </header>
  );
}
