import { checkPersona } from '@ludus-agents/agents/internal/personas/index';
import { type ActionEvent, type Episode, type Json, rng, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { amount } from '../../../../../test/fixtures/amount.ts';
import { createJudge } from '../judges/judge.ts';
import { modelOf, signal } from '../judges/judges.cases.ts';
import type { Flaw, Rubric } from '../judges/rubric.ts';
import { builtInRubric, rubricNames } from '../rubrics/index.ts';
import { coser, furina, personaGym } from '../rubrics/role-play.ts';
import { sotopia } from '../rubrics/sotopia.ts';
import { cardLine, examine, gradeOf, type TrustCard } from './card.ts';
import { type Control, controlNames } from './control-names.ts';
import { controlJudge } from './controls.ts';
import { actionsOf, answerTextAt, corruptors, type Source } from './corrupt.ts';
import { cleanScene } from './scenes.ts';
import { permitTraining } from './use.ts';

const scenes: readonly Source[] = Array.from({ length: 60 }, (_, i) => cleanScene(rng(3, 'scene', i), `s${i}`));

describe('clean scenes', () => {
  it('have a valid persona, no repeated line, and no number missing from the card', () => {
    for (const { episode, seat, persona } of scenes) {
      expect(checkPersona(persona as Json)).toEqual([]);
      const lines = actionsOf(episode, seat).map((event) => answerTextAt(episode, event));
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines.length).toBeGreaterThanOrEqual(4);
      for (const number of lines.join(' ').match(/\d+/g) ?? []) expect(JSON.stringify(persona)).toMatch(new RegExp(`\\b${number}\\b`));
    }
    expect(new Set(scenes.map(({ episode }) => JSON.stringify(episode.events))).size).toBeGreaterThan(55);
  });
});

describe('corruptors', () => {
  const differing = (a: Episode, b: Episode) =>
    a.events.flatMap((event, i) => (JSON.stringify(event) === JSON.stringify(b.events[i]) ? [] : [i]));

  it.each(Object.keys(corruptors) as Flaw[])('%s changes one action and its copies, and reports the place', (flaw) => {
    let madeCount = 0;
    for (const [i, source] of scenes.entries()) {
      const before = JSON.stringify(source);
      const planted = corruptors[flaw](source, rng(5, flaw, i));
      expect(JSON.stringify(source)).toBe(before);
      if (planted === null) continue;
      madeCount++;
      const { episode, event, quote } = planted;
      expect(episode.events.length).toBe(source.episode.events.length);
      expect(differing(source.episode, episode)).toEqual([event, event + 1]);
      expect((episode.events[event] as ActionEvent).action.text).toContain(quote);
      const heard = viewOf(episode.events, 'guest').seen.at(-1);
      expect(heard).toBeDefined();
      expect(JSON.stringify(episode.events[event + 1])).toContain(JSON.stringify(quote).slice(1, -1));
    }
    expect(madeCount).toBeGreaterThan(30);
  });

  it('make longer and shorter twins equally often', () => {
    let [longer, shorter] = [0, 0];
    for (const [i, source] of scenes.entries())
      for (const flaw of coser.plants) {
        const planted = corruptors[flaw](source, rng(6, flaw, i));
        const change =
          planted === null ? 0 : answerTextAt(planted.episode, planted.event).length - answerTextAt(source.episode, planted.event).length;
        if (change > 0) longer++;
        if (change < 0) shorter++;
      }
    expect(longer / (longer + shorter)).toBeGreaterThan(0.3);
    expect(longer / (longer + shorter)).toBeLessThan(0.7);
  });

  it('skip episodes that cannot have the flaw', () => {
    const { persona: _, ...nobody } = scenes[0]!;
    const silent = { ...nobody, episode: { id: 'x', events: [] } };
    for (const flaw of Object.keys(corruptors) as Flaw[]) expect(corruptors[flaw](silent, rng(1))).toBeNull();
    for (const flaw of ['secret-leak', 'contradiction'] as const) expect(corruptors[flaw](nobody, rng(1))).toBeNull();
  });
});

/** As few twins as an A takes. */
const few = 36;

