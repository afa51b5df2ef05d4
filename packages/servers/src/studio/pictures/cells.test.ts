import { builtInEnvironment } from '@ludus-agents/environments/internal/built-in';
import { type Json, rng } from '@ludus-agents/kernel/internal/core/index';
import { describe, expect, it } from 'vitest';
import type { GridPicture, SheetPicture } from '../api.ts';
import { pictureOf } from './index.ts';

async function drawn(name: string, task: Json, seat: string | null) {
  const environment = await builtInEnvironment(name);
  const read = environment.task(task);
  const { state, asks } = environment.start(read, rng(1, 'start'));
  const knows = seat === null ? null : (environment.knows?.(state, seat) ?? null);
  const choices = asks.find((ask) => ask.seat === seat)?.choices ?? [];
  return pictureOf(name, state, { seat, seats: environment.seats(read), knows, choices });
}

const gridOf = async (name: string, task: Json, seat: string) => (await drawn(name, task, seat)) as GridPicture;

/** The move of a cell, or of two; undefined where there is none. */
const moveBy = ({ plays = [] }: GridPicture, ...cells: readonly number[]) => plays.find((play) => play.cells.join() === cells.join())?.move;

const moveByKey = ({ plays = [] }: GridPicture, key: string) => plays.find((play) => play.key === key)?.move;

describe('boards', () => {
  it.each([
    ['frozen-lake', {}, '@....H.H...HH..G'],
    ['maze', { map: 'u-maze' }, '######...##.#.##@#G######'],
    ['sokoban', { level: 'push' }, '######@$o######'],
    ['kitchen', {}, 'XXPXXO..2OX1..XXDXSX'],
    ['skirmish', { size: 3, units: 1, enemies: 1 }, 'a.......A'],
    ['motor', { reference: 105 }, `${'.'.repeat(15)}V${'.'.repeat(15)}|${'.'.repeat(20)}A${'.'.repeat(10)}`.slice(0, 63)],
    ['drones', { spread: 0 }, `${'.'.repeat(88)}1${'.'.repeat(87)}`],
    ['volleyball', {}, `${'.'.repeat(13)}o.....|${'.'.repeat(12)}|${'.'.repeat(12)}|......`],
    ['minesweeper', { layout: '*./..' }, '####'],
    ['chess', { fen: '7k/8/8/8/8/8/8/KQ6 w - - 0 1' }, `.......k${'.'.repeat(48)}KQ......`],
    ['wordle', { tries: 2 }, '..........'],
  ])('of %s show the current position', async (name, task, cells) => {
    expect(await drawn(name, task, null)).toMatchObject({ kind: 'grid', cells });
  });

  it('distinguish walls from letters, and the two colors of chess squares', async () => {
    expect((await gridOf('maze', { map: 'u-maze' }, 'walker')).looks).toBe('wwwwww...ww.w.ww.w.wwwwww');
    expect((await gridOf('kitchen', {}, 'cook 1')).looks?.startsWith('ww.ww.')).toBe(true);
    expect((await gridOf('chess', {}, 'white')).looks?.slice(0, 17)).toBe('ldldldlddldldldll');
    expect((await gridOf('minesweeper', {}, 'sweeper')).looks).toBeUndefined();
  });

  it('show a seat with limited sight only what it sees', async () => {
    expect((await gridOf('maze', { map: 'u-maze', sight: 'walls' }, 'walker')).cells).toBe('?.?#@#?#?');
    expect((await gridOf('maze', { map: 'u-maze', sight: 'place' }, 'walker')).cells).toBe('???????????.???#@#G??#???');
    expect((await gridOf('maze', { map: 'u-maze' }, 'walker')).cells).toBe('######...##.#.##@#G######');
    const far = { layout: '......', agents: 2, radius: 1 };
    for (const [seat, other] of [
      ['agent 1', '2'],
      ['agent 2', '1'],
    ] as const) {
      const [near, all] = await Promise.all([gridOf('pathfinding', far, seat), gridOf('pathfinding', { ...far, sight: 'all' }, seat)]);
      const [at, others] = [near.cells.indexOf(seat.at(-1)!), all.cells.indexOf(other)];
      expect(near.cells.includes(other)).toBe(Math.abs(at - others) <= 1);
      expect(near.cells).toContain('G');
    }
  });

  it('offer no moves to spectators', async () => {
    for (const name of ['frozen-lake', 'chess', 'kitchen', 'skirmish', 'motor', 'drones', 'volleyball', 'minesweeper', 'tic-tac-toe'])
      expect(((await drawn(name, {}, null)) as GridPicture).plays).toEqual([]);
  });
});

