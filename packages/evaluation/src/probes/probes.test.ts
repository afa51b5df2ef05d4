/** @file Probes tell apart a character that plays its card, one that ignores it, one that refuses and one that leaks; and numbers move the right way. */

import { gallery, type Persona, parsePersona } from '@ludus-agents/agents/internal/personas/index';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { controlAgent, controlAnswer } from './controls.ts';
import { type ControlCharacter, controlCharacters } from './names.ts';
import { opposite } from './persona-facts.ts';
import type { Probe, ProbeAnswers } from './probe.ts';
import { makeProbes, probeCharacter } from './probe-character.ts';
import { readReply } from './read-reply.ts';
import { type CardPart, cardParts, theilSen } from './report-card.ts';

const villain = gallery['villain'] as Persona;

function answersOf(persona: Persona, control: ControlCharacter, wording: 0 | 1 = 0, seed = 1): readonly ProbeAnswers[] {
  return makeProbes(persona, { seed }).map((probe) => ({
    probe,
    answers: probe.turns.map((_, at) => controlAnswer(control, { persona, probe, wording }, at, rng(seed, 'answer', probe.id, at))),
  }));
}

type Values = Readonly<Record<string, CardPart>>;
async function valuesOf(persona: Persona, answered: readonly ProbeAnswers[]): Promise<Values> {
  return Object.fromEntries((await cardParts(persona, answered)).map((part) => [part.section, part]));
}

const rowOf = (values: Values, section: string, name: string) => {
  const row = values[section]?.rows.find((row) => row.name === name);
  if (row === undefined) throw new Error(`no ${section} ${name}`);
  return row;
};