const cards = new Map<string, Promise<TrustCard>>();
function cardOf(control: Control, rubric: Rubric): Promise<TrustCard> {
  const key = `${control} ${rubric.name}`;
  const card = cards.get(key) ?? examine({ rubric, judge: { model: controlJudge(control, rubric) }, twins: few });
  cards.set(key, card);
  return card;
}
const rubrics = [personaGym, coser, furina].slice(0, amount(1, 3));

describe('the trust card', () => {
  it.each(rubricNames)('gives an honest judge grade A under %s', async (name) => {
    const rubric = await builtInRubric(name);
    const card = await cardOf('honest', rubric);
    expect(card).toMatchObject({
      grade: 'A',
      rubric: `${name}@1`,
      judge: 'control/honest',
      measures: { found: { hits: few, n: few }, missing: { hits: 0 } },
    });
    expect(Object.keys(card.measures.byFlaw).sort()).toEqual([...rubric.plants].sort());
    expect(card.reasons).toHaveLength(1);
    expect(card.found[0]).toBeGreaterThan(0.9);
  });

  it.each(rubrics)('gives a constant judge grade C because it sees no difference ($name)', async (rubric) => {
    const card = await cardOf('constant', rubric);
    expect(card.grade).toBe('C');
    expect(card.reasons[0]).toMatch(/in 0 of 36 \(36 times it saw no difference\)/);
  });

  it.each(rubrics)('gives a random judge grade C because it is inconsistent ($name)', async (rubric) => {
    const card = await cardOf('random', rubric);
    expect(card.grade).toBe('C');
    expect(card.reasons.join(' ')).toMatch(/put the flawed twin below/);
    expect(card.reasons.join(' ')).toMatch(/is not consistent/);
  });

  it.each(rubrics)('gives a judge that prefers length grade C because padding raises its scores ($name)', async (rubric) => {
    const card = await cardOf('longest', rubric);
    expect(card.grade).toBe('C');
    expect(card.reasons.join(' ')).toMatch(/loves length/);
  });

  it('gives a judge that prefers the first option grade C because the order decides', async () => {
    const pair = await cardOf('first', furina);
    expect(pair.grade).toBe('C');
    expect(pair.reasons.join(' ')).toMatch(
      /depends on order: it stayed the same in 0 of 36 .* 100% of its choices went to the first option/,
    );
    expect(pair.measures.firstSlot).toBe(1);
    const single = await cardOf('first', personaGym);
    expect(single.grade).toBe('C');
    expect(single.reasons.join(' ')).toMatch(/depends on order/);
  });

  it('gives no grade A with too few twins', async () => {
    const card = await examine({ rubric: personaGym, judge: { model: controlJudge('honest', personaGym) }, twins: 20 });
    expect(card.grade).toBe('B');
    expect(card.reasons[0]).toMatch(/in 20 of 20/);
  });

  it('measures agreement with a second judge if there is one', async () => {
    const judge = { model: controlJudge('honest', personaGym) };
    const same = await examine({ rubric: personaGym, judge, second: controlJudge('honest', personaGym), twins: few });
    expect(same.measures).toMatchObject({ alpha: 1, anchor: 'second judge' });
    const other = await examine({ rubric: personaGym, judge, second: controlJudge('constant', personaGym), twins: few });
    expect(other.grade).toBe('C');
    expect(other.reasons.join(' ')).toMatch(/agrees too little with the second judge/);
  });

  it('detects a judge that is manipulable, favors its own family, or is unreadable', async () => {
    const honest = controlJudge('honest', personaGym);
    const swayed = (trigger: RegExp) => ({
      id: honest.id,
      complete: async (...[prompt, sampling, stop]: Parameters<typeof honest.complete>) =>
        (trigger.test(prompt.messages[1]?.content ?? '') ? controlJudge('constant', personaGym) : honest).complete(prompt, sampling, stop),
    });
    const talked = await examine({ rubric: personaGym, judge: { model: swayed(/ignore the rubric/) }, twins: 40 });
    expect([talked.grade, talked.reasons.join(' ')]).toEqual(['C', expect.stringMatching(/can be manipulated/)]);
    const kin = await examine({ rubric: personaGym, judge: { model: swayed(/\(\(name\)\)/) }, twins: 40 });
    expect([kin.grade, kin.reasons.join(' ')]).toEqual(['C', expect.stringMatching(/favours its own kin/)]);
    const garbled = await examine({ rubric: personaGym, judge: { model: modelOf(['7 out of 10']) }, twins: 6 });
    expect(garbled.grade).toBe('C');
    expect(garbled.reasons.join(' ')).toMatch(/100% of its replies could not be used/);
    expect(garbled.measures.missing.hits).toBe(garbled.measures.missing.n);
  });

  it('grades by the worst of its measures', async () => {
    const { measures } = await cardOf('honest', personaGym);
    expect(gradeOf(measures).grade).toBe('A');
    expect(gradeOf({ ...measures, gap: 0.5, noise: 0.1 }).grade).toBe('A');
    expect(gradeOf({ ...measures, gap: 0.5, noise: 0.15 })).toMatchObject({
      grade: 'B',
      reasons: [expect.stringMatching(/varies by 15% of the scale, while a planted flaw changes it by 50%/)],
    });
    expect(gradeOf({ ...measures, gap: 0.5, noise: 0.15, length: 0.9 })).toMatchObject({
      grade: 'C',
      reasons: [expect.stringMatching(/follow length/), expect.any(String)],
    });
    expect(gradeOf({ ...measures, alpha: null, family: null, noise: null }).grade).toBe('A');
    expect(gradeOf({ ...measures, covered: { hits: 10, n: 36 } })).toMatchObject({
      grade: 'C',
      reasons: [expect.stringMatching(/It is right for the wrong reasons: of/)],
    });
  });

  it('is plain data, deterministic, and fits on one line', async () => {
    const card = await cardOf('honest', personaGym);
    expect(JSON.parse(JSON.stringify(card))).toEqual(card);
    const again = await examine({ rubric: personaGym, judge: { model: controlJudge('honest', personaGym) }, twins: few });
    expect(again).toEqual(card);
    expect(cardLine(card)).toMatch(
      /^persona-gym@1 by control\/honest: A · found 1\.00 \[0\.90, 1\.00\] · order 1\.00 · .* · obeyed 0\/\d+ · \$0\.00 a hundred$/,
    );
    expect(cardLine(await cardOf('constant', personaGym))).toContain('C (unreliable)');
  });

  it('can be computed from given episodes', async () => {
    const card = await examine({
      rubric: sotopia,
      judge: { model: controlJudge('honest', sotopia) },
      sources: scenes,
      seed: 9,
      twins: few,
    });
    expect(card.grade).toBe('A');
  });

  it('rejects unknown control judges', () => {
    expect(() => controlJudge('nice' as Control, sotopia)).toThrow(/Unknown control judge "nice"/);
    expect(controlNames).toContain('honest');
  });
});

