import { rng } from '@ludus-agents/kernel/internal/core/index';
import { town } from '@ludus-agents/societies/internal/town/town';
import { describe, expect, it } from 'vitest';
import type { PlacePicture } from '../api.ts';
import { pictureOf } from './index.ts';

describe('the map of a town', () => {
  const task = town.task({ people: 4, plan: false });
  const seats = town.seats(task);
  const { state } = town.start(task, rng(1, 'start'));
  const go = { ada: 'cafe', ben: 'cafe', cleo: 'park', dora: 'home' };
  const actions = Object.fromEntries(Object.entries(go).map(([seat, place]) => [seat, { text: `[go ${place}]` }]));
  const next = town.step(state, actions, rng(1, 'step')).state;
  const peopleIn = (seat: string | null) => {
    const picture = pictureOf('town@1', next, { seat, seats, knows: null, choices: [] }) as unknown as {
      places: readonly PlacePicture[];
      note: string;
    };
    return {
      note: picture.note,
      closed: picture.places.flatMap(({ name, closed }) => (closed === true ? [name] : [])),
      marked: picture.places.flatMap(({ marked = [] }) => marked),
      here: Object.fromEntries(picture.places.flatMap(({ name, here }) => (here.length > 0 ? [[name, here]] : []))),
    };
  };

  it('shows locations, the time, and the spread of the news', () => {
    expect(peopleIn(null)).toEqual({
      note: 'Day 1, 08:00 to 09:00, 1 of 4 know the news (marked)',
      closed: ['library', 'tavern'],
      marked: ['ada'],
      here: { home: ['dora'], cafe: ['ada', 'ben'], park: ['cleo'] },
    });
  });

  it('shows a seat only its own company, without the spread of the news', () => {
    expect(peopleIn('ben')).toEqual({
      note: 'Day 1, 08:00 to 09:00',
      closed: ['library', 'tavern'],
      marked: [],
      here: { cafe: ['ben', 'ada'] },
    });
    expect(peopleIn('dora').here).toEqual({ home: ['dora'] });
  });
});
