import { type ReactNode, useState } from 'react';
import type { Connection } from '../live/event-stream.js';
import { useKeys } from '../live/use-keys.js';
import { shownText } from '../text/shown-text.js';
import { KeysDialog } from './keys-dialog.js';
import { PageLink } from './page-link.js';
import { changeTheme, type Theme, useTheme } from '../live/theme.js';

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

const SIGNS: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };
const WORDS: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** Light, dark, or as the system has it. */
function ThemeButton() {
  const theme = useTheme();
  const label = `Colours: ${WORDS[theme]}`;
  return (
    <button type="button" className="quiet icon" aria-label={`${label}; change`} title={label} onClick={changeTheme}>
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  );
}
