/** @file A proxy in front of a server that a test controls, and the official client to call it. */

import type { ServerResponse } from 'node:http';
import type { ActionEvent, EpisodeEvent, ModelCall, Store } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/memory';
import OpenAI from 'openai';
import { type Move, type ScriptedServer, scriptedServer, whole } from '../../../../test/fixtures/scripted-server.ts';
import { type Serving, serve } from '../app.ts';
import { type ProxyOptions, proxyRoutes, type RecordingRoutes } from './routes.ts';

/** What a test has set up. */
export const desk: { upstream?: ScriptedServer; serving?: Serving; store: Store; recorder: RecordingRoutes['recorder'] } = {
  store: memoryStore(),
  recorder: null as unknown as RecordingRoutes['recorder'],
};

/** Takes it down again. */
export async function closeProxy(): Promise<void> {
  await desk.serving?.close();
  await desk.upstream?.close();
  delete desk.serving;
  delete desk.upstream;
}

/** A proxy in front of a server that the test controls. */
export async function open(
  moves: readonly Move[],
  options: Partial<ProxyOptions> & { tokens?: boolean; most?: number } = {},
): Promise<string> {
  desk.store = memoryStore();
  desk.upstream = await scriptedServer(...moves);
  const { tokens, most, ...rest } = options;
  const behind = { url: desk.upstream.url, keyFrom: 'KEY', env: { KEY: 'sk-upstream' }, ...(tokens === undefined ? {} : { tokens }) };
  const proxy = proxyRoutes({ store: desk.store, local: { cwd: '/nowhere' }, upstream: behind, ...rest });
  desk.recorder = proxy.recorder;
  desk.serving = await serve({ routes: proxy.routes, noToken: true, ...(most === undefined ? {} : { most }) });
  return desk.serving.url;
}

export const client = (url: string, path = '/v1', key = 'anything') => new OpenAI({ baseURL: `${url}${path}`, apiKey: key, maxRetries: 0 });
export const ask = { model: 'policy', messages: [{ role: 'user' as const, content: 'hello' }] };
export const withTokens = whole('hi', {
  token_ids: [10, 11],
  logprobs: {
    content: [
      { token: 'h', logprob: -0.1 },
      { token: 'i', logprob: -0.2 },
    ],
  },
});

/** Waits until everything is on record. */
export async function awaitRecords(): Promise<readonly (readonly EpisodeEvent[])[]> {
  await desk.recorder.close();
  return Promise.all((await desk.store.episodes()).toReversed().map(({ id }) => desk.store.events(id)));
}

export const callsIn = (log: readonly EpisodeEvent[], seat = 'player'): readonly ModelCall[] =>
  log.flatMap((event) => (event.kind === 'action' && event.seat === seat ? (event.calls ?? []) : []));
export const actionsIn = (log: readonly EpisodeEvent[]) =>
  log.filter((event): event is ActionEvent => event.kind === 'action' && event.seat !== 'world');

/** Waits until more can be written, or the reader has gone. */
export const awaitDrain = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const go = () => {
      for (const name of ['drain', 'close']) response.off(name, go);
      resolve();
    };
    for (const name of ['drain', 'close']) response.once(name, go);
  });

/** Posts raw text. */
export const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
