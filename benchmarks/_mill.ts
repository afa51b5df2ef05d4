/** @file A mill to repair, as a user might write an environment: text observations, and moves that are refused most of the time. */

import { defineEnvironment, parameter } from 'ludus-agents';

type Place = 'yard' | 'loft' | 'wheel';

type Mill = {
  readonly at: Place;
  readonly has: readonly string[];
  readonly left: number;
};

const exits: Readonly<Record<Place, readonly Place[]>> = { yard: ['loft', 'wheel'], loft: ['yard'], wheel: ['yard'] };
const texts: Readonly<Record<Place, string>> = {
  yard: 'You stand in the yard of the mill. A cog lies in the grass.',
  loft: 'You are up in the loft. A rope hangs from a beam.',
  wheel: 'You are at the water wheel. The hub has no cog, and the sluice hangs loose.',
};
/** What each deed needs, where it is done, and its result. */
const deeds: Readonly<Record<string, { readonly at: Place; readonly needs?: string; readonly gives: string; readonly text: string }>> = {
  'take cog': { at: 'yard', gives: 'cog', text: 'You pick up the cog. It is heavy.' },
  'take rope': { at: 'loft', gives: 'rope', text: 'You coil the rope over your shoulder.' },
  'fit cog': { at: 'wheel', needs: 'cog', gives: 'hub', text: 'The cog slides onto the hub.' },
  'tie sluice': { at: 'wheel', needs: 'rope', gives: 'sluice', text: 'The sluice is tied fast.' },
};

const parameters = { shift: parameter.integer({ min: 6, max: 40, default: 14, description: 'moves until night' }) };

/** The wheel needs a cog and the sluice a rope; then the water may come in. */
export const mill = defineEnvironment<Mill, typeof parameters>({
  id: 'mill@1',
  about: { summary: 'Repair a water mill and let the water in.', tasks: [{ shift: 14 }], turns: 160, complete: true, open: true },
  parameters,
  seats: () => ['miller'],
  start: ({ shift }) => ({
    state: { at: 'yard', has: [], left: shift },
    messages: `Get the mill to run: the wheel needs a cog, the sluice a rope, and then water. ${texts.yard}`,
  }),
  turn: ({ at }) => ({
    seat: 'miller',
    choices: [...exits[at].map((place) => `go ${place}`), ...Object.keys(deeds), 'open sluice', 'kick wheel', 'sing'],
  }),
  play(state, move) {
    const { at, has } = state;
    const left = state.left - 1;
    const night = left === 0 ? ' Night falls.' : '';
    if (move === 'open sluice' && at === 'wheel') {
      const runs = has.includes('hub') && has.includes('sluice');
      const messages = `Water rushes in and ${runs ? 'the mill turns' : 'everything breaks'}.`;
      return { state: { ...state, left }, messages, rewards: { miller: runs ? 1 : 0 }, over: true };
    }
    const deed = deeds[move];
    const isDone =
      deed !== undefined && deed.at === at && !has.includes(deed.gives) && (deed.needs === undefined || has.includes(deed.needs));
    const to = move.startsWith('go ') ? (move.slice(3) as Place) : at;
    const text = move.startsWith('go ') ? texts[to] : isDone ? deed.text : 'That does not work here.';
    const after = { at: to, has: isDone ? [...has, deed.gives] : has, left };
    return { state: after, messages: text + night, rewards: { miller: 0 }, over: left === 0 };
  },
  forfeit: (state) => ({ state, messages: 'You gave up.', rewards: { miller: 0 }, over: true }),
});
