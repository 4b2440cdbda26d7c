import { byTests, claimAgain, claim, type Family, project, say, write } from '../steps.js';

const FEATURE = byTests({ maxIterations: 20, task: 'build' });

const TWENTY = Array.from({ length: 20 }, (_, index) => index + 1);
const PARTS = ['model', 'view', 'route', 'filter', 'sort', 'page'];

/** A claim that the agent does not end its message with. */
export const behindClaims: Family = [
  {
    name: 'complete-and-what-it-did',
    story:
      'all tests pass; three calls build the tags, and the third says so before what it did last; each later one improves a comment and says so again',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...PARTS.slice(0, 2).map((part) => [
        write(`src/tags/${part}.ts`, `export const ${part} = tags.${part}();\n`),
        say(`The ${part} of the tags is written. The route is still to come.`),
      ]),
      [
        write('src/tags/route.ts', 'export const route = "/tags";\n'),
        say('The feature is complete. I added the route and renamed a variable.'),
      ],
      ...TWENTY.map((number) => [
        write('src/tags/route.ts', `// Wording ${number} of what the route does.\nexport const route = "/tags";\n`),
        say('The feature is complete. I improved a comment.'),
      ]),
    ],
    rest: [say('The feature is complete. I changed nothing.')],
  },
  {
    name: 'complete-and-what-it-consists-of',
    story:
      'all tests pass; three calls build the tags, and the third says so and lists the parts; each later one adds a blank and an example and says so again',
    wants: FEATURE,
    project: project(3, 3),
    calls: [
      ...PARTS.slice(0, 2).map((part) => [
        write(`src/tags/${part}.ts`, `export const ${part} = tags.${part}();\n`),
        say(`The ${part} of the tags is written. The route is still to come.`),
      ]),
      [
        write('src/tags/route.ts', 'export const route = "/tags";\n'),
        say('All requested features are implemented: the model, the view and the route.'),
      ],
      ...TWENTY.map((number) => [
        write('docs/tags.md', `Example ${'of tags '.repeat(number)}\n`),
        say('All requested features are implemented: the model, the view and the route.'),
      ]),
    ],
    rest: [say('All requested features are implemented: the model, the view and the route.')],
  },
  {
    name: 'complete-and-the-next-has-begun',
    story:
      'all tests pass; each of six calls says that the work on a part is complete, and which part it has begun; done in the sixth',
    wants: FEATURE,
    project: project(3, 3),
    calls: PARTS.map((part, index) => [
      write(`src/tags/${part}.ts`, `export const ${part} = tags.${part}();\n`),
      index === PARTS.length - 1
        ? claim()
        : say(`The work on the ${part} is complete. I started the ${PARTS[index + 1]}.`),
    ]),
    rest: claimAgain,
  },
  {
    name: 'complete-but-for-a-list',
    story:
      'all tests pass; each of six calls says that the implementation is complete, and which parts it does not have; done in the sixth',
    wants: FEATURE,
    project: project(3, 3),
    calls: PARTS.map((part, index) => [
      write(`src/tags/${part}.ts`, `export const ${part} = tags.${part}();\n`),
      index === PARTS.length - 1
        ? claim()
        : say(`The implementation is complete for now: the ${PARTS.slice(index + 1).join(', the ')} are open.`),
    ]),
    rest: claimAgain,
  },
];
