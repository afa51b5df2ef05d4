/** @file Exports for monitoring: spans to an OTLP endpoint, and event files for TensorBoard. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fault, type JsonObject, type Store, sentenceOf } from '@ludus-agents/kernel/internal/core/index';
import type { ExportEpisode } from '@ludus-agents/store/internal/exports/index';
import { otelRequests } from '@ludus-agents/store/internal/exports/otel';
import { scoresOf } from '@ludus-agents/store/internal/exports/plays';
import { callsIn } from '@ludus-agents/store/internal/exports/words';
import { openAtomicFile } from '@ludus-agents/store/internal/files/atomic-file';
import { eventFileHeader, scalarEvent } from '../rl/tensorboard.ts';
import { countLeft, type DatasetRequest, playsOf } from './request.ts';

/** Sends every episode of a request as a trace; returns the number of episodes and spans. */
export async function sendSpans(
  order: DatasetRequest,
  endpoint: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly episodes: number; readonly spans: number; readonly left: Readonly<Record<string, number>> }> {
  const url = URL.parse(endpoint);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Fault(
      'input',
      `Expected an address for spans, such as http://localhost:4318/v1/traces, but got "${endpoint}". Set it with -o.`,
    );
  const left: Record<string, number> = {};
  const message = { episodes: 0, spans: 0, left };
  let at = order.at.getTime();
  for await (const play of playsOf(order, countLeft(left))) {
    for (const request of otelRequests(play, at, order.version)) {
      await post(url, request, env);
      message.spans += spansIn(request);
    }
    message.episodes++;
    at++;
  }
  return message;
}

function spansIn(request: JsonObject): number {
  const [resource] = request['resourceSpans'] as unknown as readonly {
    readonly scopeSpans: readonly { readonly spans: readonly unknown[] }[];
  }[];
  return resource?.scopeSpans[0]?.spans.length ?? 0;
}

async function post(url: URL, body: JsonObject, env: Readonly<Record<string, string | undefined>>): Promise<void> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersIn(env) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
  } catch (thrown) {
    const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
    throw new Fault('server', `${url.origin} could not be reached (${sentenceOf(cause)}). Is a collector running there?`);
  }
  const speech = (await response.text()).slice(0, 200);
  if (!response.ok)
    throw new Fault('server', `${url.origin} answered ${response.status}${speech === '' ? '' : `: ${speech.replace(/\s+/g, ' ')}`}.`);
}

/** The standard variable of exporters: name=value pairs, which may contain secrets and so are not in files or shell history. */
function headersIn(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const pairs = (env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '').split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const cut = pair.indexOf('=');
      return [pair.slice(0, cut).trim(), decodeURIComponent(pair.slice(cut + 1).trim())];
    }),
  );
}

/** Writes the figures of a journal if there is one, else of the episodes in order. */
export async function writeEventFile(
  order: DatasetRequest,
  folder: string,
  entries: readonly JsonObject[],
): Promise<{ readonly file: string; readonly steps: number; readonly left: Readonly<Record<string, number>> }> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'events.out.tfevents.ludus');
  const seconds = order.at.getTime() / 1000;
  const file = openAtomicFile(path);
  let steps = 0;
  const left: Record<string, number> = {};
  try {
    file.write(eventFileHeader(seconds));
    if (entries.length > 0) {
      for (const [i, entry] of entries.entries()) {
        file.write(scalarEvent(stepIn(entry, i), seconds + i, numbersIn(entry)));
        steps++;
      }
    } else for await (const play of playsOf(order, countLeft(left))) file.write(scalarEvent(steps, seconds + steps++, figuresOf(play)));
    file.commit();
  } finally {
    file.discard();
  }
  return { file: path, steps, left };
}

/** The entries of a run's journal that are objects. */
export async function journalOf(store: Store, run: string, journal: string): Promise<readonly JsonObject[]> {
  const entries = await store.notes(run, journal);
  return entries.filter((entry): entry is JsonObject => typeof entry === 'object' && entry !== null && !Array.isArray(entry));
}

function stepIn(entry: JsonObject, index: number): number {
  const step = entry['update'] ?? entry['step'];
  return typeof step === 'number' && Number.isSafeInteger(step) && step >= 0 ? step : index;
}

function numbersIn(entry: JsonObject): Record<string, number> {
  return Object.fromEntries(Object.entries(entry).filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}

function figuresOf(play: ExportEpisode): Record<string, number | null> {
  const figures: Record<string, number | null> = { turns: play.record.turns };
  for (const seat of play.seats) {
    figures[`return/${seat}`] = play.end?.returns[seat] ?? null;
    for (const [name, value] of Object.entries(scoresOf(play, seat))) figures[`score/${name}/${seat}`] = value;
    const calls = callsIn(play.events, seat);
    if (calls.length > 0)
      figures[`tokens/${seat}`] = calls.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0);
  }
  return figures;
}