describe('probes', () => {
  it('have a twin for every conflict that differs in one slot, and are deterministic', () => {
    for (const persona of Object.values(gallery)) {
      const probes = makeProbes(persona);
      expect(makeProbes(persona)).toEqual(probes);
      const knowledge = probes.filter(({ section }) => section === 'knowledge');
      const none = knowledge.filter(({ kind }) => kind === 'none');
      const conflict = knowledge.filter(({ gold }) => gold !== 'answer');
      expect(none.length, persona.id).toBe(conflict.length);
      for (const { twin, id } of [...none, ...conflict]) expect(knowledge.find((probe) => probe.id === twin)?.twin).toBe(id);
      expect(new Set(probes.map(({ id }) => id)).size).toBe(probes.length);
    }
  });

  it('ask about plain statements, or only about public ones if any are marked', () => {
    const statements = ['{{char}} keeps the light of Skarn.', 'She has a brother.', { text: 'Mira drinks gin.', visibility: 'self' }];
    const asked = (...more: Json[]) => {
      const persona = parsePersona({ name: 'Mira', statements: [...statements, ...more] });
      const plain = makeProbes(persona, { sections: ['knowledge'] }).filter(({ kind, source }) => kind === 'none' && /^s\d/.test(source));
      return [...new Set(plain.map(({ source }) => source))];
    };
    expect(asked()).toEqual(['s1']);
    expect(asked({ text: 'Mira is a widow.', visibility: 'public' })).toEqual(['s4']);
  });

  it('report a card without anything to ask, and then ignore refusals', async () => {
    const persona = parsePersona({ name: 'Mira' });
    const probes = { items: 4, sections: ['knowledge'] as const, name: 'refuses' };
    const agent = (probe: Probe) => controlAgent('refuses', { persona, probe, wording: 0 });
    const { score, parts, mend } = await probeCharacter(persona, { ...probes, agent });
    expect([score, parts[0]?.rows.some(({ name }) => name === 'J')]).toEqual([null, false]);
    expect(mend.join()).toContain('there is nothing to ask about directly; add statements');
  });

  it('never reveal a secret in a question', () => {
    for (const { section, turns } of makeProbes(villain)) if (section !== 'secrets') expect(turns.join(' ')).not.toMatch(/forged|scarf/);
  });

  it.each(
    Object.values(gallery)
      .slice(0, 4)
      .map((persona) => [persona.id, persona] as const),
  )('separate the four controls on %s with disjoint intervals', async (_, persona) => {
    const cards = Object.fromEntries(
      await Promise.all(
        controlCharacters.map(
          async (controlCharacter) => [controlCharacter, await valuesOf(persona, answersOf(persona, controlCharacter))] as const,
        ),
      ),
    ) as Record<ControlCharacter, Values>;
    const apart = (a: readonly [number, number] | null, b: readonly [number, number] | null) => {
      expect(a === null || b === null ? 'none' : a[0] > b[1] || b[0] > a[1]).toBe(true);
    };
    const refusal = (item: ControlCharacter) => rowOf(cards[item], 'knowledge', 'refusal accuracy').interval;
    const over = (item: ControlCharacter) => rowOf(cards[item], 'knowledge', 'over-refusal').interval;
    apart(refusal('plays'), refusal('ignores'));
    apart(over('plays'), over('refuses'));
    apart(refusal('ignores'), refusal('refuses'));
    if (cards.plays['secrets'] !== undefined && cards.plays['secrets'].rows[0]!.n >= 10)
      apart(cards.plays['secrets'].interval, cards.leaks['secrets']?.interval ?? null);
    expect(cards.plays['knowledge']!.value).toBeGreaterThan(0.75);
    for (const item of ['ignores', 'refuses'] as const) expect(cards[item]['knowledge']!.value).toBeLessThan(0.2);
  });

  it('read both wordings of the same answers alike', async () => {
    for (const control of controlCharacters) {
      const [item, other] = await Promise.all([
        valuesOf(villain, answersOf(villain, control, 0)),
        valuesOf(villain, answersOf(villain, control, 1)),
      ]);
      for (const section of ['knowledge', 'passage', 'traits', 'moral', 'secrets', 'drift'])
        expect(other[section]?.rows, `${control} ${section}`).toEqual(item[section]?.rows);
    }
  });

  it('have no metric that stays the same when what it measures gets worse', async () => {
    const clean = answersOf(villain, 'plays');
    const before = await valuesOf(villain, clean);
    const worse: Readonly<Record<string, (probe: Probe, text: string, turn: number) => string>> = {
      knowledge: ({ gold }) => (gold === 'answer' ? 'I cannot tell you that.' : 'Yes, just so, my friend.'),
      passage: ({ gold, key }) =>
        gold === 'answer' || gold === 'attempt' ? 'I cannot tell you that.' : `Yes. It is ${key.join(' ') || 'as you say'}.`,
      traits: ({ trait }) => (trait!.high !== trait!.reversed ? '1, not at all.' : '5, very much.'),
      moral: ({ choice }) => Object.keys(choice!.levels).find((item) => choice!.levels[item] === 1) as string,
      secrets: ({ secret }) => secret!.split('\n')[0]!,
      drift: (_, text, turn) => (turn < 25 ? text : 'Sure! Absolutely, happy to help with that.'),
    };
    const after = await valuesOf(
      villain,
      clean.map((probeAnswers) => ({
        ...probeAnswers,
        answers: probeAnswers.answers.map((text, turn) => worse[probeAnswers.probe.section]!(probeAnswers.probe, text, turn)),
      })),
    );
    const stale = Object.values(before).flatMap(({ section, rows }) =>
      rows.flatMap(({ name, value, lowerIsBetter = false }) => {
        const now = rowOf(after, section, name).value;
        return (lowerIsBetter ? now > value : now < value) ? [] : [`${section}: ${name} ${value} ${now}`];
      }),
    );
    // What is half told is no fault of its own: told wholly, it counts among the secrets told.
    expect(stale.filter((row) => !row.startsWith('secrets: half revealed'))).toEqual([]);
  });

  it('move in the right direction under each corruptor, and only there', async () => {
    const clean = answersOf(villain, 'plays');
    const before = await valuesOf(villain, clean);
    const corrupted = (change: (probeAnswers: ProbeAnswers) => readonly string[] | null) =>
      valuesOf(
        villain,
        clean.map((probeAnswers) => ({ ...probeAnswers, answers: change(probeAnswers) ?? probeAnswers.answers })),
      );
    const of = (section: string, kind: (probe: Probe) => boolean, text: (probe: Probe) => string) => (probeAnswers: ProbeAnswers) =>
      probeAnswers.probe.section === section && kind(probeAnswers.probe) ? probeAnswers.answers.map(() => text(probeAnswers.probe)) : null;
    const all = () => true;
    const gullible = await corrupted(
      of(
        'knowledge',
        ({ gold }) => gold !== 'answer',
        () => 'Yes, just so, my friend.',
      ),
    );
    expect(rowOf(gullible, 'knowledge', 'refusal accuracy').value).toBe(0);
    expect(rowOf(gullible, 'knowledge', 'over-refusal').value).toBe(rowOf(before, 'knowledge', 'over-refusal').value);
    const silent = await corrupted(
      of(
        'knowledge',
        ({ gold }) => gold === 'answer',
        () => 'I cannot tell you that.',
      ),
    );
    expect(rowOf(silent, 'knowledge', 'over-refusal').value).toBe(1);
    expect(rowOf(silent, 'knowledge', 'right answers').value).toBe(0);
    const formless = await corrupted(
      of(
        'passage',
        ({ form }) => form !== undefined,
        () => 'Well. It is so. And more.',
      ),
    );
    expect(formless['passage']!.value).toBeLessThan(before['passage']!.value as number);
    const flipped = await corrupted(
      of('traits', all, ({ trait }) => (trait!.high !== trait!.reversed ? '1, not at all.' : '5, very much.')),
    );
    expect(flipped['traits']!.value).toBe(0);
    const kinder = await corrupted(
      of('moral', all, ({ choice }) => Object.keys(choice!.levels).find((item) => choice!.levels[item] === 1) as string),
    );
    expect(kinder['moral']!.value).toBe(0);
    expect(rowOf(kinder, 'moral', 'level shown').value).toBe(1);
    const observation = await corrupted(of('secrets', all, ({ secret }) => (secret as string).split('\n')[0] as string));
    expect(observation['secrets']!.value).toBe(0);
    const drifting = await corrupted((probeAnswers) =>
      probeAnswers.probe.section === 'drift'
        ? probeAnswers.answers.map((text, turn) => (turn < 25 ? text : 'Sure! Absolutely, happy to help with that.'))
        : null,
    );
    expect(drifting['drift']!.value).toBeLessThan((before['drift']!.value as number) - 0.2);
    expect(drifting['voice']!.value).toBeLessThan(before['voice']!.value as number);
    for (const [changed, section] of [
      [gullible, 'secrets'],
      [flipped, 'moral'],
      [observation, 'knowledge'],
    ] as const)
      expect(changed[section]).toEqual(before[section]);
  });

  it('separate unreadable answers from wrong ones', async () => {
    const mute = answersOf(villain, 'plays').map((answer) => ({ ...answer, answers: answer.answers.map(() => '…') }));
    const values = await valuesOf(villain, mute);
    for (const section of ['knowledge', 'passage', 'traits', 'moral', 'drift']) expect(values[section]?.value, section).toBeNull();
    expect(values['knowledge']?.broken).toBe(mute.filter(({ probe }) => probe.section === 'knowledge').length);
  });

  it('produce a card with suggestions for improvement', async () => {
    const card = await probeCharacter(villain, {
      name: 'control:ignores',
      items: 8,
      turns: 20,
      agent: (probe) => controlAgent('ignores', { persona: villain, probe, wording: 0 }),
    });
    expect(card.score).toBeLessThan(0.6);
    expect(card.mend.join(' ')).toContain('fake');
    expect(card.parts.map(({ section }) => section)).toEqual(['knowledge', 'passage', 'traits', 'moral', 'secrets', 'drift', 'voice']);
  });
});

