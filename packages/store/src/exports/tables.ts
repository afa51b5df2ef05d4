/** @file Episodes and turns as two tables, for queries over many episodes at once. */

import { createHash } from 'node:crypto';
import type {
  ActionEvent,
  EpisodeEvent,
  ImagePart,
  JsonObject,
  ModelCall,
  Seat,
  StartEvent,
} from '@ludus-agents/kernel/internal/core/index';
import { type Columns, type DatasetFormat, provenanceText } from './format.ts';
import type { ExportEpisode } from './plays.ts';

const episodes: Columns = {
  episode: 'text',
  run: 'text',
  environment: 'text',
  task: 'text',
  task_hash: 'text',
  seed: 'whole',
  status: 'text',
  turns: 'whole',
  events: 'whole',
  split: 'text',
  seats: { list: { fields: { seat: 'text', agent: 'text', return: 'number', penalty: 'number' } } },
  scores: { list: { fields: { name: 'text', seat: 'text', turn: 'whole', value: 'number', status: 'text', provenance: 'text' } } },
};

const turns: Columns = {
  episode: 'text',
  event: 'whole',
  turn: 'whole',
  seat: 'text',
  agent: 'text',
  seen: { list: 'text' },
  images: { list: { fields: { hash: 'text', media: 'text', width: 'whole', height: 'whole', bytes: 'bytes' } } },
  choices: { list: 'text' },
  text: 'text',
  data: 'text',
  reward: 'number',
  mask: 'whole',
  calls: {
    list: {
      fields: {
        model: 'text',
        prompt: { list: { fields: { role: 'text', content: 'text', images: { list: 'text' } } } },
        text: 'text',
        tool_calls: 'text',
        finish: 'text',
        prompt_tokens: 'whole',
        completion_tokens: 'whole',
        cost: 'number',
        prompt_token_ids: { list: 'whole' },
        token_ids: { list: 'whole' },
        logprobs: { list: 'number' },
      },
    },
  },
  split: 'text',
};

export const tables: DatasetFormat = {
  about: 'Parquet tables of episodes and turns, with scores, calls, tokens, and images',
  notes: [
    '`turns` has one row per action of a seat: its new observations, its answer, its model calls, and its reward before the next action. `mask` is 1, or 0 on a turn that is not trained on.',
    '`images` of a turn has the images that the seat saw, with their bytes and SHA-256. The prompts of `calls` contain only this hash.',
  ],
  open: () => [
    { name: 'episodes', columns: episodes, rows: (play) => [episodeRow(play)] },
    { name: 'turns', columns: turns, rows: turnRows },
  ],
};

function episodeRow({ record, start, end, scores, task, split, seats }: ExportEpisode): JsonObject {
  const { id, run, environment, seed, status, turns: played, events } = record;
  return {
    episode: id,
    run,
    environment,
    task: JSON.stringify(start.task),
    task_hash: task,
    seed,
    status,
    turns: played,
    events,
    split,
    seats: seats.map((seat) => {
      return { seat, agent: start.cast[seat] ?? '', return: end?.returns[seat] ?? null, penalty: end?.penalties[seat] ?? null };
    }),
    scores: scores.map((score) => {
      const { name, seat = null, turn = null, value, status: how } = score;
      return { name, seat, turn, value, status: how, provenance: provenanceText(score) };
    }),
  };
}

/** Events for a seat since its last action. */
interface Since {
  seen: string[];
  images: JsonObject[];
  row: { reward: number } | null;
}

function* turnRows({ record, start, events, seats, split, masked }: ExportEpisode): Generator<JsonObject, void, undefined> {
  const since = new Map<Seat, Since>(seats.map((seat) => [seat, { seen: [], images: [], row: null }]));
  const choices = new Map<Seat, readonly string[]>();
  const rows: JsonObject[] = [];
  const ownEntry = new Map<Seat, number>();
  let turn = 0;
  for (const [i, event] of events.entries()) {
    if (event.kind === 'turn') {
      turn++;
      for (const ask of event.asks) {
        choices.set(ask.seat, ask.choices ?? []);
        since.get(ask.seat)?.images.push(...(ask.images ?? []).map(imageRow));
      }
    }
    for (const [seat, place] of since) collect(event, seat, place);
    if (event.kind !== 'action') continue;
    const place = since.get(event.seat);
    if (place === undefined) continue;
    const number = ownEntry.get(event.seat) ?? 0;
    ownEntry.set(event.seat, number + 1);
    const row = {
      episode: record.id,
      event: i,
      turn,
      seat: event.seat,
      agent: authorOf(event, start),
      seen: place.seen,
      images: place.images,
      choices: choices.get(event.seat) ?? [],
      ...answerColumns(event),
      reward: 0,
      mask: masked?.[event.seat]?.has(number) === true ? 0 : 1,
      split,
    };
    place.seen = [];
    place.images = [];
    place.row = row;
    rows.push(row);
  }
  yield* rows;
}

/** Text and images sent to the seat, and the reward of its last action. */
function collect(event: EpisodeEvent, seat: Seat, place: Since): void {
  if (event.kind === 'message' && event.to.includes(seat)) {
    place.seen.push(event.from === undefined ? event.text : `${event.from}: ${event.text}`);
    place.images.push(...(event.images ?? []).map(imageRow));
  }
  if (event.kind === 'reward' && place.row !== null) place.row.reward += event.rewards[seat] ?? 0;
}

/** The author of an action: an answer written by a person is not the agent's. */
function authorOf({ seat, edited }: ActionEvent, { cast }: StartEvent): string {
  return edited === true ? 'human' : (cast[seat] ?? '');
}

function answerColumns({ action, calls = [] }: ActionEvent): JsonObject {
  return { text: action.text, data: action.data === undefined ? null : JSON.stringify(action.data), calls: calls.map(callRow) };
}

function callRow(call: ModelCall): JsonObject {
  const { model, prompt, text, toolCalls = [], finish, usage, cost, promptTokenIds = [], tokenIds = [], logprobs = [] } = call;
  return {
    model,
    prompt: prompt.messages.map(({ role, content, images = [] }) => ({ role, content, images: images.map(imageHash) })),
    text,
    tool_calls: JSON.stringify(toolCalls),
    finish,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cost,
    prompt_token_ids: promptTokenIds,
    token_ids: tokenIds,
    logprobs,
  };
}

function imageRow(image: ImagePart): JsonObject {
  const { media, width, height, data } = image;
  return { hash: imageHash(image), media, width, height, bytes: data };
}

function imageHash({ data }: ImagePart): string {
  return createHash('sha256').update(data, 'base64').digest('hex');
}
