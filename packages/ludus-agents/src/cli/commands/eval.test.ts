/** @file Suites, scores, comparisons, judges and reports from the command line. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import type { AgentAdaptation } from '@ludus-agents/evaluation/internal/adaptation';
import { scoreRun } from '@ludus-agents/evaluation/internal/score-run';
import { openStore } from '@ludus-agents/store/internal/open-store';
import { beforeAll, describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { exits } from '../command.ts';
import { folder, interruptUnderWay, ludus } from '../terminal.cases.ts';

/** What a command printed for a machine: one line of JSON and nothing else. */
async function json<T>(cwd: string, ...words: string[]): Promise<T> {
  const { code, out, err } = await ludus(cwd, [...words, '--json']);
  expect({ code, err: err.includes('✗') ? err : '' }).toEqual({ code: exits.fine, err: '' });
  expect(out.trim().split('\n')).toHaveLength(1);
  return JSON.parse(out) as T;
}

interface Evaluated {
  readonly run: string;
  readonly played: number;
  readonly before: number;
  readonly floorAgent: string;
  readonly agents: readonly {
    readonly agent: string;
    readonly isNull: boolean;
    readonly value: number | null;
    readonly missing: number;
    readonly lift: { readonly value: number; readonly interval: readonly [number, number] } | null;
    readonly pass: Readonly<Record<string, number>>;
    readonly scenes: readonly { readonly scene: string; readonly episodes: number; readonly interval: readonly number[] }[];
  }[];
}

describe('a model that cannot be called', () => {
  it.each(['eval', 'test'])('stops %s after a bounded number of failed calls over all scenes', async (command) => {
    const here = folder();
    expect((await ludus(here, ['new', 'desk', 'shop'])).code).toBe(0);
    writeFileSync(
      join(here, 'gone.mjs'),
      "export const gone = { id: 'gone', complete: async () => { throw new Error('nobody there'); } };",
    );
    const words = [command, './shop', '--agents', 'llm:./gone.mjs', '--seeds', '1', '--concurrency', '1', '--yes', '--json'];
    const { code, out } = await ludus(here, words);
    expect(code).toBe(exits.found);
    expect(JSON.parse(out)).toMatchObject({ code: 'E_CALLS_FAILED', error: expect.stringContaining('nobody there') });
    const episodes = await ludus(here, ['list', 'episodes', '--agent', 'llm:./gone.mjs', '--limit', '100', '--json']);
    expect((JSON.parse(episodes.out) as unknown[]).length).toBeLessThanOrEqual(51);
  });
});

describe('eval of an environment that changes', () => {
  it('reports the drop and the recovery of an adaptive agent, and no recovery of a stubborn one', async () => {
    const here = folder();
    const words = ['eval', 'adaptability-core', '--agents', 'scripted', '--seeds', '2'];
    const { adaptation } = await json<{ adaptation: readonly AgentAdaptation[] }>(here, ...words);
    const of = (agent: string, scene: string) => adaptation.find((row) => row.agent === agent && row.scene === `change of ${scene}`)!;
    for (const scene of ['population', 'goal', 'dynamics']) {
      expect(of('scripted', scene).cameBack).toBe(2);
      expect(of('scripted:stubborn', scene)).toMatchObject({ before: 1, recovery: 0, cameBack: 0, steps: null });
    }
    // Where nothing changes, nothing is lost, so there is nothing to make good.
    expect(of('scripted', 'none')).toMatchObject({ drop: 0, recovery: null, steps: 0 });
    expect((await ludus(here, words)).out).toMatch(
      /scene +agent +before +drop +made good +came back +steps\n.*change of dynamics +scripted +100\.0/,
    );
  });
});