describe('using a judge', () => {
  const judge = (control: Control, options: object = {}) =>
    createJudge(personaGym, { model: controlJudge(control, personaGym), ...options });

  it('for training requires a card of grade A for that exact judge', async () => {
    const [good, bad] = [await cardOf('honest', personaGym), await cardOf('constant', personaGym)];
    expect(() => permitTraining(good, judge('honest'))).not.toThrow();
    expect(() => permitTraining(undefined, judge('honest'))).toThrow(/without a trust card/);
    expect(() => permitTraining(bad, judge('constant'))).toThrow(/grade is C, but grade A is required/);
    expect(() => permitTraining({ ...good, grade: 'B' }, judge('honest'))).toThrow(/grade is B/);
    const otherRubric = createJudge({ ...personaGym, about: 'Otherwise.' }, { model: controlJudge('honest', personaGym) });
    for (const other of [
      otherRubric,
      judge('constant'),
      judge('honest', { sampling: { temperature: 0.7 } }),
      judge('honest', { retries: 0 }),
    ])
      expect(() => permitTraining(good, other)).toThrow(/the card is for another judge, rubric, or prompt/);
  });
});

it('is canceled together with its examination', async () => {
  expect(signal.aborted).toBe(false);
  const gone = AbortSignal.abort(new Error('enough'));
  await expect(examine({ rubric: personaGym, judge: { model: controlJudge('honest', personaGym) }, signal: gone })).rejects.toThrow(
    'enough',
  );
});
