import { changeTheme, type Theme, useTheme } from '../live/theme.js';

const SIGNS: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };
const WORDS: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** Light, dark, or as the system has it. */
export function ThemeButton() {
  const theme = useTheme();
  const label = `Colours: ${WORDS[theme]}`;
  return (
    <button type="button" className="quiet icon" aria-label={`${label}; change`} title={label} onClick={changeTheme}>
      <span aria-hidden="true">{SIGNS[theme]}</span>
    </button>
  );
}