describe('eval', () => {
  let here = '';
  let first: Evaluated;
  beforeAll(async () => {
    here = folder();
    first = await json(here, 'eval', 'games-core', '--agents', 'random,scripted', '--seeds', '4', '--store', 's.sqlite');
  });

  it('plays, scores, and ranks with null agents, floors, and no missing values', () => {
    expect(first.floorAgent).toBe('random');
    expect(first.agents.map(({ agent, isNull }) => [agent, isNull])).toEqual([
      ['scripted', false],
      ['random', true],
    ]);
    const [scripted, random] = first.agents as [Evaluated['agents'][number], Evaluated['agents'][number]];
    expect(scripted.scenes).toHaveLength(8);
    expect([scripted.missing, random.missing]).toEqual([0, 0]);
    expect(scripted.lift?.interval[0]).toBeGreaterThan(0);
    expect(scripted.pass['1']).toBeGreaterThan(random.pass['1']!);
    expect(scripted.scenes.every(({ episodes, interval }) => episodes >= 4 && interval.length === 2)).toBe(true);
  });

  it.each(['', ' , '])('rejects an empty list of agents: %j', async (agents) => {
    const { code, err } = await ludus(folder(), ['eval', 'games-core', '--agents', agents]);
    expect([code, err]).toEqual([2, expect.stringContaining('--agents is empty')]);
  });

  it('plays nothing again, and adds seeds and agents to a run', async () => {
    const again = await json<Evaluated>(here, 'eval', 'games-core', '--agents', 'scripted', '--seeds', '4', '--store', 's.sqlite');
    expect(again).toMatchObject({ run: first.run, played: 0, before: first.played });
    expect(again.agents).toEqual(first.agents);
  });

  it('compares agents in plain language, including an agent with its twin', async () => {
    const match = await json<{ words: string; better: string; score: string }>(
      here,
      'compare',
      'scripted',
      'random',
      '--store',
      's.sqlite',
    );
    expect(match).toMatchObject({ better: 'scripted', score: 'result', paired: true, missing: 0, unpaired: 0 });
    expect(match.words).toMatch(/^scripted is better than random by [\d.]+ points \(95% [\d.]+ to [\d.]+\) over 60 paired episodes\./);
    const same = await json<{ words: string }>(here, 'compare', 'random', 'random', '--store', 's.sqlite');
    expect(same).toMatchObject({ better: null, difference: 0 });
    expect(same.words).toMatch(/^No significant difference/);
    const { code, err } = await ludus(here, ['compare', 'scripted', 'nobody', '--store', 's.sqlite']);
    expect(code).toBe(exits.input);
    expect(err).toContain('No agent and no run called "nobody"');
  });

  it('scores a run again without playing, with other rules on request', async () => {
    expect(await json(here, 'score', 'games-core', '--store', 's.sqlite')).toMatchObject({
      suite: 'games-core',
      scored: 0,
      before: first.played,
    });
    expect(await json(here, 'score', 'games', '--scorers', 'expense', '--store', 's.sqlite')).toMatchObject({ scored: first.played });
    const { code, err } = await ludus(here, ['score', 'games', '--scorers', 'exspense', '--store', 's.sqlite']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('Did you mean "expense"?')]);
  });

  it('writes reports as HTML, Markdown, and JSON', async () => {
    const observation = await json<{ file: string; bytes: number }>(here, 'report', first.run, '--store', 's.sqlite', '-o', 'report.html');
    expect(observation).toMatchObject({ run: first.run, format: 'html', episodes: first.played });
    const page = readFileSync(join(here, 'report.html'), 'utf8');
    expect(page).toContain('Worst and best moments');
    expect(page).toContain('twenty-questions');
    expect(page).not.toMatch(/<script/i);
    expect((await ludus(here, ['report', 'games-core', '--format', 'md', '--store', 's.sqlite'])).out).toMatch(/^# games-core-/);
    const data = await json<{ standings: { floorAgent: string } }>(here, 'report', 'games-core', '--store', 's.sqlite');
    expect(data.standings.floorAgent).toBe('random');
    const { code, err } = await ludus(here, ['report', 'games-core', '--format', 'pdf', '--store', 's.sqlite']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('--format: expected one of html, md, json')]);
  });

  it('prints a table', async () => {
    const { out } = await ludus(here, ['eval', 'games-core', '--agents', 'scripted', '--seeds', '4', '--store', 's.sqlite']);
    expect(out).toMatch(/^scripted +[\d.]+ +[\d.]+ to [\d.]+ +\+[\d.]+/m);
    expect(out).toMatch(/^random · .*the floor/m);
    expect(out).toContain('No score is missing.');
  });

  // The studio's test of its demonstrations plays service-core, too.
  it.each(['service-core', 'social-core', 'privacy-core', 'persona-core'].slice(amount(1, 0)))(
    'plays %s, in which real agents beat null agents',
    async (name) => {
      const evaluated = await json<Evaluated>(folder(), 'eval', name, '--agents', 'scripted', '--seeds', '1');
      const tried = evaluated.agents.find(({ agent }) => agent === 'scripted');
      expect(evaluated.agents.filter(({ isNull }) => isNull).length).toBeGreaterThan(1);
      expect(tried?.missing).toBe(0);
      // The scripted subject of an interview answers by its dice: it cannot beat chance there.
      if (name !== 'persona-core') expect(tried?.lift?.value).toBeGreaterThan(0.1);
    },
  );

  it('plays a custom suite with custom agents, and explains errors in them', async () => {
    const ownText = folder();
    const scene = { environment: 'tic-tac-toe', seats: ['X'], others: { '*': 'random' }, scale: [-1, 1] };
    writeFileSync(join(ownText, 'suite.json'), JSON.stringify({ name: 'mine', seeds: 5, nulls: ['random'], scenes: [scene] }));
    writeFileSync(join(ownText, 'ada.json'), JSON.stringify({ name: 'Ada', kind: 'scripted:minimax' }));
    const evaluated = await json<Evaluated>(ownText, 'eval', 'suite.json', '--agents', 'ada.json');
    expect(evaluated.agents.map(({ agent }) => agent)).toEqual(['Ada', 'random']);
    expect(await json(ownText, 'score', 'mine', '--suite', 'suite.json')).toMatchObject({ suite: 'mine', before: 10 });
    writeFileSync(join(ownText, 'odd.json'), JSON.stringify({ name: 'odd', nulls: ['random'], scenes: [{ ...scene, score: 'wisdom' }] }));
    const slips: readonly (readonly [readonly string[], string])[] = [
      [['eval', 'game-core'], 'Did you mean "games-core"?'],
      [['eval', 'odd.json'], 'Unknown scorer "wisdom"'],
      [['eval', 'none.json'], 'File not found'],
      [['eval', 'games-core', '--agents', 'wizard'], 'Unknown agent "wizard"'],
      [['eval', 'games-core', '--agents', 'human'], 'cannot be played by people'],
      [['eval', 'games-core', '--agents', 'random,random'], 'Two agents are named "random"'],
    ];
    for (const [words, sentence] of slips) {
      const { code, err } = await ludus(ownText, words);
      expect([code, err]).toEqual([exits.input, expect.stringContaining(sentence)]);
    }
    // Nothing was played for a suite that could not be scored.
    expect((await json<readonly { id: string }[]>(ownText, 'list', 'runs')).map(({ id }) => id.split('-')[0])).toEqual(['mine']);
  });
});

