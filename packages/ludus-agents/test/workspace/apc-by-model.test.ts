/** @file APC by a named inference model: labels are read by name, and a language model counts as one. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadScorer } from '@ludus-agents/evaluation/internal/loaders';
import { readNliLabels } from '@ludus-agents/evaluation/internal/scoring/small/onnx';
import { type EpisodeEvent, type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { afterAll, expect, it } from 'vitest';

const here = mkdtempSync(join(tmpdir(), 'ludus-'));
afterAll(() => rmSync(here, { recursive: true, force: true }));

const persona = { name: 'Mara', statements: ['Mara never drinks wine.'] } as Json;

async function scored(scorer: string) {
  const events: EpisodeEvent[] = [
    { kind: 'start', environment: 'chat@1', task: {}, seed: 0, seats: ['character'], cast: { character: 'x' } },
    { kind: 'message', to: ['character'], text: 'What do you drink, wine?' },
    { kind: 'action', seat: 'character', action: { text: 'I have wine every night.' } },
    { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
  ];
  const input = { episodes: [{ id: 'one', events }], seat: 'character', persona, rng: rng(0, 'test') };
  return (await (await loadScorer(scorer, here, Trust.commandLine)).score(input, new AbortController().signal))[0]!;
}

it('APC calls a language model and records it in the provenance', async () => {
  const against = await scored('apc=fake/contradicts');
  const following = await scored('apc=fake/entails');
  const none = await scored('apc=fake/who knows');
  expect(following.value).toBeGreaterThan(none.value as number);
  expect(against.value).toBeLessThan(following.value as number);
  expect(against.evidence[0]).toMatchObject({ supports: false });
  expect(against.provenance?.['nli']).toContain('fake');
  expect((await scored('apc')).provenance?.['nli']).toContain('lexical fallback');
});

it('readNliLabels maps the labels of a model by name, in any order', async () => {
  const write = (id2label: Json) => writeFileSync(join(here, 'config.json'), JSON.stringify({ id2label }));
  write({ 0: 'contradiction', 1: 'entailment', 2: 'neutral' });
  expect(await readNliLabels(here)).toEqual(['contradicts', 'entails', 'neutral']);
  write({ 0: 'LABEL_0', 1: 'LABEL_1', 2: 'LABEL_2' });
  await expect(readNliLabels(here)).rejects.toThrow(/entailment, neutral and contradiction/);
  await expect(loadScorer('apc=onnx:nowhere', here, Trust.commandLine)).rejects.toThrow(/id2label/);
});
