/**
 * @file Routes of the recording proxy: OpenAI's chat, completions and responses, Anthropic's messages and Gemini in front of any model, every
 * call recorded under a run, an episode and a seat.
 *
 * This makes a program in any language with a configurable base URL a seat, and its calls training data. Built-in models answer here, too.
 */

import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { Prices } from '@ludus-agents/agents/internal/models/priced';
import type { CallBudget, Json, JsonObject, ModelCall, Reservation, Store } from '@ludus-agents/kernel/internal/core/index';
import { BudgetFault, canonical, isFault, parseJson, report, sentenceOf, withBudget } from '@ludus-agents/kernel/internal/core/index';
import { Hono, type Context as HonoCall } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { AccessScope } from '../access.ts';
import { alreadySent, type HttpRoutes } from '../app.ts';
import type { RequestRetryOptions } from '../retry.ts';
import { passOn, streamedAnswer, wholeAnswer } from './answer.ts';
import { answersWanted, overBudget, ProxyCharges, refusedCall } from './charges.ts';
import { DialectCollector, streamIn, wholeIn } from './dialect-answers.ts';
import { dialectOf, readDialect } from './dialects.ts';
import type { Answered } from './exchange.ts';
import { ModelProxy, type ModelProxyOptions } from './model-proxy.ts';
import { idOf, type Open, Recorder } from './recorder.ts';
import { ReplyCollector } from './reply-collector.ts';
import { type ProxyTarget, placeOf } from './target.ts';
import { refusalOf, trimAnswer, Upstream, type UpstreamOptions } from './upstream.ts';
import { errorBody, type ProxyDialect, type ProxyRequest, Refused, readAsked, readBody } from './wire.ts';

export interface ProxyOptions {
  readonly store: Store;
  /** The models and personas that are served here, without the upstream server. */
  readonly local: ModelProxyOptions;
  /** If omitted, only built-in models answer. */
  readonly upstream?: UpstreamOptions | undefined;
  /** The run for calls that name none; "proxy" by default. */
  readonly run?: string | undefined;
  /** Idle seconds after which an episode ends. */
  readonly idleSeconds?: number | undefined;
  /** Seconds that a caller may pause reading its stream, and a server writing it. */
  readonly stallSeconds?: number | undefined;
  /** The budget of all calls together; calls beyond it are refused. */
  readonly budget?: CallBudget | undefined;
  /** Prices of the upstream models; they override the known ones. */
  readonly prices?: Prices | undefined;
  /** The retry settings for the store. */
  readonly retry?: RequestRetryOptions | undefined;
}

export interface RecordingRoutes {
  readonly routes: readonly HttpRoutes[];
  readonly recorder: Recorder;
}

/** The routes of the recording proxy: /v1, and /r for calls whose path names their run, episode, and seat. */
export function proxyRoutes(options: ProxyOptions): RecordingRoutes {
  const upstream = options.upstream === undefined ? null : new Upstream(options.upstream);
  const { store, idleSeconds, retry = {} } = options;
  const recorder = new Recorder({
    ...{ store, upstream: upstream?.url ?? null, retry },
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
  });
  const desk = new Desk(options, { upstream, recorder });
  const [plain, placed] = [
    desk.app(['']),
    desk.app(['/:run/e/:episode/s/:seat', '/:run/e/:episode', '/:run'].flatMap((item) => [`${item}/v1`, `${item}/v1beta`])),
  ];
  placed.post('/:run/e/:episode/end', (call) => desk.end(call));
  for (const app of [plain, placed])
    app.all('*', (call) =>
      call.json(
        errorBody(
          404,
          `Not found: ${call.req.method} ${call.req.path.slice(0, 200)}. Available: …/v1/chat/completions, …/v1/completions, …/v1/responses, …/v1/messages, …/v1beta/models/MODEL:generateContent and …/v1/models.`,
        ),
        404,
      ),
    );
  // Upstream models, models that play characters, and named models may cost money.
  const spendsMoney = upstream !== null || options.local.model !== undefined || (options.local.models ?? []).length > 0;
  const needs = (path: string, method: string): readonly AccessScope[] => {
    if (method === 'GET') return ['read', 'play', 'spend'];
    return spendsMoney && /(?:completions|messages|responses|generateContent)$/i.test(path) ? ['spend'] : ['play', 'spend'];
  };
  const routes: readonly HttpRoutes[] = [
    { path: '/v1', app: plain, needs },
    { path: '/v1beta', app: plain, needs },
    { path: '/r', app: placed, needs, health: () => recorder.health, close: () => recorder.close() },
  ];
  return { routes, recorder };
}