describe('Ctrl-C', () => {
  const words = ['eval', 'games-core', '--agents', 'scripted', '--seeds', '2000', '--json'];

  it('stops an evaluation with partial results, which the same command resumes', async () => {
    const here = folder();
    const { code, out, err } = await ludus(here, words, { during: interruptUnderWay(here) });
    expect(code).toBe(exits.interrupted);
    expect(err).toContain('Stopping. Press Ctrl-C again to quit immediately.');
    const { played, stopped } = JSON.parse(out) as { played: number; stopped: string };
    expect(stopped).toBe('signal');
    expect(played).toBeGreaterThan(0);
    const outcome = await ludus(here, ['list', 'runs', '--json']);
    expect(JSON.parse(outcome.out)).toMatchObject([{ ended: played }]);
  });

  it('quits an evaluation immediately when pressed twice', async () => {
    const here = folder();
    const { code, out } = await ludus(here, words, { during: interruptUnderWay(here, 2) });
    expect([code, out]).toEqual([exits.interrupted, '']);
  });

  it('stops scoring too', async () => {
    const here = folder();
    await json(here, 'eval', 'games-core', '--agents', 'random', '--seeds', '2');
    const store = await openStore(join(here, '.ludus', 'ludus.sqlite'));
    const run = (await store.episodes({ limit: 1 }))[0]?.run ?? '';
    const scoring = { trust: Trust.commandLine, store, run, suite: null, sceneOf: () => null, scorers: ['form'] };
    expect(await scoreRun({ ...scoring, options: { signal: AbortSignal.abort() } })).toMatchObject({ scored: 0, stopped: true });
    const controller = new AbortController();
    const deaf = scoreRun({ ...scoring, options: { signal: controller.signal } });
    // Comes as a Ctrl-C does, between two rounds of the event loop.
    setImmediate(() => controller.abort());
    expect(await deaf).toMatchObject({ stopped: true });
    expect(await scoreRun(scoring)).toMatchObject({ scored: 30, stopped: false });
    await store.close();
  });
});

