/** @file Prompts for verl as its parquet has them: one for each task, seed and seat, with what a reward function needs to play it. */

import type { JsonObject } from '@ludus-agents/kernel/internal/core/index';
import type { Columns, DatasetFormat } from './format.ts';
import { beginnings } from './trl.ts';
import { openingOf } from './words.ts';

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

export const verl: DatasetFormat = {
  about: 'verl parquet: prompts with data_source, ability, reward_model and extra_info',
  notes: [
    'Prompts only: nothing that was answered is in them. `reward_model.ground_truth` is JSON with the environment, task, seed and seat to play.',
    '`images` has the bytes of the pictures, in the order of the marks <image> in the prompt.',
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
            const spoke = chat.mask.filter((own) => own === 1).length;
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
