import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { readEpisodes } from '@ludus-agents/kernel/internal/core/index';
import { memoryStore } from '@ludus-agents/store/internal/open-store';
import { expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';

it('evaluate recognizes the scene of every stored episode, even if scenes differ only in the persona', async () => {
  const store = memoryStore();
  const options = { trust: Trust.commandLine, suite: 'persona-core', agents: ['scripted'], seeds: 1, store };
  const first = await evaluate(options);
  const again = await evaluate(options);
  expect(again).toMatchObject({ played: 0, scoring: { scored: 0, before: first.played } });
  expect(again.agents).toEqual(first.agents);
  const records = await store.episodes({ run: first.run });
  const places = records.map(({ environment, task, cast }) => JSON.stringify([environment, task, cast]));
  const stored = await readEpisodes(
    store,
    records.map(({ id }) => id),
    { scores: true },
  );
  const scenes = [...stored.values()].map(({ scores }) => scores.find(({ name }) => name === 'result')?.provenance?.['scene']);
  // The control: by environment, task and cast alone some of these scenes could not be distinguished.
  expect(new Set(places).size).toBeLessThan(new Set(places.map((place, i) => `${place} ${scenes[i]}`)).size);
  for (const { scenes: sceneStandings, episodes } of again.agents)
    expect(sceneStandings.reduce((sum, scene) => sum + scene.episodes, 0)).toBe(episodes);
  expect(scenes).not.toContain(undefined);
});
