import type { History, HistoryShare } from '../../../../model/history.js';
import { count, percent, plural, usd } from '../../../../model/figures.js';
import { goTo } from '../live/route.js';
import { useKeys } from '../live/use-keys.js';
import { useRequest } from '../live/use-request.js';
import { PageLink } from '../parts/page-link.js';
import { Panel } from '../parts/panel.js';
import { RefusedPage } from '../parts/refused-page.js';
import { TopBar } from '../parts/top-bar.js';
import { shownText } from '../text/shown-text.js';
import { DayChart } from './day-chart.js';

const MOST_ROWS = 12;

/** What all runs have used together, and what came of it. */
export function HistoryPage() {
  const { data, problem } = useRequest<History>('/api/history');
  useKeys({ Escape: () => goTo('/') });
  if (problem?.isUnauthorized === true) return <RefusedPage />;
  return (
    <div className="page history-page">
      <title>History · Pawl</title>
      <TopBar connection={problem === undefined ? 'open' : 'lost'}>
        <PageLink href="/">Runs</PageLink>
        <span aria-hidden="true" className="dim">
          /
        </span>
        <h1>History</h1>
      </TopBar>
      <main>
        {problem === undefined ? null : <p className="problem-line">{shownText(problem.message)}</p>}
        {data === undefined && problem === undefined ? <p className="nothing">Reading the runs…</p> : null}
        {data === undefined ? null : <Panels history={data} />}
      </main>
    </div>
  );
}

function Panels({ history }: { readonly history: History }) {
  const { byModel, byProject, byDay, withoutGoal, done } = history;
  const runs = byProject.reduce((sum, share) => sum + share.runs, 0);
  if (runs === 0) return <p className="nothing">Nothing has run yet.</p>;
  return (
    <>
      <Totals history={history} />
      <div className="history-grid">
        <Panel title="By day" className="wide">
          <DayChart days={byDay} />
        </Panel>
        <Panel title="Spent without reaching a goal">
          <Bars shares={withoutGoal} none="Every run with a known result reached its goal." tone="bad" />
        </Panel>
        <Panel title="The agent said it was done">
          <DoneBar done={done} />
        </Panel>
        <Panel title="By model">
          <Bars shares={byModel} />
        </Panel>
        <Panel title="By project">
          <Bars shares={byProject} />
        </Panel>
      </div>
    </>
  );
}

function Totals({ history: { byProject, withoutGoal } }: { readonly history: History }) {
  const sum = (shares: readonly HistoryShare[], of: (share: HistoryShare) => number) =>
    shares.reduce((total, share) => total + of(share), 0);
  const [runs, goals] = [sum(byProject, (share) => share.runs), sum(byProject, (share) => share.goals)];
  const [spent, lost] = [sum(byProject, (share) => share.usd), sum(withoutGoal, (share) => share.usd)];
  const unknown = sum(byProject, ({ unknownRuns }) => unknownRuns);
  const figures = [
    { name: 'runs', value: count(runs), aside: plural(goals, 'goal') },
    { name: 'cost', value: usd(spent), aside: unknown === 0 ? '' : `at least: unknown in ${plural(unknown, 'run')}` },
    { name: 'without a goal', value: usd(lost), aside: spent === 0 ? '' : `${percent(lost / spent)} of it` },
  ];
  return (
    <dl className="figures">
      {figures.map(({ name, value, aside }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {aside === '' ? null : <small> {aside}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface BarsProps {
  readonly shares: readonly HistoryShare[];
  readonly none?: string;
  readonly tone?: 'bad';
}

/** By what was spent; where nothing of it is known, by runs. */
function Bars({ shares, none = 'No data.', tone }: BarsProps) {
  const isPriced = shares.some((share) => share.usd > 0);
  const sizeOf = (share: HistoryShare) => (isPriced ? share.usd : share.runs);
  const most = Math.max(...shares.map(sizeOf), Number.MIN_VALUE);
  if (shares.length === 0) return <p className="nothing">{none}</p>;
  return (
    <>
      <ul className="share-bars">
        {shares.slice(0, MOST_ROWS).map((share) => (
          <li key={share.name}>
            <span className="share-name">{shownText(share.name)}</span>
            <span className="number">{costOf(share)}</span>
            <span className="bar-track" aria-hidden="true">
              <span className={`bar-fill ${tone ?? ''}`} style={{ transform: `scaleX(${sizeOf(share) / most})` }} />
            </span>
            <span className="dim share-runs">
              {plural(share.runs, 'run')}
              {share.goals === 0 ? '' : `, ${plural(share.goals, 'goal')}`}
            </span>
          </li>
        ))}
      </ul>
      {shares.length > MOST_ROWS ? <p className="dim">and {count(shares.length - MOST_ROWS)} more</p> : null}
    </>
  );
}

function costOf({ usd: sum, runs, unknownRuns }: HistoryShare): string {
  if (sum === 0 && unknownRuns === runs) return 'cost unknown';
  return unknownRuns > 0 ? `at least ${usd(sum)}` : usd(sum);
}

function DoneBar({ done: { said, wrong } }: Pick<History, 'done'>) {
  if (said === 0) return <p className="nothing">In no run with a known result did the agent say it was done.</p>;
  const words = `${percent(wrong / said)} were not done`;
  return (
    <div className="done-bar">
      <p>
        <strong>{words}</strong>: {count(wrong)} of {plural(said, 'run')} that the agent left as done had not reached
        the goal.
      </p>
      <div className="bar-track" role="img" aria-label={words}>
        <span className="bar-fill bad" style={{ transform: `scaleX(${wrong / said})` }} />
      </div>
    </div>
  );
}
