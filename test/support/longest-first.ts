import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** What takes long although its file is short: begun late, one of them runs alone in the end. */
const LONG = [
  'e2e/first-run',
  'e2e/build-mark',
  'e2e/peers-bench',
  'crash/soak',
  'crash/killed-run',
  'crash/power-cut',
];

/** What starts processes first and what needs a moment last, so that no core is idle in the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}

/** The order of the projects. */
const PROJECTS = ['small process', 'own process', 'shared process'];

function rank({ moduleId, project }: TestSpecification): number {
  return LONG.some((name) => moduleId.endsWith(`/test/${name}.test.ts`)) ? -1 : PROJECTS.indexOf(project.name);
}
