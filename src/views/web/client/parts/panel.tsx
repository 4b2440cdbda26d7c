import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title: string;
  /** At the right of the title. */
  readonly aside?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

/** A part of a page under its own heading. */
export function Panel({ title, aside, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{title}</h2>
        {aside === undefined ? null : <div className="panel-aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}
