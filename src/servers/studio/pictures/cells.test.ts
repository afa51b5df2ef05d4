import { describe, expect, it } from 'vitest';
import { type Json, rng } from '../../../core/index.ts';
import { builtInEnvironment } from '../../../environments/index.ts';
import { pictureOf } from './index.ts';

async function drawn(name: string, task: Json, seat: string | null) {
  const environment = await builtInEnvironment(name);
  const read = environment.task(task);
  const { state } = environment.start(read, rng(1, 'start'));
  return pictureOf(name, state, { seat, seats: environment.seats(read), knows: null });
}

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
  ])('of %s show what the rules are in', async (name, task, cells) => {
    expect(await drawn(name, task, null)).toMatchObject({ kind: 'grid', cells });
  });

  it('are not shown to a seat that sees less', async () => {
    expect(await drawn('maze', { sight: 'walls' }, 'walker')).toBeNull();
    expect(await drawn('maze', {}, 'walker')).not.toBeNull();
    expect(await drawn('pathfinding', {}, 'agent 1')).toBeNull();
    expect(await drawn('pathfinding', { sight: 'all' }, 'agent 1')).toMatchObject({ columns: 8 });
  });
});
