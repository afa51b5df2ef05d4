/**
 * @file What a server is asked in self-play, byte for byte: tokens, seeds, rows and their weights on a fixed seed. Whatever makes the client
 * quicker leaves it as it is; a recipe, an environment or a prompt that is changed on purpose changes it.
 */

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { afterAll, expect, it } from 'vitest';
import { TinkerServer } from '../../../../test/fixtures/tinker-server.ts';
import { override } from '../rl/recipe-overrides.ts';
import { builtInRecipe } from '../rl/recipes/index.ts';
import { createTrainer } from './trainer.ts';

const cwd = mkdtempSync(join(tmpdir(), 'server-requests-'));
afterAll(() => rmSync(cwd, { recursive: true }));

/** Single letters and some pieces of words, joined over whole texts, as in vocabularies of sentencepiece. */
function writeTokenizer(folder: string): readonly string[] {
  const letters = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
  const merges = ['▁ t', '▁t h', '▁th e', 'i n', 'o u', '. .', 'X .', '. X', 'O .', '[ 4', '▁ a', 'r e', '▁ ▁', 'e d', 'o n'];
  const vocabulary = ['<unk>', '<s>', '</s>', '▁', '\n', ...letters, ...merges.map((pair) => pair.replace(' ', ''))];
  const special = (id: number) => ({ id, content: vocabulary[id], special: true, normalized: false, lstrip: false, rstrip: false });
  const tokenizer = {
    added_tokens: [0, 1, 2].map(special),
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    pre_tokenizer: null,
    post_processor: null,
    decoder: { type: 'Sequence', decoders: [{ type: 'Replace', pattern: { String: '▁' }, content: ' ' }, { type: 'Fuse' }] },
    model: {
      type: 'BPE',
      vocab: Object.fromEntries(vocabulary.map((piece, id) => [piece, id])),
      merges,
      unk_token: '<unk>',
      fuse_unk: true,
    },
  };
  const chat =
    '{% for m in messages %}<|{{ m.role }}|>\n{{ m.content }}{{ eos_token }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}';
  mkdirSync(folder);
  writeFileSync(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(folder, 'tokenizer_config.json'), JSON.stringify({ chat_template: chat, eos_token: '</s>', unk_token: '<unk>' }));
  return vocabulary;
}

it('self-play sends the recorded requests to the server', async () => {
  const vocabulary = writeTokenizer(join(cwd, 'words'));
  const server = await new TinkerServer().start();
  server.extensions = ['prompts'];
  const tokensOf = (cell: number) =>
    [...(cell === 4 ? ['[4', ']'] : ['[', String(cell), ']']), '</s>'].map((piece) => vocabulary.indexOf(piece));
  // Cells of the board by the seeds that came, so that games go on for a while.
  server.twist = ({ name, body }, result) => {
    if (name !== 'asample') return result;
    const jobs = (body['prompts'] ?? [body]) as unknown as readonly { num_samples: number; sampling_params: { seed: number } }[];
    const sequences = jobs.flatMap(({ num_samples, sampling_params: { seed } }) =>
      Array.from({ length: num_samples }, (_, i) => {
        const tokens = tokensOf((seed + 5 * i) % 9);
        return { tokens, logprobs: tokens.map((_, at) => -0.25 - at / 8), stop_reason: 'stop' };
      }),
    );
    return { ...result, sequences };
  };
  const settings = [
    'training.learner=tinker',
    `training.server=${JSON.stringify({ url: server.url, base: 'tiny/bigram', rank: 4, tokenizer: './words' })}`,
    'training.environment=tic-tac-toe',
    'training.games=8',
    'training.batch=8',
  ];
  const trainer = await createTrainer(
    { recipe: override(builtInRecipe('spiral'), settings), seed: 3 },
    { trust: Trust.commandLine, cwd, folder: null },
  );
  await trainer.run(1);
  // Groups are played at the same time, so requests may come in another order, with other numbers.
  const asked = server.heard
    .filter(({ name }) => /asample|forward_backward|optim_step/.test(name))
    .map(({ name, body: { seq_id: _, ...body } }) => `${name} ${JSON.stringify(body)}`)
    .toSorted();
  expect(asked.length).toBe(21);
  expect(createHash('sha256').update(asked.join()).digest('hex')).toBe('a6146fd69d6539aa99b77d666a3c4030cb8fefb64ac7596a05567309d060e69b');
  expect(server.problems).toEqual([]);
  await server.close();
});
