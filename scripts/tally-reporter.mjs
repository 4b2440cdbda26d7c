import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ROOT } from './project.mjs';

/** Counts what a test run did and leaves it in a file for the script that started it. */
export default class TallyReporter {
  onTestRunEnd(modules, unhandledErrors, reason) {
    const tally = { passed: 0, failed: [], skipped: [], reason };
    for (const module of modules) countModule(tally, module);
    for (const error of unhandledErrors) tally.failed.push(`outside of any test: ${error.message ?? error}`);
    writeFileSync(process.env.PAWL_TALLY_FILE, JSON.stringify(tally));
  }
}

function countModule(tally, module) {
  const file = relative(ROOT, module.moduleId);
  const brokenSuites = [...module.children.allSuites()].filter((suite) => suite.errors().length > 0);
  for (const broken of [...(module.errors().length > 0 ? [module] : []), ...brokenSuites]) {
    tally.failed.push(broken === module ? `${file} could not be run` : `${file}: ${broken.fullName}`);
  }
  for (const test of module.children.allTests()) {
    const result = test.result();
    const name = `${file}: ${test.fullName}`;
    if (result.state === 'passed') tally.passed += 1;
    else if (result.state === 'skipped') tally.skipped.push({ name, reason: result.note });
    else tally.failed.push(result.state === 'failed' ? name : `${name} (never ended)`);
  }
}
