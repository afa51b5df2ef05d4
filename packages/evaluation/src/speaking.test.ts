import type { EpisodeEvent, EpisodeRecord } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { readSpeaking } from './speaking.ts';

describe('the rate at which an agent does what people did', () => {
  const record = (place: number, seed: number): EpisodeRecord => ({
    ...{ id: `${place}-${seed}`, run: 'r', environment: 'next-line@1', seed, status: 'over', events: 1, turns: 1, order: 0 },
    task: { character: 'user', history: [], source: place < 6 ? 'Yes.' : 'No.', watch: true },
    cast: { character: 'agent' },
    returns: {},
  });
  const store = { events: async (): Promise<EpisodeEvent[]> => [{ kind: 'action', seat: 'character', action: { text: 'Yes.' } }] };
  const spoken = async (repeats: number) => {
    const places = Array.from({ length: 12 }, (_, place) => Array.from({ length: repeats }, (_, seed) => record(place, seed))).flat();
    const tasks = places.map((item, i) => ({ ...item, task: { ...(item.task as object), history: [Math.floor(i / repeats)] } }));
    return (await readSpeaking(store, tasks, ['agent']))[0]!;
  };

  it('has an interval over situations, which repeated plays do not narrow', async () => {
    const [single, repeated] = [await spoken(1), await spoken(8)];
    expect([single.sameAct, single.both, repeated.sameAct, repeated.both]).toEqual([6, 12, 48, 96]);
    for (const i of [0, 1] as const) expect(repeated.actInterval[i]).toBeCloseTo(single.actInterval[i], 9);
  });
});
