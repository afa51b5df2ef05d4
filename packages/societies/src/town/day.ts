/** @file Parts of a day besides choosing where to go: plans divided into hours, reactions to company, and thoughts in the evening. */

import type { Message, Seat } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { places } from './places.ts';
import { companyOf, seatsOf, type TownMove, type TownState, timeOf } from './state.ts';

const names = places.map(({ name }) => name);

/**
 * Parses a plan into places by hour. The text after an hour ("09 cafe", "9:00 to the cafe") belongs to it. A plan without hours is read in
 * the order of its places. Hours that a plan omits have no place.
 */
export function parseTownPlan(text: string, wake: number, hours: number): readonly string[] {
  const plan = new Array<string>(hours).fill('');
  const parts = [...text.matchAll(linear(/(?<![\p{L}\p{N}])(\d{1,2})(?::?00)?(?![\p{N}])([^\d]*)/gu))];
  for (const [, digits, rest] of parts) {
    const at = (Number(digits) - wake + 24) % 24;
    const [place] = placesIn(rest ?? '');
    if (at < hours && place !== undefined) plan[at] = place;
  }
  if (parts.length > 0) return plan;
  const order = placesIn(text);
  return plan.map((_, i) => order[i] ?? '');
}

/** Returns the places that a text names, in order. */
function placesIn(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => names.includes(word));
}

/** Stores everyone's plans. */
export function takePlans(state: TownState, moves: Readonly<Record<Seat, TownMove | null>>): Pick<TownState, 'plans'> | null {
  const { task } = state;
  if (task.hourly !== true) return null;
  return { plans: Object.fromEntries(seatsOf(task).map((seat) => [seat, parseTownPlan(moves[seat]?.says ?? '', task.wake, task.hours)])) };
}

/** Returns the number of planned hours, and in how many of them the plan was followed. */
export function keptPlans(
  { plans, at, hour, kept = { hours: 0, planned: 0 } }: TownState,
  seats: readonly Seat[],
): Pick<TownState, 'kept'> | null {
  if (plans === undefined) return null;
  const had = seats.filter((seat) => (plans[seat]?.[hour] ?? '') !== '');
  return {
    kept: { hours: kept.hours + had.filter((seat) => plans[seat]?.[hour] === at[seat]).length, planned: kept.planned + had.length },
  };
}

/** Updates plans with the changes for the next hour. */
export function replanDay(
  { plans, hour, task }: TownState,
  moves: Readonly<Record<Seat, TownMove | null>>,
): Pick<TownState, 'plans'> | null {
  if (plans === undefined || hour + 1 >= task.hours) return null;
  const changed = Object.entries(moves).flatMap(([seat, move]) =>
    move?.replan === undefined ? [] : [[seat, (plans[seat] ?? []).with(hour + 1, move.replan)] as const],
  );
  return changed.length === 0 ? null : { plans: { ...plans, ...Object.fromEntries(changed) } };
}

/** Returns the questions to people who are not alone. */
export function reactionQuestions(state: TownState): readonly Message[] {
  const seats = seatsOf(state.task);
  const replan = state.plans === undefined ? '' : ' Write [replan PLACE] to change where you go next.';
  return seats.flatMap((seat): readonly Message[] => {
    const others = companyOf(state.at, seats, seat);
    if (others.length === 0) return [];
    return [
      {
        to: [seat],
        text: `You are with ${others.join(', ')}. How do you react? What you write is said aloud; [nothing] is nothing.${replan}`,
      },
    ];
  });
}

const mostThoughts = 5;

/** Stores the thoughts of the evening, latest last. */
export function takeThoughts(
  { task, thoughts = {} }: TownState,
  moves: Readonly<Record<Seat, TownMove | null>>,
): Pick<TownState, 'thoughts'> {
  return {
    thoughts: Object.fromEntries(
      seatsOf(task).map((seat) => {
        const says = moves[seat]?.says ?? '';
        return [seat, [...(thoughts[seat] ?? []), ...(says === '' ? [] : [says.slice(0, 400)])].slice(-mostThoughts)];
      }),
    ),
  };
}

/** Returns a person's morning thoughts: reflections of earlier evenings, if memory is on. */
export function thoughtsText({ task, thoughts }: TownState, seat: Seat): string {
  const thought = task.memory ? (thoughts?.[seat] ?? []) : [];
  return thought.length === 0 ? '' : ` You have in mind: ${thought.join(' ')}`;
}

/** Returns the question that asks for a plan. */
export function planQuestion({ wake, hours }: TownState['task']): string {
  const example = Array.from({ length: Math.min(2, hours) }, (_, i) => `${timeOf(wake + i)} ${['cafe', 'market'][i]}`).join(', ');
  return `What is your plan for today? Write a place for each hour from ${timeOf(wake)} to ${timeOf(wake + hours - 1)}, like: ${example}.`;
}
