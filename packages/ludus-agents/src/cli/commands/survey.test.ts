/** @file Surveys from the command line: asked, resumed, written and held against people. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCsv } from '@ludus-agents/kernel/internal/core/csv';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../terminal.cases.ts';

const here = folder();
const scale = ['no', 'rather no', 'neither', 'rather yes', 'yes'];
const questionnaire = {
  name: 'town',
  options: 'reversed',
  items: [
    { id: 'trust', kind: 'scale', text: 'People can be trusted.', options: scale, scale: 'trust' },
    { id: 'fear', kind: 'scale', text: 'One cannot be careful enough.', options: scale, scale: 'trust', reversed: true },
    { id: 'move', text: 'Will you move?', options: ['yes', 'no'] },
    { id: 'why', kind: 'open', text: 'Why?', when: { move: 'yes' } },
    { id: 'needs', kind: 'rank', text: 'What is needed?', options: ['quiet', 'shops', 'buses'], most: 2 },
    { id: 'uses', kind: 'multiple', text: 'What do you use?', options: ['library', 'park', 'market'] },
    { id: 'trust2', again: 'trust' },
  ],
};
writeFileSync(join(here, 'questionnaire.json'), JSON.stringify(questionnaire));
writeFileSync(
  join(here, 'spec.json'),
  JSON.stringify({ name: 'Folk', attributes: { gender: { female: 1, male: 1 }, age: { young: 3, old: 7 } } }),
);
const words = ['survey', './questionnaire.json', '--population', './spec.json', '-n', '20', '--agent', 'fake'];

describe('survey', () => {
  it('asks each person once, writes a row per person and item, and asks no one again', async () => {
    const first = await ludus(here, [...words, '-o', 'answers.csv', '--json']);
    expect(first.err).toContain('20 interviews to do');
    const report = JSON.parse(first.out);
    expect({ code: first.code, ...report }).toMatchObject({ code: 0, people: 20, items: 7, rows: 140, missing: 0, played: 20, before: 0 });
    expect(report.files).toEqual(['answers.csv', 'answers.codebook.csv', 'answers.R', 'answers.py', 'answers.sps']);
    const { columns, rows } = readCsv(readFileSync(join(here, 'answers.csv'), 'utf8'), 'answers.csv');
    expect(columns).toEqual('person name gender age weight ballot item kind status code answer place shown episode'.split(' '));
    expect(rows).toHaveLength(140);
    const at = (row: readonly string[], name: string) => row[columns.indexOf(name)]!;
    // People who don't move are not asked why they move.
    const movers = rows.filter((row) => at(row, 'item') === 'move' && at(row, 'answer') === 'yes').map((row) => at(row, 'person'));
    for (const row of rows.filter((row) => at(row, 'item') === 'why'))
      expect(at(row, 'status') === 'skipped').toBe(!movers.includes(at(row, 'person')));
    for (const row of rows.filter((row) => at(row, 'item') === 'needs' && at(row, 'status') === 'answered'))
      expect(at(row, 'code')).toMatch(/^[123] [123]$/);
    expect(new Set(rows.map((row) => at(row, 'shown')))).toContain('5 4 3 2 1');
    const book = readCsv(readFileSync(join(here, 'answers.codebook.csv'), 'utf8'), 'book');
    expect(book.rows.filter(([variable]) => variable === 'trust').map((row) => row.at(-1))).toEqual(scale);
    expect(report.checks.retest[0]).toMatchObject({ item: 'trust2', people: expect.any(Number) });
    expect(report.checks.acquiescence[0].scale).toBe('trust');
    expect(report.tables.find(({ item }: { item: string }) => item === 'trust').shares).toHaveLength(5);

    const again = await ludus(here, [...words, '-o', 'again.csv', '--json']);
    expect(JSON.parse(again.out)).toMatchObject({ played: 0, before: 20, missing: 0, spent: { calls: 0 } });
    expect(readFileSync(join(here, 'again.csv'), 'utf8')).toBe(readFileSync(join(here, 'answers.csv'), 'utf8'));
    const people = await ludus(here, [...words, '--by', 'gender']);
    expect(people.out).toMatch(/trust · female/);
  });

  it('stops on Ctrl-C and resumes with the answers of an uninterrupted survey', async () => {
    const asked = ['survey', './questionnaire.json', '--population', './spec.json', '-n', '40', '--agent', 'scripted:respondent', '--json'];
    const stopped = [...asked, '--store', 'stop.sqlite', '--concurrency', '2', '-o', 'stopped.csv'];
    let missing = 40;
    while (missing > 0) {
      const { out } = await ludus(here, stopped, {
        during: (interrupt, written) => void written(/interviews to do/).then(() => setImmediate(interrupt)),
      });
      missing = JSON.parse(out).missing;
    }
    expect(JSON.parse((await ludus(here, stopped)).out)).toMatchObject({ played: 0, before: 40, missing: 0 });
    const whole = JSON.parse((await ludus(here, [...asked, '--store', 'whole.sqlite', '-o', 'whole.csv'])).out);
    expect(readFileSync(join(here, 'stopped.csv'), 'utf8')).toBe(readFileSync(join(here, 'whole.csv'), 'utf8'));
    const store = await openStore(join(here, 'stop.sqlite'));
    for (const id of (await store.statuses(whole.run)).keys()) {
      const events = await store.events(id);
      const counted = (kind: string) => events.filter((event) => event.kind === kind).length;
      expect(counted('turn')).toBe(counted('action'));
    }
    await store.close();
  });

  it('asks a panel in waves, and shows changes on one page with plots, crosstabs, and programs', async () => {
    // Someone who trusts until the bridge falls, and then does not.
    writeFileSync(
      join(here, 'shaken.mjs'),
      `export default () => ({ name: 'shaken', async act({ ask, view, rng }) {
        const fell = view.seen.some((item) => item.kind === 'message' && item.text.includes('has fallen'));
        return { action: { text: ask.choices === undefined ? 'So.' : '[' + (fell ? 1 : 2 + rng.int(2)) + ']' } };
      } });`,
    );
    const waves = [{ name: 'spring' }, { name: 'autumn', told: 'The bridge <b>has fallen</b>.' }];
    const [trust] = questionnaire.items;
    writeFileSync(join(here, 'panel.json'), JSON.stringify({ name: 'panel', items: [{ ...trust, text: 'Trust & <i>care</i>?' }], waves }));
    const line = ['survey', './panel.json', '--population', './spec.json', '-n', '30', '--agent', './shaken.mjs', '--json'];
    const { code, out } = await ludus(here, [...line, '-o', 'panel.csv', '--report', 'panel.html']);
    const report = JSON.parse(out);
    expect({ code, ...report }).toMatchObject({ code: 0, rows: 60, missing: 0 });
    expect(report.panel).toHaveLength(1);
    expect(report.panel[0]).toMatchObject({ item: 'trust', from: 'spring', to: 'autumn', people: 30, lost: 0, changed: { value: 1 } });
    expect(report.panel[0].change.value).toBeCloseTo(-1.5, 0);
    expect(report.panel[0].change.interval[1]).toBeLessThan(-1.2);
    expect(report.tables.map(({ wave }: { wave: string }) => wave)).toEqual(['spring', 'autumn']);
    const { columns, rows } = readCsv(readFileSync(join(here, 'panel.csv'), 'utf8'), 'panel.csv');
    expect(columns).toContain('wave');
    expect(new Set(rows.map((row) => row[columns.indexOf('wave')]))).toEqual(new Set(['spring', 'autumn']));
    const page = readFileSync(join(here, 'panel.html'), 'utf8');
    for (const part of [
      '<svg',
      'From wave to wave',
      'By groups',
      'read.csv(',
      'import pandas',
      'VALUE LABELS',
      'Trust &amp; &lt;i&gt;care&lt;/i&gt;?',
    ])
      expect(page).toContain(part);
    expect(page).not.toContain('<i>care');
    expect(readFileSync(join(here, 'panel.sps'), 'utf8')).toContain("VALUE LABELS value.trust_autumn 1 'no' 2 'rather no'");
    // What was written is read back.
    writeFileSync(join(here, 'spring.csv'), 'trust\n1\n2\n3\n');
    expect((await ludus(here, ['survey', 'compare', 'panel.csv', '--human', 'spring.csv', '--json'])).code).toBe(0);
  });

  it('gives the same result with workers', async () => {
    const item = ['survey', './questionnaire.json', '--population', './spec.json', '-n', '6', '--agent', 'scripted:respondent'];
    await ludus(here, [...item, '--store', 'alone.sqlite', '-o', 'alone.csv']);
    await ludus(here, [...item, '--store', 'workers.sqlite', '--workers', '1', '-o', 'workers.csv']);
    expect(readFileSync(join(here, 'workers.csv'), 'utf8')).toBe(readFileSync(join(here, 'alone.csv'), 'utf8'));
  });

  it('writes Parquet, estimates its cost, and computes the floors', async () => {
    const estimate = await ludus(here, [...words.slice(0, 5), '500', '--estimate', '--json']);
    expect(JSON.parse(estimate.out)).toMatchObject({ people: 500, done: 0, estimate: { episodes: 500 } });
    expect(JSON.parse(estimate.out).estimate.calls.likely).toBeGreaterThan(3000);
    const middle = await ludus(here, [...words.slice(0, 5), '30', '--agent', 'scripted:middle', '-o', 'middle.parquet', '--json']);
    const { checks } = JSON.parse(middle.out);
    expect(readFileSync(join(here, 'middle.parquet')).subarray(0, 4).toString()).toBe('PAR1');
    expect(checks.sameness).toMatchObject({ straightLiners: 1, longestRun: 3 });
    expect(checks.sameness.items[0]).toMatchObject({ item: 'trust', deviation: 0, ratio: 0, mode: 1 });
    expect(checks.correlation.seen).toBeNull();
    const first = JSON.parse((await ludus(here, [...words.slice(0, 5), '60', '--agent', 'scripted:first', '--json'])).out);
    expect(first.checks.optionOrder.find(({ item }: { item: string }) => item === 'trust')).toMatchObject({ first: 1, last: 0 });
    const silent = JSON.parse((await ludus(here, [...words.slice(0, 5), '10', '--agent', 'scripted:refuser', '--json'])).out);
    expect(silent.checks.refusal[0]).toEqual({ item: 'trust', refused: 1, broken: 0, missing: 0 });
  });

  it.each<[readonly string[], string]>([
    [['survey', './questionnaire.json'], 'A survey needs people'],
    [['survey', './nothing.json', '--population', 'customers'], 'The questionnaire ./nothing.json cannot be read'],
    [[...words, '--by', 'height'], '--by: unknown attribute "height". Available: gender, age'],
    [[...words, '--by', 'gendr'], 'Did you mean "gender"?'],
    [['survey', './bad.json', '--population', 'customers'], 'the item "b" is asked after "c", but no item before it has that name'],
    [['survey', 'compare', 'answers.csv'], 'A comparison needs answers of people'],
    [['survey', 'compare', 'answers.codebook.csv', '--human', 'people.csv'], 'must be a table of answers with a column "person"'],
  ])('rejects %j with an explanation', async (line, why) => {
    writeFileSync(join(here, 'bad.json'), JSON.stringify({ items: [{ id: 'b', text: 'B?', options: ['x', 'y'], when: { c: 'x' } }] }));
    const { code, err } = await ludus(here, line);
    expect(code).toBe(2);
    expect(err).toContain(why);
  });

  it.each(['survey', 'survey compare', 'survey experiment', 'survey facts', 'survey extract', 'survey town'])(
    'help of %s has examples and fits the screen',
    async (name) => {
      const { code, out } = await ludus(here, [...name.split(' '), '--help'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
      expect(code).toBe(0);
      expect(out).toContain(`Usage: ludus ${name}`);
      for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    },
  );
});

describe('survey experiment', () => {
  it('runs its arms, finds the effect of an arm, and checks a second run against the registration', async () => {
    // An agent that follows what it reads: it says yes where the news is good.
    writeFileSync(
      join(here, 'told.mjs'),
      `export default () => ({ name: 'told', async act({ ask, view, rng }) {
        const good = view.seen.some((item) => item.kind === 'message' && item.text.includes('fallen'));
        const numbered = (ask.choices ?? []).filter((choice) => /^\\[\\d+\\]$/.test(choice));
        return { action: { text: numbered[Math.min(numbered.length - 1, rng.int(3) + (good ? 2 : 0))] ?? 'none' } };
      } });`,
    );
    const input = {
      name: 'framing',
      outcome: 'trust',
      number: 40,
      blocks: ['gender'],
      subgroups: ['age'],
      arms: { control: '', treated: 'Crime has fallen by half.' },
    };
    writeFileSync(join(here, 'plain.json'), JSON.stringify({ ...questionnaire, options: 'fixed', refusal: false }));
    writeFileSync(join(here, 'experiment.json'), JSON.stringify(input));
    const line = [
      'survey',
      'experiment',
      'experiment.json',
      '--questionnaire',
      'plain.json',
      '--population',
      './spec.json',
      '--agent',
      './told.mjs',
      '--register',
      'plan.json',
      '-o',
      'armed.csv',
      '--json',
    ];
    const first = JSON.parse((await ludus(here, line)).out);
    expect(first).toMatchObject({ deviations: [], people: 40, missing: 0, hash: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(first.effects[0]).toMatchObject({ arm: 'treated', subgroup: null, people: 40 });
    expect(first).toMatchObject({ unit: expect.any(String), powerAnswered: first.power });
    expect(first.means).toMatchObject([
      { arm: 'control', people: 20, missing: 0, interval: [expect.any(Number), expect.any(Number)] },
      { arm: 'treated', people: 20, missing: 0 },
    ]);
    expect(first.means[1].mean - first.means[0].mean).toBeCloseTo(first.effects[0].effect, 6);
    expect(first.effects[0].interval[0]).toBeGreaterThan(1);
    expect(first.effects[0].interval[1]).toBeLessThan(3);
    expect(first.effects.slice(1).map(({ subgroup }: { subgroup: string }) => subgroup)).toEqual(['age old', 'age young']);
    expect(JSON.parse(readFileSync(join(here, 'plan.json'), 'utf8')).hash).toBe(first.hash);
    // The table has everyone with their arm, so that the effect can be computed elsewhere.
    const [columns = '', ...cells] = readFileSync(join(here, 'armed.csv'), 'utf8').trim().split('\n');
    const arm = columns.split(',').indexOf('arm');
    expect(Object.groupBy(cells, (row) => row.split(',')[arm]!)).toMatchObject({
      control: { length: cells.length / 2 },
      treated: { length: cells.length / 2 },
    });
    expect(first.files).toContain('armed.R');
    writeFileSync(join(here, 'experiment.json'), JSON.stringify({ ...input, alpha: 0.1 }));
    const other = await ludus(here, line);
    expect(JSON.parse(other.out).deviations).toEqual(['alpha']);
    expect(other.err).toContain('This differs from the registration: alpha differ');
    expect((await ludus(here, line.slice(0, 3))).err).toContain('An experiment needs items and people');
    writeFileSync(
      join(here, 'broken.mjs'),
      `export default () => ({ name: 'broken', async act() { throw new Error('no answer today'); } });`,
    );
    writeFileSync(
      join(here, 'shaky.mjs'),
      `export default () => ({ name: 'shaky', async act({ rng }) {
        if (rng.int(4) === 0) throw new Error('no answer today');
        return { action: { text: '[' + (1 + rng.int(3)) + ']' } };
      } });`,
    );
    writeFileSync(join(here, 'experiment.json'), JSON.stringify({ ...input, subgroups: [] }));
    const shaky = await ludus(here, [...line.slice(0, 7), '--agent', './shaky.mjs', '--yes', '--json']);
    const { means, missing, power, powerAnswered } = JSON.parse(shaky.out);
    expect(shaky.code).toBe(1);
    expect(missing).toBeGreaterThan(0);
    expect(means[0].missing + means[1].missing + means[0].people + means[1].people).toBe(40);
    expect(powerAnswered).toBeLessThan(power);
    const failed = await ludus(here, [...words.slice(0, 5), '3', '--agent', './broken.mjs']);
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('no answer today') });
  });
});

describe('survey compare', () => {
  const items = { trust: scale, fear: scale };
  const human = (shift: number) => {
    const lines = ['gender,age,trust,fear,weight'];
    for (let i = 0; i < 120; i++) {
      const [gender, age] = [i % 2 === 0 ? 'female' : 'male', i % 10 < 3 ? 'young' : 'old'];
      const trust = 1 + ((i * 7 + shift) % 5);
      lines.push([gender, age, items.trust[trust - 1], 6 - trust, 1].join(','));
    }
    return lines.join('\n');
  };

  it('starts with the limits of the population, and rectifies', async () => {
    writeFileSync(join(here, 'people.csv'), human(0));
    await ludus(here, [...words.slice(0, 5), '200', '--agent', 'scripted:middle', '-o', 'flat.csv']);
    const { code, out } = await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'people.csv', '--json']);
    const found = JSON.parse(out);
    expect({ code, ...found }).toMatchObject({ code: 0, pairing: 'attributes', people: 120, synthetic: 200 });
    const trust = found.items.find(({ item }: { item: string }) => item === 'trust');
    expect(trust.totalVariation).toBeCloseTo(0.8, 6);
    expect(trust.wasserstein).toBeCloseTo(0.3, 6);
    expect(trust.deviationRatio).toBe(0);
    expect(trust.adjusted).toBeLessThan(0.05);
    // Predictions that never vary say nothing: the rectified figure is the people's own.
    expect(trust.rectified[0]).toMatchObject({ of: 'mean', lambda: 0, rectified: { value: expect.closeTo(3, 6) } });
    expect(found.correlations).toMatchObject({ people: expect.closeTo(1, 6), synthetic: 0 });
    expect(found.cannot[0]).toMatch(/^(trust|fear): /);
    expect(found.cannot.join('\n')).toContain('too similar');
    expect(found.cannot.join('\n')).toContain('Correlations between items');
    const text = await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'people.csv']);
    expect(text.out.split('\n')[0]).toBe('Limits of this population');
  });

  it('finds nothing if the answers are those of the people', async () => {
    const lines = ['person,name,gender,age,weight,ballot,item,kind,status,code,answer,place,shown,episode'];
    const { rows } = readCsv(human(0), 'people');
    rows.forEach(([gender, age, trust, fear], i) => {
      lines.push(
        [i, '', gender, age, 1, '', 'trust', 'scale', 'answered', items.trust.indexOf(trust as string) + 1, trust, 1, '1 2 3 4 5', ''].join(
          ',',
        ),
      );
      lines.push(
        [i, '', gender, age, 1, '', 'fear', 'scale', 'answered', fear, items.fear[Number(fear) - 1], 1, '1 2 3 4 5', ''].join(','),
      );
    });
    writeFileSync(join(here, 'same.csv'), lines.join('\n'));
    writeFileSync(join(here, 'people.csv'), human(0));
    const found = JSON.parse((await ludus(here, ['survey', 'compare', 'same.csv', '--human', 'people.csv', '--json'])).out);
    expect(found.cannot).toHaveLength(1);
    expect(found.cannot[0]).toMatch(/^With 120 people, differences below/);
    expect(found.items[0]).toMatchObject({ totalVariation: 0, adjusted: 1 });
  });

  it('compares demographics if the people have no answers, and says so first', async () => {
    await ludus(here, ['persona', 'sample', './spec.json', '-n', '30', '--exact', '-o', 'who.csv']);
    const { code, out } = await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'who.csv', '--json']);
    const found = JSON.parse(out);
    expect({ code, ...found }).toMatchObject({ code: 0, items: [] });
    expect(found.cannot).toEqual([expect.stringMatching(/^The file of people has no answers/)]);
    expect(found.composition.find(({ attribute }: { attribute: string }) => attribute === 'age')).toMatchObject({
      difference: expect.closeTo(0, 6),
      values: [
        { value: 'old', synthetic: expect.closeTo(0.7, 6), people: expect.closeTo(0.7, 6) },
        { value: 'young', synthetic: expect.closeTo(0.3, 6), people: expect.closeTo(0.3, 6) },
      ],
    });
    expect((await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'who.csv'])).out).toMatch(/gender +female +50\.0%/);
    writeFileSync(join(here, 'who.csv'), 'age,gender\nyoung,male\nyoung,female\n');
    const other = JSON.parse((await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'who.csv', '--json'])).out);
    expect(other.cannot[1]).toMatch(/^age: the real and the synthetic people differ/);
    writeFileSync(join(here, 'who.csv'), 'height\ntall\n');
    expect((await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'who.csv'])).err).toContain('no column for any item');
  });

  it('rejects answers that an item does not have', async () => {
    writeFileSync(join(here, 'odd.csv'), 'trust\nperhaps\n');
    const { code, err } = await ludus(here, ['survey', 'compare', 'flat.csv', '--human', 'odd.csv']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('odd.csv: row 2: "perhaps" is not an answer to trust. Its answers are 1 "no"'),
    });
  });
});

describe('survey experiment in an environment', () => {
  it('plays every arm on the same seeds, and finds the effect of forgetting on news', async () => {
    const input = {
      name: 'nights',
      environment: 'town',
      task: { people: 4, days: 2, hours: 2, plan: false },
      arms: { full: {}, memoryless: { memory: false } },
      outcome: 'know',
      number: 12,
      effect: 1,
    };
    writeFileSync(join(here, 'nights.json'), JSON.stringify(input));
    const line = [
      'survey',
      'experiment',
      'nights.json',
      '--agent',
      'scripted:gossip',
      '--register',
      'nights-plan.json',
      '-o',
      'nights.csv',
      '--json',
    ];
    const first = await ludus(here, line);
    const found = JSON.parse(first.out);
    expect({ code: first.code, ...found }).toMatchObject({ code: 0, missing: 0, deviations: [] });
    expect(first.err).toMatch(/24 episodes in 2 arms · power 0\.8/);
    expect(found.means.map(({ episodes }: { episodes: number }) => episodes)).toEqual([12, 12]);
    expect(found.effects[0]).toMatchObject({ arm: 'memoryless', people: 12, clusters: 12 });
    expect(found.effects[0].effect).toBeLessThan(0);
    const [columns, ...cells] = readFileSync(join(here, 'nights.csv'), 'utf8').trim().split('\n');
    expect([columns?.startsWith('arm,seed,'), columns?.includes(',know'), cells.length]).toEqual([true, true, 24]);
    // What was played is not played again.
    expect(JSON.parse((await ludus(here, line)).out).effects).toEqual(found.effects);
    writeFileSync(join(here, 'nights.json'), JSON.stringify({ ...input, outcome: 'height' }));
    expect((await ludus(here, line)).err).toMatch(/"height" is not a figure that the environment reports at its end\. Available: .*know/);
    writeFileSync(join(here, 'nights.json'), JSON.stringify({ ...input, arms: { a: '', b: 'text' } }));
    expect((await ludus(here, line)).err).toContain('" must be an object with the task parameters');
  });
});

describe('survey town', () => {
  it('measures the effect of memory in one command, on the same seeds', async () => {
    const line = ['survey', 'town', '--people', '6', '--hours', '3', '-n', '6', '--json', '--store', 'town.sqlite'];
    const { code, out } = await ludus(here, line);
    const found = JSON.parse(out);
    expect({ code, ...found }).toMatchObject({ code: 0, missing: 0 });
    const { means, effects } = found.outcomes.believable;
    // A villager who remembers answers all that there is to remember; one who does not has lost the first day.
    expect(means[0]).toEqual({ arm: 'full', mean: expect.closeTo(1, 6), episodes: 6 });
    const without = (arm: string) => effects.find((effect: { arm: string }) => effect.arm === arm);
    expect(without('no memory').interval[1]).toBeLessThan(-0.1);
    expect(without('no reflection').effect).toBeCloseTo(0, 9);
    expect(found.curves.full).toHaveLength(7);
    expect(found.curves['no memory'].at(-1)).toBeLessThan(found.curves.full.at(-1));
    expect((await ludus(here, line)).out).toBe(out);
    expect((await ludus(here, [...line.slice(0, 8), '--store', 'town.sqlite'])).out).toMatch(/no memory +\d/);
  });

  it('reports where it was stopped, and resumes there', async () => {
    const line = [
      'survey',
      'town',
      '--people',
      '4',
      '--hours',
      '2',
      '-n',
      '4',
      '--concurrency',
      '1',
      '--json',
      '--store',
      'stopped-town.sqlite',
    ];
    const during = (interrupt: () => void, written: (text: RegExp) => Promise<unknown>) =>
      void written(/episodes of/).then(() => setImmediate(interrupt));
    const { code, err } = await ludus(here, line, { during });
    expect(code).toBe(130);
    expect(err).toMatch(/Stopped in \d of 5 arms\. Run the same command to resume\.\n$/);
    expect(await ludus(here, line)).toMatchObject({ code: 0, out: expect.stringContaining('"missing":0') });
  });
});

describe('survey facts', () => {
  it('reports that people with random answers do not know their facts', async () => {
    const chance = await ludus(here, ['survey', 'facts', './spec.json', '-n', '40', '--agent', 'scripted:respondent']);
    expect(chance.code).toBe(1);
    expect(chance.out).toMatch(/gender +\S+% /);
  });
});

describe('survey extract', () => {
  it('finds values with quotes by patterns, and calls a model only for the rest', async () => {
    const schema = (fields: readonly object[]) => writeFileSync(join(here, 'fields.json'), JSON.stringify({ fields }));
    const { run } = JSON.parse(
      (
        await ludus(here, [
          'survey',
          './questionnaire.json',
          '--population',
          './spec.json',
          '-n',
          '2',
          '--agent',
          'scripted:first',
          '--json',
        ])
      ).out,
    );
    schema([
      { name: 'first', kind: 'number', pattern: '\\[(\\d+)\\]' },
      { name: 'flew', kind: 'yesno', pattern: 'I flew' },
    ]);
    const { code, out } = await ludus(here, ['survey', 'extract', run, '--schema', 'fields.json', '--json', '-o', 'found.csv']);
    expect({ code, ...JSON.parse(out) }).toMatchObject({ code: 0, fields: { first: { found: 2 }, flew: { none: 2 } } });
    expect(readCsv(readFileSync(join(here, 'found.csv'), 'utf8'), 'found').columns).toContain('quote');
    schema([{ name: 'mood', about: 'how they feel' }]);
    expect((await ludus(here, ['survey', 'extract', run, '--schema', 'fields.json'])).err).toContain(
      'Some fields have no pattern. Pass a model that',
    );
    schema([{ name: 'mood', kind: 'one', of: ['glad'] }]);
    expect((await ludus(here, ['survey', 'extract', run, '--schema', 'fields.json'])).err).toContain(
      'needs at least two values in "of", but has 1',
    );
  });
});
