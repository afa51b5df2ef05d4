/** @file When to speak: the places of a conversation, the F of speaking by hand, acts by rule, and the command from a file of people to the figure. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dialogueActOf, speakingTasks } from '@ludus-agents/evaluation/internal/speaking';
import { describe, expect, it } from 'vitest';
import { folder, ludus } from '../../src/cli/terminal.cases.ts';

const talk = {
  user: 'user',
  turns: [
    { speaker: 'user', text: 'Put the mug on the table.' },
    { speaker: 'robot', text: '(goes to the shelf)' },
    { speaker: 'robot', text: '(takes a glass)' },
    { speaker: 'user', text: 'No, the mug.' },
    { speaker: 'robot', text: '(takes the mug)' },
    { speaker: 'robot', text: 'Where shall I put it?' },
    { speaker: 'user', text: 'On the table, please.' },
    { speaker: 'robot', text: '(puts it there)' },
  ],
};

describe('situations in which a user speaks or watches', () => {
  it('follow messages of others, and the last one has no answer', () => {
    expect(speakingTasks(talk).map(({ history, source }) => [history.length, source])).toEqual([
      [2, ''],
      [3, 'No, the mug.'],
      [5, ''],
      [6, 'On the table, please.'],
    ]);
  });

  it('are classified by act', () => {
    const lines = ['No, the mug.', 'Yes please', 'Where is it?', 'I need a cab.', 'Thanks a lot', 'That is all, bye.', 'Tuesday at nine'];
    expect(lines.map(dialogueActOf)).toEqual(['denies', 'agrees', 'asks', 'wants', 'thanks', 'leaves', 'informs']);
  });

  it('lead from a file of people to the F score of an agent, next to always and never speaking', async () => {
    const here = folder();
    writeFileSync(join(here, 'people.jsonl'), `${JSON.stringify({ turns: talk.turns })}\n`);
    writeFileSync(
      join(here, 'guest.mjs'),
      `export const guest = { name: 'guest', act: ({ view }) => {
        const [, last] = /([^\\n]*)\\n\\nIs it for/.exec(view.seen.at(-1).text);
        return { action: { text: last.includes('glass') ? 'No, not that.' : last.includes('shelf') ? 'Hm.' : '[watch]' } };
      } };`,
    );
    const outcome = await ludus(here, ['desk', 'tasks', 'observe', 'people.jsonl', '-o', 'observe.json', '--json']);
    expect(JSON.parse(outcome.out)).toEqual({ file: 'observe.json', places: 4, silent: 2 });
    const { out } = await ludus(here, ['eval', 'observe.json', '--agents', './guest.mjs', '--json']);
    const { speaking } = JSON.parse(out) as { speaking: readonly Record<string, unknown>[] };
    // Once it speaks with people, once before there is a reason to, and once it says nothing to a question.
    expect(speaking.map(({ people, spoke, both, f, sameAct }) => [people, spoke, both, f, sameAct])).toEqual([
      [2, 2, 1, 1 / 2, 1],
      [2, 0, 0, 0, 0],
      [2, 4, 2, 2 / 3, 0],
    ]);
    writeFileSync(join(here, 'empty.jsonl'), '{"turns": []}\n');
    expect((await ludus(here, ['desk', 'tasks', 'observe', 'empty.jsonl', '-o', 'x.json'])).err).toContain(
      'has no turn where a user speaks after someone',
    );
  });
});
