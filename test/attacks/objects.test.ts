/** @file Attacks by objects that cannot be turned into a text: what JSON has under the name toString or valueOf is not a function. */

import { readBotSettings } from '@ludus-agents/agents/internal/bot/settings';
import { mindLines } from '@ludus-agents/agents/internal/mind-words';
import { isFault, type Json } from '@ludus-agents/kernel/internal/core/index';
import { didYouMean } from '@ludus-agents/kernel/internal/core/suggest';
import { insideOf } from '@ludus-agents/servers/internal/studio/mind-view';
import { describe, expect, it } from 'vitest';

const hostile: Json = { toString: 1, valueOf: 1 };

describe('an object that cannot be converted to a string', () => {
  it('throws a TypeError (control)', () => expect(() => String(hostile)).toThrow(TypeError));

  it('is rejected with an error message as the file of a bot', () => {
    let thrown: unknown;
    try {
      readBotSettings({ name: 'odd', kind: 'bot', settings: { file: hostile } });
    } catch (fault) {
      thrown = fault;
    }
    expect(isFault(thrown)).toBe(true);
  });

  it('has no similar name to suggest', () => expect(didYouMean(hostile, ['file'])).toBe(''));

  it('is shown as JSON in the mind of an imported log', () => {
    const action = { kind: 'action', seat: hostile, action: { text: hostile } };
    const minds: readonly Json[] = [
      { kind: 'team/1', discussion: [action] },
      { kind: 'search/1', moves: [{ move: hostile, visits: hostile, value: hostile }], dream: { step: hostile }, sheet: { told: hostile } },
      { kind: 'guarded/1', held: { line: hostile } },
      {
        kind: 'mind/1',
        foreseen: { moves: [{ move: hostile, next: hostile, value: hostile }], struck: [{ situation: hostile, move: hostile }] },
      },
      { kind: 'mind/1', edits: [{ turn: hostile, add: 'x', text: hostile }], turn: 1 },
    ];
    for (const mind of minds) {
      expect(() => mindLines(mind)).not.toThrow();
      expect(() => insideOf(mind, undefined, '')).not.toThrow();
    }
    expect(mindLines(minds[0]).join()).toContain('{"toString":1,"valueOf":1}');
  });
});
