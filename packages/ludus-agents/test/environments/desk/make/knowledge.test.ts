/** @file A knowledge base with planted noise: the planted errors are asked for, a careful reader passes, and a hasty one fails only where an error was planted. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Trust } from '@ludus-agents/agents/internal/workspace/trust';
import { loadDesk } from '@ludus-agents/desk/internal/desks';
import { deskEnvironment } from '@ludus-agents/desk/internal/environment/desk';
import type { DeskCase } from '@ludus-agents/desk/internal/environment/document';
import { knowledgeCases, plantArticles } from '@ludus-agents/desk/internal/environment/make/knowledge';
import { runTool } from '@ludus-agents/desk/internal/environment/tools';
import { pairs } from '@ludus-agents/desk/internal/faults/pairs';
import { logOf } from '@ludus-agents/evaluation/internal/scoring/rules/log';
import { type JsonObject, rng, type Script, scripted } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { folder } from '../../../../src/cli/terminal.cases.ts';

const cwd = folder();
mkdirSync(join(cwd, 'help', 'articles'), { recursive: true });
writeFileSync(join(cwd, 'help', 'policy.md'), '- Answer from the articles.\n');
writeFileSync(
  join(cwd, 'help', 'tools.json'),
  JSON.stringify([
    { name: 'list_articles', does: { find: 'articles', where: {} } },
    { name: 'search', parameters: { properties: { query: { type: 'string' } }, required: ['query'] }, does: { search: 'articles' } },
  ]),
);
writeFileSync(join(cwd, 'help', 'tasks.json'), JSON.stringify([{ id: 'hours', says: [{ ask: 'When do you open?', tell: [8] }] }]));
const subjects = [
  'Parcels arrive',
  'Returns are free',
  'Gift cards last',
  'Repairs take',
  'Invoices are due',
  'Samples ship',
  'Chats are kept',
  'Refunds need',
];
for (const [i, subject] of subjects.entries())
  writeFileSync(join(cwd, 'help', 'articles', `a${i}.md`), `# ${subject}\n\n${subject} within ${20 + i} days. Ask us for more.\n`);
const desk = loadDesk('help', cwd, Trust.commandLine);
const { tasks: _, ...plain } = desk;
const cases = knowledgeCases(desk, rng(1, 'x'));
const planted = plantArticles(desk, rng(1, 'x'));

type Row = { readonly id: string; readonly text: string; readonly updated?: string | null };

/** Reads all articles and answers by the rows that a rule chooses. */
const reader =
  (choose: (rows: readonly Row[]) => readonly Row[]): Script =>
  ({ view, mind }) => {
    const last = view.seen.at(-1);
    const data = last?.kind === 'message' ? (last.data as JsonObject | undefined) : undefined;
    const asked = view.seen.findLast((item) => item.kind === 'message' && item.from === 'customer');
    const words = asked?.kind === 'message' ? asked.text : '';
    if (data?.['tool'] === undefined) return { action: { text: '{"tool": "list_articles", "args": {}}' }, mind: mind ?? null };
    const rows = data['value'] as unknown as readonly Row[];
    const numberIn = (text: string) => /within (\d+) days/.exec(text)?.[1];
    if (words.includes('contradict')) {
      const matches = rows.flatMap((a, i) =>
        rows.slice(i + 1).flatMap((b) => {
          const [x, y] = [a, b].map(({ text }) => numberIn(text));
          return x !== undefined && y !== undefined && a.text.split(' within ')[0] === b.text.split(' within ')[0] && x !== y
            ? [`${a.id} / ${b.id}`]
            : [];
        }),
      );
      return { action: { text: matches.join('\n') || 'none' } };
    }
    const subject = /"(.+?) within/.exec(words)?.[1] ?? '?';
    const fitting = rows.filter(({ text }) => text.startsWith(subject));
    return {
      action: {
        text: `It is ${choose(fitting)
          .map(({ text }) => numberIn(text))
          .join(' or ')} days.`,
      },
    };
  };

async function talk(deskCase: DeskCase, agent: Script) {
  const seats = { agent: scripted('agent', agent), customer: scripted('customer', deskEnvironment.scripts!['customer']!) };
  const events = await Array.fromAsync(play(deskEnvironment, seats, { task: { case: deskCase, desk: plain } as never, seed: 1 }));
  const log = logOf({ id: deskCase.id, events });
  return { reward: (log.notes.get('outcome')!.value as JsonObject)['reward'], pairs: pairs.find({ log, seat: 'agent' } as never) };
}
const careful = reader((rows) => rows.filter(({ updated }) => updated !== '1999-01-01'));
const hasty = reader((rows) => rows.toSorted((a, b) => (a.id < b.id ? 1 : -1)).slice(0, 1));

describe('tasks over articles', () => {
  it('plant each kind of noise next to an existing article, and leave the base unchanged', () => {
    expect(Object.keys(desk.database['articles'] ?? {})).toHaveLength(8);
    expect(new Set(planted.map(({ kind }) => kind))).toEqual(new Set(['contradiction', 'stale', 'duplicate', 'noise']));
    expect(planted.every(({ of }) => of in desk.database['articles']!)).toBe(true);
    const deskResult = runTool(desk, desk.database, { tool: 'search', args: { query: 'How long do repairs take?' } });
    expect(deskResult.ok && (deskResult.value as unknown as readonly Row[])[0]?.id).toBe('a3');
  });

  it('are passed by a careful reader, and a hasty one fails exactly on contradictions', async () => {
    const failed: string[] = [];
    for (const deskCase of cases.filter(({ probe }) => probe !== 'knowledge: pairs')) {
      expect({ id: deskCase.id, reward: (await talk(deskCase, careful)).reward }).toEqual({ id: deskCase.id, reward: 1 });
      if ((await talk(deskCase, hasty)).reward !== 1) failed.push(deskCase.probe);
    }
    expect([...new Set(failed)].sort()).toEqual(['knowledge: contradiction', 'knowledge: stale']);
  });

  it('score the planted pairs found, and nothing without any', async () => {
    const [full, empty] = cases.filter(({ probe }) => probe === 'knowledge: pairs');
    expect((await talk(full!, careful)).pairs).toMatchObject({ value: 1, parts: { precision: 1, recall: 1, planted: 4 } });
    const one = () => ({ text: `${full!.pairs![0]}\na0 / a1` });
    expect((await talk(full!, one)).pairs).toMatchObject({ value: 1 / 3, parts: { precision: 0.5, recall: 0.25 } });
    expect((await talk(empty!, careful)).pairs).toMatchObject({ value: 1, parts: { named: 0, planted: 0 } });
    expect((await talk(empty!, one)).pairs).toMatchObject({ value: 0 });
  });
});
