/** @file Authored rules: FAtiMA's numbers to the digit, decisions and dialogue states, mistakes that are found at load. */

import { readFileSync } from 'node:fs';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import { emotions, parsePersona } from '../index.ts';
import { type AuthoredState, actByRules, betweenTalks, firstState } from './act.ts';
import { fadeFeelings, feel, noFeelings, potentialsOf } from './appraise.ts';
import { checkRules } from './check.ts';
import type { AuthoredRules } from './rules.ts';

const tam = parsePersona(JSON.parse(readFileSync(new URL('../../../../../examples/ferryman.json', import.meta.url), 'utf8')));
const rules = tam.rules as AuthoredRules;

describe('FAtiMA appraisal', () => {
  it('matches the reference values', () => {
    const insulted = feel(noFeelings, { desirability: -6, praise: -8 }, { anger: 2 });
    expect(insulted).toEqual({ mood: -1.5, felt: { anger: 5 } });
    const later = fadeFeelings(insulted, 15);
    expect(later.felt['anger']).toBeCloseTo(2.5, 10);
    expect(later.mood).toBeCloseTo(-1.261345, 6);
    const pleased = feel(later, { desirability: 4 }, { joy: 1 });
    expect(pleased.felt['joy']).toBeCloseTo(2.621597, 6);
    expect(pleased.mood).toBe(0);
    expect(fadeFeelings(insulted, 84).felt['anger']).toBeGreaterThan(0.1);
    expect(fadeFeelings(insulted, 85).felt).toEqual({});
  });

  it.each([
    [0.5, 0.3, 'hope', 6.4],
    [0.8, 0.3, 'satisfaction', 8],
    [0.5, 0.5, 'relief', 8],
    [0.5, -0.5, 'disappointment', 8],
    [0.4, -0.4, 'fears_confirmed', 8],
  ])('of a goal at %d that moves by %d raises %s', (before, by, emotion, potential) => {
    const [raised] = potentialsOf({ goal: { before, by, significance: 8 } });
    expect(raised?.emotion).toBe(emotion);
    expect(raised?.potential).toBeCloseTo(potential, 10);
  });

  it.each([
    [{ desirability: 5, forOther: 3 }, 'happy_for', 4],
    [{ desirability: 5, forOther: -3 }, 'gloating', 4],
    [{ desirability: -5, forOther: 3 }, 'resentment', 4],
    [{ desirability: -5, forOther: -3 }, 'pity', 4],
    [{ praise: 6, target: 'self' as const }, 'pride', 6],
    [{ praise: -6 }, 'reproach', 6],
    [{ like: -10 }, 'hate', 7],
    [{ desirability: 5, praise: -5 }, 'gratitude', 0],
  ])('of %j raises %s', (frame, emotion, potential) => {
    expect(potentialsOf(frame)).toEqual([{ emotion, potential }]);
  });
});

function talk(...statements: string[]): { readonly lines: readonly string[]; readonly state: AuthoredState } {
  let state = firstState(rules);
  const lines: string[] = [];
  for (const [i, text] of statements.entries()) {
    const answer = actByRules(rules, state, [{ speaker: 'Ann', text }], rng(1, i));
    state = answer.state;
    lines.push(answer.says);
  }
  return { lines, state };
}

describe('character with authored rules', () => {
  it('steps through its dialogue states', () => {
    expect(talk('Good evening.', 'Across, please.', 'Too much!', 'Here they are.').lines).toEqual([
      'Evening. Across, or are you only looking?',
      'Two coppers, and mind the step.',
      'Two coppers. It was two for the last lord as well.',
      'In with you, then.',
    ]);
  });

  it('decides by emotion and shares secrets only with people it has come to like', () => {
    expect(talk('Good evening, you fool.').lines[0]).toMatch(/^Then swim/);
    expect(talk('What of your son?').lines[0]).not.toMatch(/seventeen/);
    const { lines, state } = talk('Thank you for waiting.', 'Thanks again.', 'What of your son?');
    expect(lines[2]).toMatch(/seventeen/);
    expect(state.affinity['Ann']).toBeCloseTo(0.2, 10);
  });

  it('starts the next conversation with half the mood, the same relations, and a new dialogue', () => {
    const { state } = talk('You thief!', 'Sorry.');
    const next = betweenTalks(rules, state, 60);
    expect(next.mood).toBeCloseTo(state.mood / 2, 10);
    expect(next).toMatchObject({ state: 'Start', affinity: { Ann: -0.1 }, goals: { peace: 0.8 } });
  });

  it('reports mistakes when it is loaded', () => {
    expect(checkRules(rules, emotions)).toEqual([]);
    const broken = {
      ...rules,
      dialogue: [
        { id: 'a', from: 'Start', to: 'Dead end', on: [], when: [{ what: 'envy' }], says: 'Hm.' },
        { id: 'a', from: 'Nowhere', to: 'End', on: [], when: [], says: 'Hm.' },
      ],
      thresholds: { wrath: 1 },
      goals: {},
    };
    const text = checkRules(broken, emotions).join('\n');
    for (const words of [
      'leads to the state "Nowhere"',
      'out of the state "Dead end"',
      '"envy"',
      '"wrath" is not an emotion',
      'the goal "peace"',
      '"a" is used twice',
    ])
      expect(text).toContain(words);
  });
});