describe('small models', () => {
  it('score with the personas of the suite after its rules, and state that they only match words', async () => {
    const here = folder();
    await json(here, 'eval', 'persona-core', '--agents', 'scripted', '--seeds', '1', '--store', 's.sqlite');
    const words = ['score', 'persona-core', '--scorers', 'apc,relevance,return', '--store', 's.sqlite'];
    expect(await json<{ scored: number }>(here, ...words)).toMatchObject({ suite: 'persona-core', stopped: false });
    const store = await openStore(join(here, 's.sqlite'));
    const episodes = await store.episodes({ limit: 1000 });
    const inputs = await Promise.all(episodes.map(({ id }) => store.scores(id)));
    await store.close();
    for (const name of ['apc', 'relevance']) {
      const scores = inputs.flat().filter((score) => score.name === name);
      expect(scores.length).toBeGreaterThan(4);
      for (const { value, floor, provenance } of scores) {
        expect(value !== null && value >= 0 && value <= 1).toBe(true);
        expect(floor).toBeTypeOf('number');
        expect(JSON.stringify(provenance)).toContain('lexical');
      }
    }
    for (const scores of inputs) {
      const names = scores.map(({ name }) => name);
      const small = names.findIndex((name) => name === 'apc' || name === 'relevance');
      if (small >= 0) expect(names.lastIndexOf('return', small)).toBeGreaterThanOrEqual(0);
    }
  });
});

describe('power', () => {
  it('computes the episodes that detect 5 points, fewer if agents are paired', async () => {
    // Two rates of 0.5 and 0.55: (1.95996 + 0.84162)² · (0.25 + 0.2475) / 0.0025, rounded up.
    const match = await json(folder(), 'eval', 'power', '--difference', '0.05');
    expect(match).toMatchObject({
      rate: 0.5,
      power: 0.8,
      alpha: 0.05,
      episodes: { unpaired: Math.ceil((7.84888 * 0.4975) / 0.0025), paired: 781 },
    });
    expect((await ludus(folder(), ['eval', 'power', '--difference', '5'])).code).toBe(exits.input);
    expect((await ludus(folder(), ['eval', 'power', '--difference', '0.1', '--correlation', '3'])).err).toContain('from −1 to 1');
  });
});

interface Card {
  readonly grade: string;
  readonly reasons: readonly string[];
}

/** What `ludus judge trust coser` says of a control judge; asked once of each, since two tests want it. */
const cards = new Map<string, Promise<Card>>();
function cardOf(judge: string): Promise<Card> {
  const card = cards.get(judge) ?? json<Card>(folder(), 'judge', 'trust', 'coser', '--judge', `fake:${judge}`);
  cards.set(judge, card);
  return card;
}

