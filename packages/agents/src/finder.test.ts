/** @file The finder: by meaning with an encoder, by words without one, and what it says about that. */

import { rng, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { finderAgent } from './finder.ts';

const documents = [
  { id: 'soil.md', title: 'Soil', text: '# Soil\n\nClay holds rain.' },
  { id: 'ward.md', title: 'Ward', text: '# Ward\n\nVisits are at three.\n\nThe physician looks after patients.' },
];
const turn = (query: string, data: unknown = documents) =>
  ({
    view: { seat: 'finder', seen: [{ kind: 'message', to: ['finder'], text: 'Rank.', data }] },
    ask: { seat: 'finder', data: { query, results: 2 } },
    rng: rng(1),
  }) as Turn;
const never = new AbortController().signal;

/** Knows that a doctor is a physician, and nothing else. */
const encoder = {
  name: 'two words',
  embed: async (texts: readonly string[]) => texts.map((text) => (/doctor|physician/i.test(text) ? [1, 0] : [0, 1])),
  calibration: async () => [0.1, 0.9] as const,
};

describe('the finder', () => {
  it('finds a document by its best passage and names the encoder', async () => {
    expect((await finderAgent('f', encoder).act(turn('doctor'), never)).action).toEqual({ text: 'ward.md', data: { by: 'two words' } });
  });

  it('finds shared words without an encoder, and nothing where there are none', async () => {
    expect((await finderAgent('f').act(turn('clay'), never)).action).toEqual({ text: 'soil.md', data: { by: 'words' } });
    expect((await finderAgent('f').act(turn('doctor'), never)).action.text).toBe('none');
  });

  it('fails on a seat that shows no documents', async () => {
    await expect(finderAgent('f').act(turn('doctor', null), never)).rejects.toThrow('finds documents of library');
  });
});
