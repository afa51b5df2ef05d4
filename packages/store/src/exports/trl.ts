/**
 * @file Rows for TRL's trainers, and for verl in its parquet format.
 *
 * TRL trains on the whole completion, so a completion here is exactly one message of the seat: messages of others in between are in the
 * prompt of the next row, and no mask is needed. Preferences are computed elsewhere and passed in.
 */

import { imageUrl } from '@ludus-agents/kernel/internal/core/image';
import type { ChatMessage, Json, JsonObject, Seat, ToolSpec } from '@ludus-agents/kernel/internal/core/index';
import { hash } from '@ludus-agents/kernel/internal/core/json';
import { type Columns, type DatasetFormat, flatOrigin, type Leave, lines, wireMessage } from './format.ts';
import type { ExportEpisode } from './plays.ts';
import { type Chat, chatsOf, openingOf } from './words.ts';

const columns: Columns = {
  data_source: 'text',
  prompt: { list: { fields: { role: 'text', content: 'text' } } },
  ability: 'text',
  reward_model: { fields: { style: 'text', ground_truth: 'text' } },
  extra_info: {
    fields: { split: 'text', index: 'whole', environment: 'text', task: 'text', seed: 'whole', seat: 'text', tools: 'text' },
  },
  agent_name: 'text',
  images: { list: { fields: { bytes: 'bytes' } } },
};

/** Prompts for verl in its Parquet layout: one for each task, seed, and seat, with the data that a reward function needs to play it. */
export const verl: DatasetFormat = {
  about: 'verl Parquet: prompts with data_source, ability, reward_model, and extra_info',
  notes: [
    'Prompts only, without answers. `reward_model.ground_truth` is JSON with the environment, task, seed, and seat to play.',
    '`images` has the bytes of the images, in the order of the marks <image> in the prompt.',
    '`agent_name` is verl’s single-turn loop where the seat spoke once, and its tool loop otherwise.',
  ],
  remembers: true,
  open() {
    const first = beginnings();
    const next = { train: 0, eval: 0 };
    return [
      {
        name: '',
        columns,
        *rows(play) {
          const { environment, seed } = play.record;
          const ability = environment.split('@', 1)[0]!;
          const task = JSON.stringify(play.start.task);
          for (const { seat, chat } of first(play)) {
            const images = openingOf(chat).flatMap(({ images: imageParts = [] }) =>
              imageParts.map(({ data }): JsonObject => ({ bytes: data })),
            );
            const spoke = chat.mask.filter((bit) => bit === 1).length;
            yield {
              data_source: `ludus/${ability}`,
              prompt: openingOf(chat).map(({ role, content, images = [] }): JsonObject => {
                return { role, content: [content, ...images.map(() => '<image>')].join('\n') };
              }),
              ability,
              reward_model: { style: 'rule', ground_truth: JSON.stringify({ environment, task: play.start.task, seed, seat }) },
              extra_info: {
                split: play.split,
                index: next[play.split]++,
                environment,
                task,
                seed,
                seat,
                tools: chat.tools.length === 0 ? '' : JSON.stringify(chat.tools),
              },
              agent_name: spoke > 1 ? 'tool_agent' : 'single_turn_agent',
              ...(images.length === 0 ? {} : { images }),
            };
          }
        },
      },
    ];
  },
};

const completions = 'A completion is one message of the seat. Messages of others are in the prompt, to which TRL applies no loss.';
const pictures =
  '`images` contains the images of the prompt as data URLs, in the order of the parts {"type": "image"}. Rows without images don’t have it.';

export const trlSft = lines('TRL prompt-completion rows, one per message of the seat', [completions, pictures], function* (play) {
  for (const seat of play.seats) {
    const origin = flatOrigin(play, seat);
    for (const chat of chatsOf(play, seat)) {
      const tools = toolsOf(chat);
      for (const [i, bit] of chat.mask.entries()) {
        if (bit === 0) continue;
        const [prompt, answer] = [chat.messages.slice(0, i), chat.messages[i]!];
        yield { ...promptOf(prompt), completion: [template(answer, prompt)], ...tools, ...origin };
      }
    }
  }
});

