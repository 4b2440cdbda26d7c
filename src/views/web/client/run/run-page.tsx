import { outcomeAs } from '../../../../model/outcome.js';
import { runName } from '../../../../model/run-name.js';
import { goTo } from '../live/route.js';
import { createRunStore, type RunSnapshot } from '../live/run-store.js';
import { useClosingStore } from '../live/use-closing-store.js';
import { useKeys } from '../live/use-keys.js';
import { useNow } from '../live/use-now.js';
import { PageLink } from '../parts/page-link.js';
import { RefusedPage } from '../parts/refused-page.js';
import { TopBar } from '../parts/top-bar.js';
import { PipelineBody } from '../pipeline/pipeline-body.js';
import { shownText } from '../text/shown-text.js';
import { shortId } from '../../../../words/short-id.js';
import { LoopBody } from './loop-body.js';
import { RunHeading } from './run-heading.js';

const NOTHING_KNOWN: RunSnapshot = { connection: 'connecting' };

/** One run, whatever kind it is of. */
export function RunPage({ runId }: { readonly runId: string }) {
  const { viewed: seen, problem, connection, words } = useClosingStore(createRunStore, runId, NOTHING_KNOWN);
  const isGone = connection === 'gone';
  const viewed = seen === undefined || !isGone ? seen : { ...seen, isLive: false };
  const nowMs = useNow(viewed?.isLive === true);
  useKeys({ Escape: () => goTo('/') });
  if (connection === 'refused' || problem?.isUnauthorized === true) return <RefusedPage />;
  return (
    <div className="page run-page">
      <title>
        {viewed === undefined
          ? 'Pawl'
          : `${outcomeAs(viewed.status, viewed.view.state).word} · ${shownText(runName(viewed.view.state))} · ${shownText(viewed.project)} · Pawl`}
      </title>
      <TopBar connection={connection} words={words}>
        <PageLink href="/">Runs</PageLink>
        <span aria-hidden="true" className="dim">
          /
        </span>
        <span className="mono">{shortId(runId)}</span>
      </TopBar>
      <main>
        {isGone ? <GoneNotice wasSeen={viewed !== undefined} /> : null}
        {problem === undefined || isGone ? null : <p className="problem-line">{shownText(problem.message)}</p>}
        {viewed === undefined && problem === undefined ? <p className="nothing">Reading the record…</p> : null}
        {viewed === undefined ? null : (
          <>
            <RunHeading viewed={viewed} nowMs={nowMs} isGone={isGone} />
            {viewed.view.state.pipeline === undefined ? (
              <LoopBody viewed={viewed} nowMs={nowMs} />
            ) : (
              <PipelineBody viewed={viewed} nowMs={nowMs} />
            )}
          </>
        )}
      </main>
    </div>
  );
}

/** Said once of a run that is no more. */
function GoneNotice({ wasSeen }: { readonly wasSeen: boolean }) {
  return (
    <p className="problem-line" role="alert">
      {wasSeen
        ? 'This run was deleted; below is its last known state.'
        : 'There is no such run; it may have been deleted.'}{' '}
      <PageLink href="/">All runs</PageLink>
    </p>
  );
}
