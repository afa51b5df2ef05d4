/** @file Customers of a desk drawn from a population: all of them take part with their attributes, and success is reported by attribute. */

import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { describe, expect, it } from 'vitest';
import { castPopulation } from './desk-population.ts';
import { suiteOfDesk } from './desks.ts';
import { checkDesk } from './environment/check.ts';
import { deskCard } from './environment/customer.ts';
import { readDesk } from './environment/document.ts';
import { sampleInput } from './environment/sample.ts';

const desk = (population: unknown) => readDesk({ ...sampleInput, population });

describe('a desk with a population', () => {
  it('gives every person a case in the shares of the population, and keeps cases that have a persona', async () => {
    const cast = await castPopulation(desk({ of: 'customers', number: 20, seed: 1 }), '.', Trust.commandLine);
    const dealt = cast.tasks.filter(({ traits }) => traits !== undefined);
    expect(new Set(dealt.map(({ persona }) => persona)).size).toBe(20);
    const moods = Map.groupBy(dealt, ({ traits }) => traits?.['mood']);
    expect([moods.get('patient')?.length, moods.get('hurried')?.length, moods.get('angry')?.length]).toEqual([9, 7, 4]);
    expect(cast.tasks.filter(({ traits }) => traits === undefined).map(({ persona }) => persona)).not.toContain(null);
    // Every case of the desk is still played, and still solved by its gold calls.
    const left = sampleInput.tasks.filter(({ id }) => !cast.tasks.some((task) => task.id === id || task.id.startsWith(`${id}-`)));
    expect(left).toEqual([]);
    expect(checkDesk(cast).findings.filter(({ level }) => level === 'problem')).toEqual([]);
    expect(suiteOfDesk(cast).scenes.find(({ name }) => name === 'tasks')?.tasks.length).toBe(cast.tasks.length);
  });

  it('makes people speak and insist like the similar persona, and lists their traits on the card', async () => {
    const cast = await castPopulation(desk({ of: 'customers', number: 20, seed: 1 }), '.', Trust.commandLine);
    const angry = cast.tasks.find(({ traits }) => traits?.['mood'] === 'angry')!;
    const calm = cast.tasks.find(({ traits }) => traits?.['mood'] === 'patient')!;
    const [like, unlike] = [angry, calm].map((deskCase) => cast.personas.find(({ name }) => name === deskCase.persona)!);
    expect([like?.opening, like?.patience, unlike?.opening, unlike?.patience]).toEqual([
      'This is the third time I write to you!',
      2,
      '',
      1,
    ]);
    const card = deskCard({ name: 'Ann Archer', case: angry, persona: like!, voice: 0 });
    expect(card).toContain('This customer is angry today.');
    expect(card).toContain('ask again, 2 times at most');
    expect(card).not.toContain(angry.persona);
  });

  it('is the same desk without a population, and rejects one that leaves no case', async () => {
    const plain = readDesk(sampleInput);
    expect(await castPopulation(plain, '.', Trust.commandLine)).toBe(plain);
    const used = sampleInput.tasks.map((task) => ({ ...task, persona: 'angry' }));
    await expect(
      castPopulation(readDesk({ ...sampleInput, tasks: used, population: 'customers' }), '.', Trust.commandLine),
    ).rejects.toThrow(', but every case already has a persona.');
    await expect(castPopulation(desk('nobody-there'), '.', Trust.commandLine)).rejects.toThrow('nobody-there');
  });
});
