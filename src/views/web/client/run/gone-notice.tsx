import { PageLink } from '../parts/page-link.js';

/** Said once of a run that is no more. */
export function GoneNotice({ wasSeen }: { readonly wasSeen: boolean }) {
  return (
    <p className="problem-line" role="alert">
      {wasSeen
        ? 'This run was deleted; what is below is the last that was seen of it.'
        : 'There is no such run; it may have been deleted.'}{' '}
      <PageLink href="/">All runs</PageLink>
    </p>
  );
}
