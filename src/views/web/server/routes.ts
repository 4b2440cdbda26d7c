import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { isRunId } from '../../../journal/run-places.js';
import type { Surroundings } from '../../../app/surroundings.js';
import { unbegunText } from '../../../app/unbegun-run.js';
import { METRICS_CONTENT_TYPE, prometheusText } from '../metrics/prometheus-text.js';
import type { EventStream } from './event-stream.js';
import { iterationDiff } from './iteration-diff.js';
import type { PageFile } from './page-files.js';
import { Refusal, refusalOf } from './refusal.js';
import { refusalAnswer } from './refusal-answer.js';
import { replayRun } from './replay-run.js';
import { itemDetail, iterationDetail } from './run-details.js';
import type { IndexedRun, RunIndex } from './run-index.js';
import type { RunViews } from './run-views.js';
import { sendCommand, sendFromPage } from './send-command.js';
import { AnswerGate } from './signed-answer.js';
import { streamList, StreamSlots } from './stream-slots.js';
import { streamRun } from './stream-run.js';

const LARGEST_BODY_BYTES = 64 * 1024;

export interface Served {
  readonly index: RunIndex;
  readonly views: RunViews;
  readonly files: ReadonlyMap<string, PageFile>;
  readonly context: Surroundings;
}

type Asked = Context<{ Bindings: HttpBindings }>;

/** Who gets what. Anyone who comes this far has been let in. */
export function createRoutes(served: Served): Hono<{ Bindings: HttpBindings }> {
  const { index, views, files } = served;
  const { environment, now } = served.context;
  const app = new Hono<{ Bindings: HttpBindings }>();
  const slots = new StreamSlots();
  const stream = (context: Asked, feed: Feed) => answerWithStream(slots.take(context.env.outgoing), feed);
  const find = (runId: string) => index.find(runId);
  const runOf = (context: Asked) => findRun(index, context.req.param('run') ?? '', now());

  app.get('/api/runs', async (context) => context.json(await index.list()));
  app.get('/api/history', async (context) => context.json(await index.history()));
  app.get('/api/runs/events', (context) => stream(context, (events) => streamList(events, index)));
  app.get('/api/runs/:run', async (context) => context.json(await views.viewed(await runOf(context))));
  app.get('/api/runs/:run/events', async (context) => {
    const run = await runOf(context);
    const after = whole(context.req.header('last-event-id') ?? context.req.query('after') ?? '0', 'after');
    return stream(context, (events) => streamRun({ run, views, stream: events, find, after }));
  });
  app.get('/api/runs/:run/iterations/:n', async (context) => {
    const iteration = whole(context.req.param('n'), 'an iteration');
    return context.json(await views.use(await runOf(context), (folded) => iterationDetail(folded, iteration)));
  });
  app.get('/api/runs/:run/iterations/:n/diff', async (context) => {
    const iteration = whole(context.req.param('n'), 'an iteration');
    const run = await runOf(context);
    return context.json(await views.use(run, (folded) => iterationDiff(run, folded, iteration, environment)));
  });
  app.get('/api/runs/:run/items/:index', async (context) => {
    const item = whole(context.req.param('index'), 'an item');
    return context.json(await views.use(await runOf(context), (folded) => itemDetail(folded, item)));
  });
  app.post('/api/runs/:run/commands', async (context) => {
    const asked = await jsonOf(context);
    return context.json(await sendFromPage(await runOf(context), views, asked, served.context));
  });
  const answers = new AnswerGate(environment, now);
  app.post('/api/answers/:run/:question', async (context) => {
    const { runId, command } = answers.admit(
      context.req.path,
      context.env.incoming.headers,
      await sentText(context.req),
    );
    const run = await findRun(index, runId, now());
    return context.json(await sendCommand(run, views, command, 'a signed answer (webhook)', served.context));
  });
  app.post('/api/runs/:run/replay', async (context) => {
    const asked = await jsonOf(context);
    return context.json(await views.use(await runOf(context), (folded) => replayRun(folded, asked)));
  });
  app.get('/metrics', async (context) => {
    const text = prometheusText(await index.metrics(), now());
    return context.body(text, 200, { 'content-type': METRICS_CONTENT_TYPE });
  });
  app.get('*', (context) => pageFile(context, files));
  const stylesheet = [...files.keys()].find((path) => path.endsWith('.css'));
  app.notFound((context) => refuse(context, new Refusal(404, 'this address does not exist'), stylesheet));
  app.onError((error, context) => refuse(context, refusalOf(error), stylesheet));
  return app;
}

type Feed = (events: EventStream) => Promise<void>;

function answerWithStream(events: EventStream, feed: Feed): Response {
  void feed(events)
    // The page connects again and is told what is wrong.
    .catch(() => undefined)
    .finally(() => events.close());
  return RESPONSE_ALREADY_SENT;
}

async function findRun(index: RunIndex, runId: string, nowMs: number): Promise<IndexedRun> {
  const run = isRunId(runId) ? await index.find(runId) : undefined;
  if (run !== undefined) return run;
  const row = index.unrecorded(runId);
  if (row === undefined) throw new Refusal(404, 'no such run');
  throw new Refusal(404, `nothing is recorded for this run: ${unbegunText({ run: row }, nowMs)}`);
}

function whole(text: string, what: string): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  if (value === undefined) throw new Refusal(400, `${what} is a whole number`);
  return value;
}

async function jsonOf({ req }: Asked): Promise<unknown> {
  const text = await sentText(req);
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'the request is not JSON');
  }
}

/** No more of it is read than a command can be long. */
async function sentText(request: Asked['req']): Promise<string> {
  if (Number(request.header('content-length') ?? 0) > LARGEST_BODY_BYTES) return tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.raw.body ?? []) {
    bytes += chunk.length;
    if (bytes > LARGEST_BODY_BYTES) return tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function pageFile(context: Asked, files: ReadonlyMap<string, PageFile>): Response {
  const path = isPage(context.req.path) ? '/index.html' : context.req.path;
  const file = files.get(path);
  if (file !== undefined) return context.body(file.bytes, 200, { 'content-type': file.type });
  if (path !== '/index.html') throw new Refusal(404, 'this address does not exist');
  throw new Refusal(503, 'the page was not built; node scripts/build.mjs builds it');
}

/** The addresses that the page itself gives its parts. */
function isPage(path: string): boolean {
  const [, runId] = /^\/runs\/([^/]+)$/.exec(path) ?? [];
  return path === '/' || path === '/history' || (runId !== undefined && isRunId(runId));
}

function tooLarge(): never {
  const message = `the request is larger than ${LARGEST_BODY_BYTES} bytes`;
  throw new Refusal(413, message, { headers: { connection: 'close' } });
}

function refuse(context: Asked, refusal: Refusal, stylesheet: string | undefined): Response {
  const { type, text } = refusalAnswer(context.req.path, refusal, stylesheet);
  return context.body(text, refusal.status, { ...refusal.headers, 'content-type': type });
}