describe('a board move', () => {
  it('can be made with an adjacent cell or an arrow key', async () => {
    const lake = await gridOf('frozen-lake', {}, 'walker');
    expect([moveBy(lake, 1), moveBy(lake, 4), moveByKey(lake, 'ArrowRight'), moveByKey(lake, 'ArrowUp'), moveBy(lake, 9)]).toEqual([
      '[right]',
      '[down]',
      '[right]',
      '[up]',
      undefined,
    ]);
    const boxes = await gridOf('sokoban', { level: 'push' }, 'pusher');
    expect(moveBy(boxes, 7)).toBe('[right]');
  });

  it('can be made with a cell, and a second one with the right button', async () => {
    const mines = await gridOf('minesweeper', {}, 'sweeper');
    expect(mines.plays?.filter(({ cells }) => cells[0] === 8).map(({ move }) => move)).toEqual(['[reveal 1 2]', '[flag 1 2]']);
    const marks = await gridOf('tic-tac-toe', {}, 'X');
    expect(moveBy(marks, 4)).toBe('[4]');
    const falling = await gridOf('connect-four', {}, 'X');
    expect([moveBy(falling, 3), moveBy(falling, 38)]).toEqual(['[3]', '[3]']);
  });

  it('can be made with two squares in chess, in either notation', async () => {
    for (const notation of ['uci', 'san']) {
      const board = await gridOf('chess', { notation }, 'white');
      expect(board.plays).toHaveLength(20);
      expect([moveBy(board, 52, 36), moveBy(board, 62, 45)]).toEqual(notation === 'uci' ? ['[e2e4]', '[g1f3]'] : ['[e4]', '[Nf3]']);
    }
  });

  it('can be made with stations and the facing object in the kitchen', async () => {
    const steps = await gridOf('kitchen', {}, 'cook 1');
    expect([moveBy(steps, 12), moveByKey(steps, 'e'), moveByKey(steps, '.')]).toEqual(['[right]', '[interact]', '[stay]']);
    const orders = await gridOf('kitchen', { moves: 'orders' }, 'cook 1');
    expect([moveBy(orders, 5), moveBy(orders, 16), moveBy(orders, 2)]).toEqual(['[fetch onion]', '[fetch dish]', '[cook]']);
  });

  it('can be made by units together or alone in a skirmish', async () => {
    const board = await gridOf('skirmish', { size: 8 }, 'commander');
    expect([moveByKey(board, 'ArrowDown'), moveBy(board, 63), moveBy(board, 1, 9), moveBy(board, 1, 63), moveBy(board, 0, 1)]).toEqual([
      '[all down]',
      '[all attack 1]',
      '[2 down]',
      '[2 attack 1]',
      undefined,
    ]);
    expect(moveBy(await gridOf('skirmish', { size: 8 }, 'rival'), 0)).toBe('[all attack 1]');
  });

  it('can be made with positions that stand for numbers', async () => {
    const motor = await gridOf('motor', {}, 'controller');
    expect([moveBy(motor, 21), moveBy(motor, 41), moveByKey(motor, 'ArrowDown')]).toEqual(['[-1]', '[1]', '[0]']);
    const drone = await gridOf('drones', {}, 'pilot 1');
    expect(moveByKey(drone, 'ArrowUp')).toBe('[0.1 0.1 0.1 0.1]');
    const wind = await gridOf('drones', { game: 'adversary' }, 'adversary');
    expect(moveByKey(wind, 'ArrowRight')).toBe('[1 0]');
    const court = await gridOf('volleyball', {}, 'home');
    expect(court.plays?.map(({ move }) => move)).toEqual(['[serve]', '[short serve]']);
  });

  /** Every move of every board is one that the rules take. */
  it.each([
    ['frozen-lake', {}],
    ['maze', {}],
    ['minesweeper', {}],
    ['sokoban', {}],
    ['pathfinding', {}],
    ['chess', { notation: 'san' }],
    ['kitchen', {}],
    ['kitchen', { moves: 'orders' }],
    ['skirmish', {}],
    ['motor', {}],
    ['drones', { game: 'adversary' }],
    ['volleyball', {}],
    ['guess-my-city', {}],
    ['tutor', {}],
    ['support', {}],
    ['support', { setting: 'arena' }],
    ['debate', {}],
    ['debate', { bets: 'none' }],
    ['nations', {}],
    ['recommender', {}],
    ['shift', { change: 'goal' }],
  ] as const)('on %s %j is always legal', async (name, task) => {
    const environment = await builtInEnvironment(name);
    const read = environment.task(task);
    let { state, asks } = environment.start(read, rng(1, 'start'));
    // Who seeks support speaks first, in their own words.
    for (let turn = 0; asks.some(({ choices }) => choices === undefined) && turn < 5; turn++)
      ({ state, asks } = environment.step(state, { [asks[0]!.seat]: { text: 'I do not sleep well.' } }, rng(1, 'step', turn)));
    const usual = Object.fromEntries(asks.map(({ seat, choices }) => [seat, { text: choices![0]! }]));
    for (const { seat, choices } of asks) {
      const knows = environment.knows?.(state, seat) ?? null;
      const picture = pictureOf(name, state, { seat, seats: environment.seats(read), knows, choices: choices! })!;
      const moves =
        picture.kind === 'grid'
          ? picture.plays!.map(({ move }) => move)
          : (picture as SheetPicture).tables.flatMap(({ rows }) =>
              rows.flatMap(({ cells }) => cells.flatMap(({ move }) => (move === undefined ? [] : [move]))),
            );
      expect(moves.length).toBeGreaterThan(0);
      for (const text of moves)
        expect(environment.step(state, { ...usual, [seat]: { text } }, rng(1, 'step')).penalties?.[seat] ?? 0).toBe(0);
    }
  });
});

