import { expect, it } from 'vitest';
import { aRun, aWorker, sharedFleet } from '../support/fleet-database.js';
import { claimRun } from '../../src/fleet/engine/claim.js';
import { readLimits, removeLimit, setLimit } from '../../src/fleet/limits.js';
import { submitRuns } from '../../src/fleet/submit-runs.js';

const fleet = sharedFleet();

it.for([
  [
    'example.org/team/app',
    'https://example.org/team/app.git',
    'https://me:secret@Example.ORG/team/app/',
    'https://example.org:443/team/app.git/',
    'https://example.org/team/app?token=x#y',
    'http://example.org:80/team//app',
    'ssh://git@example.org/team/app.git',
    'ssh://git@example.org:22/./team/app',
    'git@example.org:team/app.git',
    'git@EXAMPLE.org:/team/app',
    'example.org:team/app',
    'git://example.org:9418/team/app.git',
    'git+ssh://git@example.org/team/app',
  ],
  [
    '/srv/git/app',
    '/srv/git/app.git',
    '/srv/git/app/',
    '/srv//git/./app',
    'file:///srv/git/app.git',
    '/srv/git/app/.git',
  ],
  ['example.org/team/App', 'https://example.org/team/App'],
  ['example.org:8443/team/app', 'https://example.org:8443/team/app', 'https://EXAMPLE.org:8443/team/app.git'],
  ['[::1]/app', 'ssh://git@[::1]/app', 'git@[::1]:app.git'],
  ['example.org/~me/app', 'git@example.org:~me/app', 'ssh://example.org/~me/app/'],
  ['*', '*'],
])('counts as %s, however it is spelled', async ([key = '', ...spellings], context) => {
  const { database } = await fleet(context);
  const counted = await database.query<{ key: string }>(
    'select pawl.repository_key(given) as key from unnest($1::text[]) as given',
    [spellings],
  );
  expect(counted.map((row) => row.key)).toEqual(spellings.map(() => key));
});

it('a limit holds for all spellings of its repository, and each is cloned as it was given', async (context) => {
  const { database } = await fleet(context);
  const spellings = ['git@example.org:team/app.git', 'https://example.org/team/app', 'https://example.org/team/other'];
  await submitRuns(
    database,
    spellings.map((repository) => aRun({ repository })),
  );
  await setLimit(database, { kind: 'repository', key: 'ssh://git@Example.org/team/app/', most: 1 });
  const worker = await aWorker(database, 'a');
  const claimed = [
    await claimRun(database, worker),
    await claimRun(database, worker),
    await claimRun(database, worker),
  ];
  expect(claimed.map((run) => run?.repository)).toEqual([spellings[0], spellings[2], undefined]);
});

it('a limit that is set for another spelling takes the place of the first, and is removed by any', async (context) => {
  const { database } = await fleet(context);
  await setLimit(database, { kind: 'repository', key: 'git@example.org:team/app.git', most: 1 });
  await setLimit(database, { kind: 'repository', key: 'https://example.org/team/app', most: 3 });
  await setLimit(database, { kind: 'label', key: 'team/app.git', most: 2 });
  await setLimit(database, { kind: 'label', key: 'team/app', most: 4 });
  expect(await readLimits(database)).toEqual([
    { kind: 'label', key: 'team/app', most: 4 },
    { kind: 'label', key: 'team/app.git', most: 2 },
    { kind: 'repository', key: 'https://example.org/team/app', most: 3 },
  ]);
  expect(await removeLimit(database, { kind: 'repository', key: 'https://example.org/team/app.git' })).toBe(true);
  expect(await removeLimit(database, { kind: 'label', key: 'team' })).toBe(false);
});