/** One row for each task, seed and seat, however often it was played. */
export const trlGrpo: DatasetFormat = {
  about: 'TRL prompts with tools for online training, one per task, seed, and seat',
  notes: ['Prompts only, without answers. Pass `environment`, `task`, `seed`, and `seat` to `reset`.', pictures],
  remembers: true,
  open() {
    const first = beginnings();
    return [
      {
        name: '',
        *rows(play) {
          for (const { seat, chat } of first(play)) {
            const { environment, seed, split } = flatOrigin(play, seat) as Record<string, Json>;
            const task = JSON.stringify(play.start.task);
            yield { ...promptOf(openingOf(chat)), ...toolsOf(chat), environment, task, seed, seat, split } as JsonObject;
          }
        },
      },
    ];
  },
};

/** Remembers earlier chats, and returns the seats of an episode with a new opening, with the chat they begin with. */
function beginnings(): (play: ExportEpisode) => readonly { readonly seat: Seat; readonly chat: Chat }[] {
  const visited = new Set<string>();
  return (play) =>
    play.seats.flatMap((seat) => {
      const place = hash([play.task, play.record.seed, seat]).slice(0, 32);
      const chat = visited.has(place) ? undefined : chatsOf({ events: play.events, wording: play.wording }, seat)[0];
      if (chat === undefined || openingOf(chat).length === 0) return [];
      visited.add(place);
      return [{ seat, chat }];
    });
}

/** One side of a comparison: the messages after the prompt, with a mask on the seat's own. */
export interface DpoSide {
  readonly from: string;
  readonly score: number;
  readonly messages: readonly ChatMessage[];
  readonly mask: readonly number[];
}

interface Compared {
  readonly task: string;
  readonly seat: Seat;
  readonly prompt: readonly ChatMessage[];
}

export interface DpoPair extends Compared {
  readonly margin: number;
  readonly chosen: DpoSide;
  readonly rejected: DpoSide;
}

export interface Judged extends Compared {
  readonly good: boolean;
  readonly side: DpoSide;
}

export const preferenceNotes: readonly string[] = [completions, pictures];

/** A pair as a row, if the two sides diverge at a message of the seat: otherwise they would answer different prompts. */
export function dpoRow({ prompt, seat, task, margin, chosen, rejected }: DpoPair, leave: Leave): JsonObject | null {
  if (chosen.mask[0] !== 1 || rejected.mask[0] !== 1) {
    const masked = [chosen, rejected].some(({ mask, messages }) => mask[0] !== 1 && messages[0]?.role === 'assistant');
    leave(masked ? 'the two sides first differ at a masked turn' : 'the two sides first differ at a message of another seat');
    return null;
  }
  const first = (side: DpoSide) => [template(side.messages[0]!, prompt)];
  return {
    ...promptOf(prompt),
    chosen: first(chosen),
    rejected: first(rejected),
    score_chosen: chosen.score,
    score_rejected: rejected.score,
    margin,
    seat,
    task,
    episode_chosen: chosen.from,
    episode_rejected: rejected.from,
  };
}

/** A row for each of the seat's messages, all with the label of the episode. */
export function* ktoRows({ prompt, seat, task, good, side }: Judged): Generator<JsonObject, void, undefined> {
  for (const [i, bit] of side.mask.entries()) {
    if (bit !== 1) continue;
    const before = [...prompt, ...side.messages.slice(0, i)];
    const completion = [template(side.messages[i]!, before)];
    yield { ...promptOf(before), completion, label: good, score: side.score, seat, task, episode: side.from };
  }
}

/** The prompt, and the images of all its messages in order, if any. */
function promptOf(messages: readonly ChatMessage[]): { readonly prompt: readonly JsonObject[]; readonly images?: readonly string[] } {
  const images = messages.flatMap((message) => (message.images ?? []).map(imageUrl));
  return { prompt: messages.map((message) => template(message, messages)), ...(images.length === 0 ? {} : { images }) };
}

/**
 * Chat templates require the arguments of a call as an object. If a message of the prompt has an image, the content of each is a list of
 * parts, because a column has one type; one part marks the position of the image.
 */
function template(message: ChatMessage, prompt: readonly ChatMessage[]): JsonObject {
  const row = wireMessage(message, 'object');
  if (prompt.every(({ images = [] }) => images.length === 0)) return row;
  const places = (message.images ?? []).map((): JsonObject => ({ type: 'image' }));
  return { ...row, content: [{ type: 'text', text: message.content }, ...places] };
}

/** Schemas of tools all differ, so they are written as text: TRL parses it, and a table can hold it. */
function toolsOf({ tools }: { readonly tools: readonly ToolSpec[] }): { readonly tools?: string } {
  return tools.length === 0 ? {} : { tools: JSON.stringify(tools.map((tool) => ({ type: 'function', function: tool }))) };
}