interface Parts {
  readonly upstream: Upstream | null;
  readonly recorder: Recorder;
}

/** A call in progress: its request, its episode, and how to cancel it. */
interface Business {
  readonly asked: ProxyRequest;
  readonly place: ProxyTarget;
  readonly open: Open;
  readonly stop: AbortController;
  readonly headers: Readonly<Record<string, string>>;
}

const streaming = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' } as const;

class Desk {
  readonly #options: ProxyOptions;
  readonly #parts: Parts;
  readonly #local: ModelProxy;
  readonly #charges: ProxyCharges;

  constructor(options: ProxyOptions, parts: Parts) {
    this.#options = options;
    this.#charges = new ProxyCharges({ url: parts.upstream?.url ?? '', prices: options.prices, budget: options.budget });
    this.#parts = parts;
    this.#local = new ModelProxy(options.local);
  }

  app(prefixes: readonly string[]): Hono {
    const app = new Hono();
    app.onError((error, call) => refuseCall(error, call));
    for (const prefix of prefixes) {
      app.post(`${prefix}/chat/completions`, (call) => this.#answer('chat', call));
      app.post(`${prefix}/completions`, (call) => this.#answer('completion', call));
      app.post(`${prefix}/messages`, (call) => this.#answer('messages', call));
      app.post(`${prefix}/responses`, (call) => this.#answer('responses', call));
      app.post(`${prefix}/models/:called{.+}`, (call) => this.#answer('gemini', call));
      app.get(`${prefix}/models`, async (call) => call.json({ object: 'list', data: await this.#models() }));
      app.get(`${prefix}/models/:model{.+}`, async (call) => {
        const wanted = call.req.param('model') as string;
        const match = (await this.#models()).find(({ id }) => id === wanted);
        if (match === undefined) throw new Refused(404, `Unknown model "${wanted.slice(0, 80)}".`, { code: 'model_not_found' });
        return call.json(match);
      });
    }
    return app;
  }

  async end(call: HonoCall): Promise<Response> {
    const text = await call.req.text();
    const { rewards } = text.trim() === '' ? {} : readBody(text);
    const input = rewards === undefined || rewards === null ? undefined : (rewards as Record<string, number>);
    if (input !== undefined && (typeof input !== 'object' || !Object.values(input).every(Number.isFinite)))
      throw new Refused(400, `"rewards" must be numbers by seat, but got ${JSON.stringify(rewards).slice(0, 60)}.`, {
        param: 'rewards',
      });
    const { run, episode } = placeOf(call.req.param(), call.req.raw.headers, 'proxy');
    const id = idOf(run, episode as string);
    await this.#parts.recorder.end(id, input);
    return call.json({ episode: id, status: 'over', rewards: input ?? {} });
  }

  async #models(): Promise<readonly { readonly id?: unknown }[]> {
    const ownItems = this.#local.names().map((id) => ({ id, object: 'model', created: 0, owned_by: 'ludus' }));
    return [...((await this.#parts.upstream?.models()) ?? []), ...ownItems];
  }

  async #answer(kind: ProxyRequest['kind'] | ProxyDialect, call: HonoCall): Promise<Response> {
    const body = readBody(await call.req.text());
    const proxyRequest =
      kind === 'chat' || kind === 'completion' ? readAsked(kind, body) : readDialect(kind, body, call.req.param('called'));
    const place = placeOf(call.req.param(), call.req.raw.headers, this.#options.run ?? 'proxy');
    const isLocal = this.#local.has(proxyRequest.model);
    if (!isLocal && this.#parts.upstream === null)
      throw new Refused(
        404,
        `Unknown model "${proxyRequest.model.slice(0, 80)}", and no upstream server is set. Available: ${this.#local.names().join(', ')}.`,
        { code: 'model_not_found', param: 'model' },
      );
    if (isLocal && answersWanted(proxyRequest) > 1)
      throw new Refused(
        400,
        `A model of this server returns one answer per call, but ${answersWanted(proxyRequest)} were requested. Call it again for another.`,
      );
    const open = await this.#parts.recorder.admit(place, proxyRequest);
    const stop = new AbortController();
    const { outgoing } = call.env as HttpBindings;
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) stop.abort(new Error('the client disconnected'));
    });
    // When sent back with the next call, these identify its episode.
    const headers = { 'x-ludus-run': place.run, 'x-ludus-episode': open.id.slice(place.run.length + 1) };
    const business: Business = { asked: proxyRequest, place, open, stop, headers };
    try {
      return isLocal ? await this.#ourselves(business, call) : await this.#passOn(business, call);
    } catch (thrown) {
      this.#parts.recorder.failed(open, place.seat, sentenceOf(thrown));
      for (const [name, value] of Object.entries(headers)) call.header(name, value);
      throw thrown;
    }
  }

  async #ourselves(business: Business, call: HonoCall): Promise<Response> {
    const { asked, place, stop, headers } = business;
    const { budget } = this.#options;
    const answer = () => this.#local.answer(asked, place, stop.signal);
    const modelCall = await (budget === undefined ? answer() : withBudget(budget, answer));
    this.#record(business, [modelCall]);
    const { dialect } = asked;
    if (!asked.streamed)
      return call.json(dialect === undefined ? wholeAnswer(asked, modelCall) : wholeIn[dialect](asked, modelCall), 200, headers);
    if (dialect !== undefined) return call.body(streamIn(dialect, asked, modelCall), 200, { ...headers, ...streaming });
    return call.body([...streamedAnswer(asked, modelCall)].join(''), 200, { ...headers, ...streaming });
  }

  async #passOn(business: Business, call: HonoCall): Promise<Response> {
    const { stop } = business;
    const { asked, charge } = await this.#charges.admit(business.asked, stop.signal);
    try {
      return await this.#answered({ ...business, asked }, call, charge);
    } catch (thrown) {
      charge.fail(thrown, stop.signal.aborted);
      throw thrown;
    }
  }

  async #answered(business: Business, call: HonoCall, charge: Reservation): Promise<Response> {
    const { asked, stop, headers } = business;
    const recordCost = (modelCalls: readonly ModelCall[]) => {
      const calls = this.#charges.priced(modelCalls, asked);
      // A server reports the tokens of all answers to a request with the first one.
      charge.settle(calls[0] ?? refusedCall(asked));
      this.#record(business, calls);
    };
    const upstream = this.#parts.upstream as Upstream;
    const { dialect } = asked;
    const inDialect = dialect === undefined ? null : new DialectCollector(asked, upstream.url, await dialectOf(dialect));
    const gathered = inDialect ?? new ReplyCollector(asked, upstream.url);
    const begun = await upstream.ask(asked, stop);
    const { response, added } = begun;
    if (response.status < 200 || response.status >= 300) {
      const refusal = await this.#turnedDown(business, call, response);
      if (response.status < 500) charge.settle(refusedCall(asked));
      else charge.fail(new Error(`The server answered ${response.status}.`), false);
      return refusal;
    }
    if ((response.header('content-type') ?? '').includes('text/event-stream')) {
      // Written directly to the connection: a web stream would be several times slower.
      const { outgoing } = call.env as HttpBindings;
      outgoing.writeHead(200, { ...headers, ...streaming });
      const tellEnd = (failure: string | null) => {
        const { recorder } = this.#parts;
        let calls: readonly ModelCall[] | null = null;
        try {
          if (failure === null) calls = gathered.calls();
        } catch (thrown) {
          report('Recording a stream', thrown);
        }
        if (calls !== null) return recordCost(calls);
        charge.fail(new Error(failure ?? 'the answer could not be read'), stop.signal.aborted);
        recorder.failed(business.open, business.place.seat, failure ?? 'the answer could not be read');
      };
      passOn({
        begun,
        outgoing: outgoing as ServerResponse,
        gathered,
        dialect,
        stop,
        seconds: this.#options.stallSeconds ?? 120,
        told: tellEnd,
      });
      return alreadySent;
    }
    const { answer, calls } = await (gathered instanceof DialectCollector
      ? readInDialect(response, gathered)
      : readAnswer(response, gathered));
    recordCost(calls);
    return call.json(trimAnswer(answer, added), 200, headers);
  }

  /** A server's refusal is passed to the caller unchanged: its program can handle it. */
  async #turnedDown({ open, place, headers }: Business, call: HonoCall, response: Answered): Promise<Response> {
    const { status, body, message } = await refusalOf(response);
    this.#parts.recorder.failed(open, place.seat, message);
    const wait = response.header('retry-after');
    const observation = { ...headers, ...(wait !== null && { 'retry-after': wait }) };
    return call.json(body as JsonObject, status as ContentfulStatusCode, observation);
  }

  #record({ asked, place, open }: Business, calls: readonly ModelCall[]): void {
    const about = () => {
      const { temperature, topP, maxTokens, seed } = asked.sampling;
      const sampling = JSON.parse(JSON.stringify({ temperature, topP, maxTokens, seed })) as JsonObject;
      return { promptHash: promptHash(asked.prompt), ...(Object.keys(sampling).length === 0 ? {} : { sampling }) };
    };
    this.#parts.recorder.record(open, { place, calls, about });
  }
}

/** The hash of a prompt: the same for a recorded call that is rendered again. */
export function promptHash(prompt: Json): string {
  return createHash('sha256').update(canonical(prompt)).digest('hex');
}

interface WholeAnswer {
  readonly answer: Record<string, unknown>;
  readonly calls: readonly ModelCall[];
}

/** The same in another dialect. */
async function readInDialect(response: Answered, gathered: DialectCollector): Promise<WholeAnswer> {
  const text = await response.text();
  try {
    const answer = parseJson(text) as Record<string, unknown>;
    gathered.takeWhole(answer);
    return { answer, calls: gathered.calls() };
  } catch (thrown) {
    const why = `${sentenceOf(thrown)}; it begins ${JSON.stringify(text.slice(0, 60))}`;
    throw new Refused(502, `The upstream server sent no answer that can be read: ${why}.`, { code: 'upstream_unreadable' });
  }
}

/** Reads a complete response. An error in it is reported as the server's fault. */
async function readAnswer(response: Answered, gathered: ReplyCollector): Promise<WholeAnswer> {
  const unreadable = (why: string) =>
    new Refused(502, `The upstream server sent no answer that can be read: ${why}.`, { code: 'upstream_unreadable' });
  let text = '';
  try {
    text = await response.text();
    const answer = parseJson(text) as Record<string, unknown>;
    if (Array.isArray(answer['choices']) && answer['choices'].length > 0) {
      gathered.take(answer);
      return { answer, calls: gathered.calls() };
    }
  } catch (thrown) {
    throw unreadable(`${sentenceOf(thrown)}; it begins ${JSON.stringify(text.slice(0, 60))}`);
  }
  throw unreadable(`it has no choices; it starts with ${JSON.stringify(text.slice(0, 60))}`);
}

function refuseCall(error: unknown, call: HonoCall): Response {
  // Anthropic's clients expect a type at the top level; others ignore it.
  const typed = /\/messages$/.test(call.req.path) ? { type: 'error' } : {};
  if (error instanceof BudgetFault) return refuseCall(overBudget(error), call);
  // Retrying does not help against an exhausted budget, so clients are told not to.
  if (error instanceof Refused && error.code === 'insufficient_quota') call.header('x-should-retry', 'false');
  if (error instanceof Refused)
    return call.json({ ...typed, ...errorBody(error.status, error.message, error) }, error.status as ContentfulStatusCode);
  if (isFault(error)) {
    const status = error.boundary === 'input' ? 400 : 502;
    return call.json(errorBody(status, error.message), status);
  }
  if (call.req.raw.signal.aborted) return call.json(errorBody(499, 'The caller left.'), 499 as ContentfulStatusCode);
  report('A call', error);
  return call.json(errorBody(500, 'Something went wrong on the server. See its output.'), 500);
}