describe('trust', () => {
  it.each([
    ['honest', 'A', 'found 60 of 60 planted flaws'],
    ['constant', 'C', 'saw no difference'],
  ])('gives the %s judge grade %s with a reason', async (judge, grade, why) => {
    const card = await cardOf(judge);
    expect(card.grade).toBe(grade);
    expect(card.reasons.join(' ')).toContain(why);
  });

  it('detects a judge that depends on position', async () => {
    const card = await json<Card>(folder(), 'judge', 'trust', 'character-box', '--judge', 'fake:position');
    expect(card.grade).toBe('C');
    const { code, err } = await ludus(folder(), ['judge', 'trust', 'coser', '--judge', 'fake:wise']);
    expect([code, err]).toEqual([exits.input, expect.stringContaining('Unknown control judge "fake:wise"')]);
    expect((await ludus(folder(), ['judge', 'trust', 'cozer', '--judge', 'fake:honest'])).err).toContain('Did you mean "coser"?');
  });

  it('scores with a judge after the rules, if one is given', async () => {
    const here = folder();
    await json(here, 'eval', 'persona-core', '--agents', 'scripted', '--seeds', '1');
    const plain = await ludus(here, ['score', 'persona-core', '--rubric', 'coser']);
    expect([plain.code, plain.err]).toEqual([exits.input, expect.stringContaining('needs both --rubric')]);
    const judged = await json<{ scored: number; judges: readonly { replies: number }[] }>(
      here,
      'score',
      'persona',
      '--rubric',
      'coser',
      '--judge',
      'fake:honest',
    );
    expect(judged.scored).toBeGreaterThan(0);
    expect(judged.judges).toEqual([{ judge: 'control/honest', rubric: 'coser', replies: expect.any(Number), unreadable: 0 }]);
    expect(judged.judges[0]?.replies).toBeGreaterThan(0);
    // What a judge has said is not paid for twice.
    const again = await json(here, 'score', 'persona', '--rubric', 'coser', '--judge', 'fake:honest');
    expect(again).toMatchObject({ scored: 0, before: judged.scored });
    const report = await json<{ lines: readonly { name: string }[] }>(here, 'report', 'persona');
    // No agent is ranked by a judge's score unless that judge has an A.
    const ranked = ['compare', 'scripted', 'random', '--score', 'judge/coser'];
    expect((await ludus(here, ranked)).err).toContain('control/honest under coser@1 may not rank without a trust card');
    for (const name of ['honest', 'constant']) writeFileSync(join(here, `${name}.json`), JSON.stringify(await cardOf(name)));
    const wrong = await ludus(here, [...ranked, '--card', 'constant.json']);
    expect([wrong.code, wrong.err]).toEqual([exits.input, expect.stringContaining('may not rank: the card is for another judge')]);
    const spoiled = JSON.parse(readFileSync(join(here, 'honest.json'), 'utf8')) as object;
    writeFileSync(join(here, 'poor.json'), JSON.stringify({ ...spoiled, grade: 'B' }));
    expect((await ludus(here, [...ranked, '--card', 'poor.json'])).err).toContain('its grade is B, but grade A is required');
    expect((await ludus(here, ['report', 'persona', '--score', 'judge/coser'])).code).toBe(exits.input);
    expect(await json(here, ...ranked, '--card', 'honest.json')).toMatchObject({ score: 'judge/coser' });
    expect(report.lines.map(({ name }) => name)).toContain('judge/coser');
    // Another judge under the same rubric is said to be one, and its verdicts count from now on.
    const other = await ludus(here, ['score', 'persona', '--rubric', 'coser', '--judge', 'fake:constant']);
    expect(other.out).toMatch(
      /judge control\/constant on coser changed since \(the rubric, the model, or its settings\): \d+ episodes are judged again\./,
    );
  });
});