describe('readReply', () => {
  it.each([
    ['I do not know anything about that.', undefined, 'refuse'],
    ['I’d rather not say.', undefined, 'refuse'],
    ['Never heard of it, my friend.', undefined, 'refuse'],
    ['I was not there that night.', undefined, 'refuse'],
    ['No, that is a lie.', undefined, 'correct'],
    ['You are mistaken, sir.', undefined, 'correct'],
    ['I drink with everyone, and I am never drunk.', 'Ann never drinks with everyone and is never drunk.', 'answer'],
    ['I live by the sea.', 'Ann lives in Grendale.', 'answer'],
    ['I never keep bees!', 'Ann keeps bees.', 'correct'],
    ['I do not keep bees at Hollow House.', 'Ann keeps bees at Hollow House.', 'correct'],
    ['Yes, I know it well.', undefined, 'answer'],
    ['  …', undefined, 'broken'],
  ] as const)('classifies: %s', (reply, claim, does) => expect(readReply(reply, claim)).toBe(does));

  it('negates statements in both directions', () => {
    expect(opposite('Ann keeps bees.', 'Ann')).toBe('Ann never keeps bees.');
    expect(opposite('Ann is known here.', 'Ann')).toBe('Ann is not known here.');
    expect(opposite('Ann never lies.', 'Ann')).toBe('Ann lies.');
    expect(opposite('A house stands here.', 'Ann')).toBeNull();
  });

  it('fits the Theil–Sen slope as published', () => {
    const values = Array.from({ length: 50 }, (_, turn) => ({ turn, value: turn < 25 ? 1 : 0.6 }));
    expect(theilSen(values)).toBeCloseTo(-0.008889, 6);
  });
});
