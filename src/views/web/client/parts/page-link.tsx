import type { ComponentProps, MouseEvent } from 'react';
import { goTo } from '../live/route.js';

interface PageLinkProps extends Omit<ComponentProps<'a'>, 'onClick'> {
  readonly href: string;
}

/** A link to another page of the dashboard, which is not loaded again; with a modifier the browser does as it does. */
export function PageLink({ href, children, ...rest }: PageLinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(href);
  };
  return (
    <a {...rest} href={href} onClick={follow}>
      {children}
    </a>
  );
}
