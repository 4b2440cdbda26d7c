import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig } from 'vitest/config';
import projectConfig from './vitest.config.js';

const { test: { projects: _projects, ...all } = {}, ...shared } = projectConfig;

const installed = (path: string) =>
  fileURLToPath(new URL(`./node_modules/.cache/ai-7/node_modules/${path}`, import.meta.url));

/** What touches the AI SDK, against its version 7, which scripts/ai-7.mjs has installed. Needs Node 22. */
export default mergeConfig(
  shared,
  defineConfig({
    resolve: {
      alias: [
        { find: /^ai$/, replacement: installed('ai/dist/index.js') },
        { find: /^ai\/test$/, replacement: installed('ai/dist/test/index.js') },
        { find: /^@ai-sdk\/(anthropic|openai)$/, replacement: installed('@ai-sdk/$1/dist/index.js') },
      ],
    },
    test: {
      ...all,
      include: [
        'src/agent/**/*.test.ts',
        'src/testing/**/*.test.ts',
        'test/ai-sdk.test.ts',
        'test/guide-agent.test.ts',
        'test/e2e/in-process-agent.test.ts',
        'test/crash/crash-in-agent.test.ts',
      ],
      env: { ...all.env, PAWL_AI_SDK: '7' },
    },
  }),
);
