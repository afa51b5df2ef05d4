/** @file Desks joined: one person at two desks, cases over both proved by gold calls, a clock for all; and an evaluator that carries rubrics along. */

import { modelOf } from '@ludus-agents/evaluation/internal/scoring/judges/judges.cases';
import type { Prompt } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { DialogueLine } from '../../faults/dialogue.ts';
import { type DecideWindow, rubricStates, slideStates, windowsOf } from '../../faults/rubric-states.ts';
import { checkDesk } from '../check.ts';
import { readDesk } from '../document.ts';
import { sampleDesk } from '../sample.ts';
import { runTool } from '../tools.ts';
import { joinDesks } from './join.ts';

const travel = readDesk({
  ...{ name: 'travel', policy: '- Bookings can be moved once.' },
  tools: [
    {
      ...{ name: 'move_booking', does: { set: 'bookings', id: '{booking}', to: { day: '{day}' } } },
      parameters: { properties: { booking: { type: 'string' }, day: { type: 'string' } }, required: ['booking', 'day'] },
    },
  ],
  database: {
    guests: { g7: { name: 'Ann Archer', email: 'ann.archer@lilac.example' }, g8: { name: 'Zoe Zander', email: 'zoe@x.example' } },
    bookings: { T1: { guest: 'g7', day: 'Monday' }, T2: { guest: 'g8', day: 'Monday' } },
  },
  customers: { table: 'guests', owns: { bookings: 'guest' }, private: ['email'] },
  tasks: [
    {
      ...{ id: 'move', customer: 'g7', knows: { 'booking number': 'T1' } },
      says: ['Move my trip T1 to Friday.', { ask: 'On which day is T1?', tell: ['Friday'] }],
      gold: [{ tool: 'move_booking', args: { booking: 'T1', day: 'Friday' } }],
    },
    {
      id: 'alone',
      customer: 'g8',
      says: ['Move my trip T2 to Sunday.'],
      gold: [{ tool: 'move_booking', args: { booking: 'T2', day: 'Sunday' } }],
    },
  ],
});
const both = joinDesks([sampleDesk, travel], 'both');

describe('joined desks', () => {
  it('merge customers with the same email, and prefix the names of everything else', () => {
    expect(both.database['travel_bookings']).toEqual({ T1: { guest: 'c1', day: 'Monday' }, T2: { guest: 'travel-g8', day: 'Monday' } });
    expect(both.customers).toMatchObject({
      table: 'spoke_and_chain_customers',
      owns: { travel_bookings: 'guest', spoke_and_chain_orders: 'customer' },
    });
    expect(both.tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['spoke_and_chain_cancel_order', 'travel_move_booking', 'clock_now']),
    );
    expect(readDesk(JSON.parse(JSON.stringify(both)))).toEqual(both);
  });

  it('have cases that need both desks, each solved by its gold calls', () => {
    const crossed = both.tasks.filter(({ rubrics }) => rubrics !== undefined);
    const pending = crossed.find(({ id }) => id.startsWith('spoke_and_chain-cancel-pending.travel-move'));
    expect(pending?.gold.map(({ tool }) => tool)).toEqual(['spoke_and_chain_cancel_order', 'travel_move_booking']);
    expect(pending?.rubrics).toContain('To "On which day is T1?" the agent says Friday.');
    const { solvable, cases } = checkDesk(both);
    expect(solvable).toBe(cases);
  });

  it('share a clock', () => {
    const waited = runTool(both, both.database, { tool: 'clock_wait', args: { minutes: 20 } });
    expect(waited.ok && waited.database['clock']).toEqual({ now: { minutes: 20 } });
    expect(runTool(both, both.database, { tool: 'clock_wait', args: { minutes: -1 } })).toMatchObject({ ok: false });
  });

  it('reject desks with the same name', () => {
    expect(() => joinDesks([travel, travel], 'x')).toThrow('Joining needs two or more desks with different');
  });
});

describe('the sliding evaluator', () => {
  const lines = (count: number): readonly DialogueLine[] =>
    Array.from({ length: count }, (_, i) => ({
      by: i % 2 === 0 ? 'customer' : 'agent',
      text: `line ${i}`,
      raw: `line ${i}`,
      event: i,
      turn: i,
    }));

  it('reads every line in overlapping windows', () => {
    for (const count of [0, 1, 9, 10, 11, 18, 19, 100]) {
      const windows = windowsOf(lines(count), { width: 10, overlap: 2 });
      expect(new Set(windows.flat().map(({ event }) => event)).size).toBe(count);
      expect(windows.every((window) => window.length <= 10)).toBe(true);
    }
  });

  it('carries met rubrics into later windows, where they may be broken and fixed', async () => {
    const observations: string[] = [];
    const decide: DecideWindow = async (dialogueLines, states) => {
      observations.push(states.map(({ mark }) => mark).join());
      const has = (text: string) => dialogueLines.some((line) => line.text === text);
      return new Map(
        has('line 40') ? [[0, 'broken'] as const] : has('line 3') ? [[0, 'met'] as const] : has('line 25') ? [[1, 'met'] as const] : [],
      );
    };
    const states = await slideStates(lines(60), ['a', 'b'], decide);
    expect(states.map(({ mark }) => mark)).toEqual(['broken', 'met']);
    expect(observations.slice(0, 2)).toEqual(['open,open', 'met,open']);
  });

  it('scores by a model, and returns no value if the answers remain unreadable after retries', async () => {
    const facts = {
      desk: 'x',
      case: 'y',
      rubrics: ['The agent says Friday.'],
      steps: [],
      knows: {},
      secrets: [],
      writes: [],
      sources: '',
      due: 0,
    };
    const events = [
      { kind: 'start', environment: 'desk@3', task: {}, seed: 1, seats: ['agent', 'customer'], cast: {} },
      { kind: 'message', to: [], text: 'case', data: { desk: facts } },
      { kind: 'action', seat: 'agent', action: { text: 'It is Friday.' } },
      { kind: 'end', reason: 'over', returns: {}, penalties: {}, turns: 1 },
    ];
    const run = async (answer: (prompt: Prompt) => string) =>
      (
        await rubricStates(modelOf(answer)).score({ episodes: [{ id: 'e', events }], seat: 'agent' } as never, new AbortController().signal)
      )[0];
    const honest = (prompt: Prompt) => (String(prompt.messages[0]?.content).includes('agent: It is Friday.') ? '{"met": [1]}' : '{}');
    expect(await run(honest)).toMatchObject({ value: 1, status: 'ok', parts: { met: 1 }, cost: { calls: 1 } });
    expect(await run(() => 'well')).toMatchObject({ value: null, status: 'unparsed', parts: { unread: 1 }, cost: { calls: 3 } });
    const mended = (prompt: Prompt) => (prompt.messages.length > 1 ? '{"met": [], "broken": [1]}' : 'well');
    expect(await run(mended)).toMatchObject({ value: 0, status: 'ok', parts: { broken: 1 }, reason: 'broken: The agent says Friday.' });
    expect(await run(() => '{"met": [7]}')).toMatchObject({ value: 0 });
  });
});
