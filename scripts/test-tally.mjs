const NO_RESULT = { passed: 0, failed: ['the test run ended without a result'], skipped: [] };

/** One tally of several runs of the tests; a failure names the run, unless it is the first. */
export function mergeTallies(runs) {
  const named = runs.map(({ name, tally }, index) => {
    const { passed, failed, skipped } = tally ?? NO_RESULT;
    return { passed, failed: index === 0 ? failed : failed.map((test) => `${name}: ${test}`), skipped };
  });
  return {
    code: runs.find(({ code }) => code !== 0)?.code ?? 0,
    tally: {
      passed: named.reduce((sum, { passed }) => sum + passed, 0),
      failed: named.flatMap(({ failed }) => failed),
      skipped: named.flatMap(({ skipped }) => skipped),
    },
  };
}

/**
 * What the person at the terminal reads at the end of a test run, and the exit code. A run that was broken off, or in
 * which no test ran, has failed however few failures it counted. The last line is `N passed, N failed`.
 */
export function describeTally(tally, vitestCode, everythingMustRun) {
  const { passed, skipped, ...counted } = tally;
  const failed = [...counted.failed];
  if (everythingMustRun) failed.push(...skipped.map((test) => `${test.name} was skipped${because(test)}`));
  else if (failed.length === 0 && passed === 0) failed.push('no test ran');
  if (failed.length === 0 && vitestCode !== 0) failed.push(`the test run itself, with exit code ${vitestCode}`);
  const skippedCount = everythingMustRun ? 0 : skipped.length;
  const summary = `${passed} passed, ${failed.length} failed${skippedCount > 0 ? `, ${skippedCount} skipped` : ''}`;
  const lines = [
    ...failed.map((name) => `failed: ${name}`),
    ...(everythingMustRun ? [] : describeLeftOut(skipped)),
    summary,
  ];
  return { lines, exitCode: failed.length > 0 ? vitestCode || 1 : 0 };
}

function describeLeftOut(skipped) {
  if (skipped.length === 0) return [];
  const countByReason = new Map();
  for (const { reason = 'skipped in the source' } of skipped) {
    countByReason.set(reason, (countByReason.get(reason) ?? 0) + 1);
  }
  return [
    'Left out:',
    ...[...countByReason].map(([reason, count]) => `  ${reason} (${count} ${count === 1 ? 'test' : 'tests'})`),
    'To install what is missing on a Debian machine and run everything: .ci/run',
  ];
}

function because(test) {
  return test.reason === undefined ? '' : `: ${test.reason}`;
}
