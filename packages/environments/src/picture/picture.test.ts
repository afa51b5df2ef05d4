import { type EpisodeEvent, type ImagePart, rng, sha256, type Turn } from '@ludus-agents/kernel/internal/core/index';
import { play } from '@ludus-agents/kernel/internal/engine/play';
import { describe, expect, it } from 'vitest';
import { builtInEnvironment } from '../built-in.ts';

import { boardImage } from './board.ts';
import { decodePng, readBoard } from './read-board.cases.ts';

async function logOf(name: string, task: object, seed = 1): Promise<readonly EpisodeEvent[]> {
  const environment = await builtInEnvironment(name);
  const read = environment.task({ ...task });
  const agent = { name: 'first move', act: ({ ask }: Turn) => ({ action: { text: ask.choices?.[0] ?? '' } }) };
  const cast = Object.fromEntries(environment.seats(read).map((seat) => [seat, agent]));
  const events: EpisodeEvent[] = [];
  for await (const event of play(environment, cast, { task: { ...task }, seed, limits: { turns: 4 } })) events.push(event);
  return events;
}

const imagesOf = (events: readonly EpisodeEvent[]): readonly ImagePart[] =>
  events.flatMap((event) => {
    if (event.kind === 'message') return event.images ?? [];
    return event.kind === 'turn' ? event.asks.flatMap(({ images = [] }) => images) : [];
  });

describe('board pictures', () => {
  it('can be read back from their pixels for any board', () => {
    const dice = rng(7, 'boards');
    const marks = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i));
    for (let i = 0; i < 25; i++) {
      const [columns, rows] = [1 + dice.int(9), 1 + dice.int(6)];
      const text = Array.from({ length: rows }, () => Array.from({ length: columns }, () => dice.pick(marks)).join('')).join('\n');
      const image = boardImage(text);
      expect(readBoard(image)).toBe(text);
      expect([image.width, image.height, image.alt]).toEqual([columns * 28 + 2, rows * 28 + 1, text]);
    }
  });

  it('have the same bytes on every machine', () => {
    const { data } = boardImage('XO.\n.X.\n#@G');
    expect(sha256(data)).toMatchInlineSnapshot(`"7a311e60f73cca81ed5e4773888c94a0d7aa64b6629afadb4e76ec976cb01c00"`);
    expect(Buffer.from(data, 'base64').subarray(1, 4).toString()).toBe('PNG');
  });

  it('show the same as the text of the message, and only on request', async () => {
    for (const [name, task] of [
      ['tic-tac-toe', {}],
      ['minesweeper', { columns: 4, rows: 4, mines: 2 }],
      ['frozen-lake', {}],
      ['sokoban', {}],
      ['maze', { sight: 'map' }],
    ] as const) {
      const events = await logOf(name, { ...task, pictures: true });
      const episodeEvents = events.filter((event) => event.kind === 'message' && event.images !== undefined);
      expect(episodeEvents.length, name).toBeGreaterThan(1);
      for (const event of episodeEvents)
        if (event.kind === 'message')
          for (const image of event.images ?? []) {
            expect(event.text, name).toContain(image.alt);
            expect(readBoard(image), name).toBe(image.alt);
          }
      expect(imagesOf(await logOf(name, task)), name).toEqual([]);
    }
  });

  it('show a seat only the information for that seat', async () => {
    const events = await logOf('pathfinding', { agents: 2, pictures: true, sight: 'radius' }).catch(() =>
      logOf('pathfinding', { agents: 2, pictures: true }),
    );
    const views = events.filter((event) => event.kind === 'message' && event.images !== undefined);
    expect(views.length).toBeGreaterThan(1);
    for (const event of views) if (event.kind === 'message') expect(event.to).toHaveLength(1);
    // Each is the one "@" on its own map.
    for (const image of imagesOf(events)) expect([...readBoard(image)].filter((mark) => mark === '@')).toHaveLength(1);
  });

  it('are also drawn for chess, kitchen, skirmish, and sites', async () => {
    for (const name of ['chess', 'kitchen', 'skirmish', 'sites']) {
      const [first] = imagesOf(await logOf(name, { pictures: true }));
      const { width, height } = decodePng(Buffer.from(first!.data, 'base64'));
      expect([width, height], name).toEqual([first!.width, first!.height]);
    }
  });

  it('are rejected in environments without pictures and together with a disguise', async () => {
    const poker = await builtInEnvironment('kuhn-poker');
    expect(() => poker.task({ pictures: true })).toThrow(/kuhn-poker does not draw pictures/);
    const sites = await builtInEnvironment('sites');
    expect(() => sites.task({ pictures: true, disguise: 3 })).toThrow(/Remove "pictures" or "disguise"/);
  });
});