describe('tables', () => {
  const tableOf = async (name: string, task: Json, seat: string | null) => JSON.stringify(await drawn(name, task, seat));

  it('contain every available move', async () => {
    const environment = await builtInEnvironment('nations');
    const { asks } = environment.start(environment.task({}), rng(1, 'start'));
    const table = await tableOf('nations', {}, 'purple');
    for (const move of asks[0]!.choices!) expect(table).toContain(`"${move}"`);
  });

  it('contain nothing that a seat may not know', async () => {
    expect(await drawn('tutor', {}, 'student')).toBeNull();
    const environment = await builtInEnvironment('debate');
    const read = environment.task({});
    const first = environment.start(read, rng(1, 'start'));
    const next = environment.step(first.state, { proposition: { text: '[argue freedom, bet 70]' } }, rng(1, 'step'));
    const table = (seat: string | null) => {
      const knows = seat === null ? null : environment.knows!(next.state, seat);
      return JSON.stringify(pictureOf('debate', next.state, { seat, seats: environment.seats(read), knows, choices: [] }));
    };
    expect(table('proposition')).toContain('"70"');
    expect(table('opposition')).not.toContain('"70"');
    expect(table(null)).toContain('"70"');
    const early = { mode: 'budget', ahead: false };
    expect((await tableOf('tutor', early, 'tutor')).split('item ')).toHaveLength(2);
    expect((await tableOf('tutor', early, null)).split('item ')).toHaveLength(7);
  });

  it('of a service show the served items, but not the preferences of guests', async () => {
    const environment = await builtInEnvironment('shift');
    const read = environment.task({});
    const { state } = environment.start(read, rng(1, 'start'));
    const served = environment.step(state, { chooser: { text: '[serve rice]' } }, rng(1, 'step')).state as {
      readonly paid: readonly number[];
    };
    const picture = pictureOf('shift', served, { seat: 'chooser', seats: ['chooser'], knows: null, choices: [] }) as SheetPicture;
    const worth = `${Math.round(served.paid[0]! * 1000) / 1000}`;
    expect(picture.tables[0]!.rows.map(({ cells }) => cells.map(({ text }) => text).join())).toEqual(['–,0', '–,0', `${worth},1`, '–,0']);
  });

  it('of support say that it is a simulation', async () => {
    for (const seat of [null, 'supporter', 'seeker']) expect(await tableOf('support', {}, seat)).toContain('simulation');
  });
});
