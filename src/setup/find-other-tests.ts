import type { FoundCommand } from './found-tests.js';
import { asRecord, type ProjectFiles } from './project-files.js';

type Finder = (files: ProjectFiles) => FoundCommand | undefined;

const found = (command: string, why: string, ...testFiles: string[]): FoundCommand => ({ command, why, testFiles });

export const findDenoTests: Finder = (files) => {
  const name = ['deno.json', 'deno.jsonc'].find((one) => files.hasFile(one));
  if (name === undefined) return undefined;
  const hasTask = typeof asRecord(files.json(name)?.['tasks'])?.['test'] === 'string';
  return hasTask
    ? found('deno task test', `${name} has the task "test"`, '**/*_test.*', '**/*.test.*')
    : found('deno test', `${name} is there`, '**/*_test.*', '**/*.test.*');
};

export const findRustTests: Finder = (files) => {
  const manifest = files.text('Cargo.toml');
  if (manifest === undefined) return undefined;
  const isWorkspace = /^\[workspace\]/m.test(manifest);
  const workspace = isWorkspace ? ' --workspace' : '';
  if (files.hasFile('.config/nextest.toml')) {
    return found(`cargo nextest run${workspace}`, '.config/nextest.toml exists', '**/tests/**');
  }
  return found(`cargo test${workspace}`, `Cargo.toml is ${isWorkspace ? 'a workspace' : 'there'}`, '**/tests/**');
};

export const findGoTests: Finder = (files) => {
  if (files.hasFile('go.mod')) return found('go test ./...', 'go.mod exists', '**/*_test.go');
  const modules = [...(files.text('go.work') ?? '').matchAll(/^(?:use)?\s+\.?\/?([\w./-]+)\s*$/gm)]
    .map(([, path = '']) => path.replace(/\/$/, ''))
    .filter((path) => !path.includes('..') && files.hasFile(`${path}/go.mod`));
  if (modules.length === 0) return undefined;
  return found(`go test ${modules.map((path) => `./${path}/...`).join(' ')}`, 'go.work exists', '**/*_test.go');
};

export const findMakeTests: Finder = (files) => {
  const name = ['GNUmakefile', 'makefile', 'Makefile'].find((one) => files.hasFile(one));
  const text = name === undefined ? '' : (files.text(name) ?? '');
  const target = ['test', 'tests', 'check'].find((one) => new RegExp(`^${one}\\s*::?(?!=)`, 'm').test(text));
  return target === undefined ? undefined : found(`make ${target}`, `${name} has the target "${target}"`);
};

export const findJavaTests: Finder = (files) => {
  const gradle = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
  const script = gradle.find((name) => files.hasFile(name));
  if (script !== undefined) {
    return found(`${files.hasFile('gradlew') ? './gradlew' : 'gradle'} test`, `${script} is there`, '**/src/test/**');
  }
  if (!files.hasFile('pom.xml')) return undefined;
  return found(`${files.hasFile('mvnw') ? './mvnw' : 'mvn'} test`, 'pom.xml exists', '**/src/test/**');
};

export const findDotnetTests: Finder = (files) => {
  const name = files.names.find((one) => /\.(?:slnx?|csproj|fsproj|vbproj)$/.test(one));
  return name === undefined ? undefined : found('dotnet test', `${name} is there`, '**/*Test*/**');
};

export const findElixirTests: Finder = (files) =>
  files.hasFile('mix.exs') ? found('mix test', 'mix.exs exists', '**/*_test.exs') : undefined;

export const findRubyTests: Finder = (files) => {
  const bundle = files.hasFile('Gemfile') ? 'bundle exec ' : '';
  if (
    files.hasFile('.rspec') ||
    files.at('spec').names.some((name) => name === 'spec_helper.rb' || name.endsWith('_spec.rb'))
  ) {
    return found(`${bundle}rspec`, 'spec/ has specs', '**/*_spec.rb');
  }
  if (files.hasFile('bin/rails')) return found('bin/rails test', 'bin/rails exists', 'test/**');
  const hasTask = /TestTask|Minitest/.test(files.text('Rakefile') ?? '');
  return hasTask ? found(`${bundle}rake test`, 'Rakefile has a test task', 'test/**') : undefined;
};

export const findPhpTests: Finder = (files) => {
  const manifest = files.json('composer.json');
  const script = asRecord(manifest?.['scripts'])?.['test'];
  if (typeof script === 'string' || Array.isArray(script)) {
    return found('composer test', 'composer.json has the script "test"', '**/*Test.php');
  }
  if (Object.hasOwn(asRecord(manifest?.['require-dev']) ?? {}, 'pestphp/pest')) {
    return found('vendor/bin/pest', 'composer.json has Pest', 'tests/**');
  }
  const settings = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((name) => files.hasFile(name));
  return settings === undefined ? undefined : found('vendor/bin/phpunit', `${settings} is there`, '**/*Test.php');
};
