/** @file Findings of a comparison with people: none where there is nothing, and planted ones found. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import type { SurveyComparison } from '@ludus-agents/societies/internal/surveys/compare';
import { claimLevel } from '@ludus-agents/societies/internal/surveys/findings';
import { groupErrors } from '@ludus-agents/societies/internal/surveys/groups';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { folder, ludus } from '../terminal.cases.ts';

const items = ['trust', 'fear', 'pride', 'worry'] as const;
const labels = ['no', 'rather no', 'middle', 'rather yes', 'yes'];
const attributes = { age: ['young', 'middle', 'old'], region: ['north', 'south', 'west'], edu: ['school', 'degree'] };

type Person = { readonly traits: Readonly<Record<string, string>>; readonly codes: readonly number[]; readonly weight: number };
type Answering = (person: Pick<Person, 'traits'>, roll: number) => number;

const evenly: Answering = (_, roll) => 1 + Math.floor(roll * 5);

function peopleOf(seed: number, file: string, count: number, answer: Answering = evenly): readonly Person[] {
  const dice = rng(seed, 'survey', file);
  return Array.from({ length: count }, () => {
    const traits = Object.fromEntries(Object.entries(attributes).map(([name, values]) => [name, dice.pick(values)]));
    return { traits, codes: items.map(() => answer({ traits }, dice.next())), weight: 0.5 + dice.next() };
  });
}

function humanCsv(people: readonly Person[]): string {
  const names = Object.keys(attributes);
  const rows = people.map(({ traits, codes, weight }) => [...names.map((name) => traits[name]), ...codes, weight].join(','));
  return [[...names, ...items, 'weight'].join(','), ...rows].join('\n');
}

function answersCsv(people: readonly Person[]): string {
  const names = Object.keys(attributes);
  const head = ['person', 'name', ...names, 'weight', 'ballot', 'item', 'kind', 'status', 'code', 'answer', 'place', 'shown', 'episode'];
  const rows = people.flatMap(({ traits, codes, weight }, i) =>
    items.map((item, k) =>
      [
        ...[`p${i}`, '', ...names.map((name) => traits[name]), weight, '', item, 'scale', 'answered'],
        ...[codes[k], labels[codes[k]! - 1], k + 1, '1 2 3 4 5', ''],
      ].join(','),
    ),
  );
  return [head.join(','), ...rows].join('\n');
}

async function compareFiles(synthetic: readonly Person[], human: readonly Person[]): Promise<SurveyComparison> {
  const here = folder();
  writeFileSync(join(here, 'answers.csv'), answersCsv(synthetic));
  writeFileSync(join(here, 'people.csv'), humanCsv(human));
  const { out, err } = await ludus(here, ['survey', 'compare', 'answers.csv', '--human', 'people.csv', '--json']);
  expect(err).toBe('');
  return JSON.parse(out) as SurveyComparison;
}

describe('survey compare', () => {
  it('finds nothing in six comparisons of people with people', async () => {
    for (const seed of [1, 2, 3, 4, 5, 6].slice(0, amount(3, 6))) {
      const { cannot, groups } = await compareFiles(peopleOf(seed, 'synthetic', 300), peopleOf(seed, 'human', 120));
      expect(groups.length).toBeGreaterThan(20);
      // The sentence on how far one could see is always there.
      expect(cannot, `seed ${seed}`).toEqual([expect.stringMatching(/^With 120 people/)]);
    }
  });

  it('makes a false claim about a group in about one of a hundred comparisons', () => {
    const answersTo = (people: readonly Person[], k: number) =>
      people.map(({ codes, weight, traits }) => ({ code: codes[k]!, weight, attributes: traits }));
    let flagged = 0;
    for (let seed = 100; seed < amount(200, 300); seed++) {
      const [synthetic, human] = [peopleOf(seed, 'synthetic', 150), peopleOf(seed, 'human', 100)];
      const compared = items.map((item, k) => ({
        variable: { item, labels, kind: 'scale' as const },
        mine: answersTo(synthetic, k),
        theirs: answersTo(human, k),
      }));
      if (groupErrors(compared, Object.keys(attributes)).some(({ adjusted }) => adjusted < claimLevel)) flagged++;
    }
    expect(flagged).toBeLessThanOrEqual(amount(4, 6));
  });

  it('finds a deviating subgroup, with an interval around the truth', async () => {
    let hits = 0;
    for (const seed of [1, 2, 3, 4, 5, 6].slice(0, amount(2, 6))) {
      // In the north, synthetic people answer 3, 4 or 5; people answer 1 to 5. That is 0.25 of the scale.
      const planted: Answering = ({ traits }, roll) => (traits['region'] === 'north' ? 3 + Math.floor(roll * 3) : evenly({ traits }, roll));
      const { cannot, groups } = await compareFiles(peopleOf(seed, 'synthetic', 400, planted), peopleOf(seed, 'human', 300));
      const north = groups.filter(({ value }) => value === 'north');
      for (const { interval } of north) {
        expect(interval[0]).toBeLessThan(0.25 + 0.1);
        expect(interval[1]).toBeGreaterThan(0.25 - 0.1);
      }
      hits += north.filter(({ adjusted }) => adjusted < claimLevel).length;
      expect(cannot.join('\n')).toMatch(
        /among region north: 2\d\.\d points off \(95% \d+\.\d points to \d+\.\d points; p .* Holm's correction for 32 groups\)/,
      );
      const others = groups.filter(
        ({ attribute, value, adjusted }) => attribute === 'region' && value !== 'north' && adjusted < claimLevel,
      );
      expect(others).toEqual([]);
    }
    // 2 or 6 comparisons of 4 items.
    expect(hits).toBeGreaterThanOrEqual(amount(7, 23));
  });

  it('gives constant answers weight 0, and does not prefer the midpoint if it is equally close', async () => {
    const middle: Answering = () => 3;
    const { items: compared, cannot } = await compareFiles(peopleOf(1, 'synthetic', 200, middle), peopleOf(1, 'human', 120));
    for (const { rectified, wasserstein, floors } of compared) {
      expect(wasserstein).toBeCloseTo(floors.middle, 12);
      expect(rectified.map(({ lambda, correlation }) => [lambda, correlation])).toEqual([[0, null]]);
    }
    expect(cannot.join('\n')).toContain('too similar');
    expect(cannot.join('\n')).not.toContain('always choosing the middle');
    const extreme = await compareFiles(
      peopleOf(1, 'synthetic', 200, () => 5),
      peopleOf(1, 'human', 120),
    );
    expect(extreme.cannot.join('\n')).toContain('always choosing the middle answer would be closer');
    for (const { overMiddle } of extreme.items) {
      expect(overMiddle!.interval[0]).toBeGreaterThan(0);
      expect(overMiddle!.interval[0]).toBeLessThan(overMiddle!.difference);
      expect(overMiddle!.interval[1]).toBeGreaterThan(overMiddle!.difference);
      expect(overMiddle!.p).toBeLessThan(claimLevel / extreme.items.length);
    }
    // Neither file is closer if both are drawn in the same way.
    const alike = await compareFiles(peopleOf(1, 'synthetic', 200), peopleOf(1, 'human', 120));
    expect(alike.cannot.join('\n')).not.toContain('always choosing the middle');
  });

  it('says where the population gives people their answer, and compares no group by an answer', async () => {
    const here = folder();
    const people = Array.from({ length: 30 }, (_, i) => `${i % 2 === 0 ? 'north' : 'south'},${i % 3 === 0 ? 'yes' : 'no'}`);
    writeFileSync(join(here, 'people.csv'), ['region,satisfied', ...people].join('\n'));
    writeFileSync(join(here, 'q.json'), '{"name":"town","items":[{"id":"satisfied","text":"Satisfied?","options":["yes","no"]}]}');
    const asked = await ludus(here, ['survey', 'q.json', '--population', 'people.csv', '-n', '30', '--agent', 'fake', '-o', 'a.csv']);
    const warning = 'satisfied: the population has an attribute with this name';
    for (const text of [asked.err, asked.out]) expect(text).toContain(warning);
    const { out } = await ludus(here, ['survey', 'compare', 'a.csv', '--human', 'people.csv', '--json']);
    const { cannot, groups } = JSON.parse(out) as SurveyComparison;
    expect(cannot[0]).toContain(warning);
    expect(new Set(groups.map(({ attribute }) => attribute))).toEqual(new Set(['region']));
  });
});
