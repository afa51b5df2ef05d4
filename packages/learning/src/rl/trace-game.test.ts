/** @file A team's turns as answers of one agent: exported with tools and masks, learned from, and played in one context. */

import { teamAgent } from '@ludus-agents/agents/internal/team/agent';
import { readTeam } from '@ludus-agents/agents/internal/team/settings';
import { discussion } from '@ludus-agents/environments/internal/discussion/discussion';
import { ticTacToe } from '@ludus-agents/environments/internal/kinarow';
import { type Agent, type EpisodeEvent, type Json, scripted, viewOf } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { team as teamFormat } from '@ludus-agents/store/internal/exports/team';
import { describe, expect, it } from 'vitest';
import { createTraceGame, traceName, withTraces } from './trace-game.ts';

const speaker = (name: string, text: (choices: readonly string[]) => string, mind?: Json): Agent => ({
  name,
  speaks: true,
  act: ({ ask }) => ({ action: { text: text(ask.choices ?? []) }, ...(mind === undefined ? {} : { mind }) }),
});
const rival = scripted('rival', ({ ask }) => ({ text: ask.choices?.at(-1) ?? '' }));

async function teamLog(): Promise<readonly EpisodeEvent[]> {
  const uses = [{ tool: 'look', arguments: { at: 1 }, ok: true, result: 'a free field </X>' }];
  const members = {
    scout: speaker('scout', () => 'The first field is free.', { kind: 'mind/1', uses }),
    lead: speaker('lead', (choices) => `Answer: ${choices[0]}`),
  };
  const settings = readTeam({ name: 'pair', kind: 'team', settings: { protocol: 'in-order', members: ['scout', 'lead'], lead: 'lead' } });
  const pair = teamAgent({ name: 'pair', settings, members, discussion: discussion });
  const log: EpisodeEvent[] = [];
  for await (const event of play(ticTacToe, { X: pair, O: rival }, { seed: 1 })) log.push(event);
  return log;
}

describe('team trace', () => {
  it('is exported by member, with tool calls in the mask and results and opponents outside', async () => {
    const log = await teamLog();
    const record = { id: 'e', run: 'r', environment: 'tic-tac-toe@1', seed: 1 };
    const episode = { record, start: log[0], end: log.at(-1), events: log, scores: [], seats: ['X', 'O'], split: 'train', task: '' };
    const [table] = teamFormat.open() as unknown as readonly [{ rows(play: unknown, leave: (why: string) => void): Iterable<Json> }];
    const [row] = [...table.rows(episode, () => {})] as unknown as readonly [{ text: string; spans: [number, number][]; roles: string[] }];
    const learned = row.spans.map(([from, to]) => row.text.slice(from, to)).join('');
    expect(row.roles).toEqual(expect.arrayContaining(['X/scout', 'X/lead', 'X', 'O']));
    expect(learned).toContain('<X/scout>The first field is free.</X/scout>');
    expect(learned).toContain('<tool of X/scout>look {"at":1}</tool>');
    expect(learned).not.toMatch(/<O>|a free field/);
    expect(row.text).toContain('<result>a free field ‹/X›</result>');
  });

  it("is a single answer that replays as the same move, only for the team's seat", async () => {
    const log = await teamLog();
    const traced = withTraces(log, 'X') ?? [];
    expect(withTraces(log, 'O')).toBeNull();
    const answers = traced.flatMap((event) => (event.kind === 'action' && event.seat === 'X' ? [event.action.text] : []));
    expect(answers[0]).toMatch(/^<X\/scout>The first field is free\.<\/X\/scout>\n<X\/lead>Answer: .+<\/X\/lead>\n<X>.+<\/X>$/);
    const game = createTraceGame(ticTacToe);
    const player = scripted('player', ({ view }) => ({ text: answers[view.seen.filter((item) => item.kind === 'action').length] ?? '' }));
    const replayed: EpisodeEvent[] = [];
    for await (const event of play(game, { X: player, O: rival }, { seed: 1 })) replayed.push(event);
    const endOf = (events: readonly EpisodeEvent[]) => events.at(-1);
    expect(endOf(replayed)).toMatchObject({ kind: 'end', returns: (endOf(log) as { returns: object }).returns });
    // Its context holds what all members said before.
    expect(JSON.stringify(viewOf(replayed, 'X').seen)).toContain('X/scout');
  });

  it('names the environment in which a model learns it', () => {
    expect(traceName('trace:tic-tac-toe', './mine.ts')).toBe('trace:./mine.ts');
    expect(traceName('kuhn-poker', './mine.ts')).toBe('./mine.ts');
  });
});
