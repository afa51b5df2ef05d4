/** @file The course of a day: hours in which people go, meet, speak, and react; evenings, mornings, and the end. */

import { dueInterventions, type Intervention, interventionMessages } from '@ludus-agents/environments/internal/interventions';
import { forfeitText, type Message, type Seat, type Step } from '@ludus-agents/kernel/internal/core/index';
import { keptPlans, planQuestion, reactionQuestions, replanDay, thoughtsText } from './day.ts';
import { interviewMeasures, questionFor, rememberHour } from './interview.ts';
import { openPlaces, places } from './places.ts';
import type { TownMove, TownState, TownTask } from './state.ts';
import { asksOf, clockOf, companyOf, countMessages, interviewKinds, seatsOf, timeOf } from './state.ts';

type Moves = Readonly<Record<Seat, TownMove | null>>;

/** Finishes an hour's moves: determines who meets whom, and who hears what. */
export function hourOver(state: TownState, moves: Moves): Step<TownState> {
  const { task, day } = state;
  const seats = seatsOf(task);
  const at = Object.fromEntries(seats.map((seat) => [seat, moves[seat]?.to ?? state.at[seat]]));
  const used = usedAfter(state, at, moves);
  const messages: Message[] = [];
  for (const seat of seats) {
    const others = companyOf(at, seats, seat);
    const place = at[seat];
    const lines = [
      `Day ${day}, ${timeOf(clockOf(state))}. You are at ${place === 'home' ? 'home' : `the ${place}`}, ${others.length === 0 ? 'alone' : `with ${others.join(', ')}`}.`,
      ...(task.objects === true ? objectLines(place, used, [seat, ...others], moves) : []),
    ];
    if (moves[seat] === null) lines.unshift(forfeitText(seat));
    messages.push({ to: [seat], text: lines.join(' ') });
  }
  const spoken = speakWords({ ...state, at }, moves);
  messages.push(...spoken.messages);
  const pairs = seats.flatMap((seat) =>
    companyOf(at, seats, seat)
      .filter((other) => seats.indexOf(other) > seats.indexOf(seat))
      .map((other) => `${seat} ${other}`),
  );
  const fresh = pairs.filter((pair) => !state.met.includes(pair));
  const { knows, invented } = spoken;
  const now: TownState = {
    ...state,
    ...{ at, knows, invented, began: { knows: state.knows, fresh }, heard: spoken.said },
    ...(task.objects === true ? { used } : {}),
  };
  if (task.reactions !== true || pairs.length === 0) return hourClosed(now, messages);
  const reacting: TownState = { ...now, phase: 'react' };
  const all = [...messages, ...reactionQuestions(reacting)];
  const next = countMessages(reacting, all);
  return { state: next, messages: all, asks: asksOf(next) };
}

/** Applies the reactions of people who met someone. Their words are heard in the same place, within the same hour. */
export function takeReactions(state: TownState, moves: Moves): Step<TownState> {
  const { messages, knows, invented, said } = speakWords(state, moves);
  return hourClosed({ ...state, knows, invented, heard: [...(state.heard ?? []), ...said], ...replanDay(state, moves) }, messages);
}

/** Delivers speech to everyone in the same place. A person who didn't know the news when asked can pass it on only when asked next. */
function speakWords(state: TownState, moves: Moves) {
  const { task, at } = state;
  const seats = seatsOf(task);
  const knows: Record<Seat, Seat> = { ...state.knows };
  const messages: Message[] = [];
  const statements: string[] = [];
  let { invented } = state;
  for (const seat of seats) {
    const says = moves[seat]?.says ?? '';
    const hearers = companyOf(at, seats, seat);
    const isNews = task.news !== '' && says.toLowerCase().includes(task.news.toLowerCase());
    if (isNews && state.knows[seat] === undefined) invented++;
    if (says === '' || hearers.length === 0) continue;
    messages.push({ to: hearers, from: seat, text: says });
    statements.push(says);
    if (isNews && state.knows[seat] !== undefined) for (const hearer of hearers) knows[hearer] ??= seat;
  }
  return { messages, knows, invented, said: statements };
}

/** Returns the places whose object is no longer in its initial state, after this hour's uses. */
function usedAfter({ used = [] }: TownState, at: TownState['at'], moves: Moves): readonly string[] {
  const turned = Object.entries(moves).flatMap(([seat, move]) => (move?.uses === true ? [at[seat]] : []));
  return places
    .map(({ name }) => name)
    .filter((name) => (turned.filter((item) => item === name).length + (used.includes(name) ? 1 : 0)) % 2 === 1);
}

/** Describes an object's visible state, and who uses it. */
function objectLines(place: string, used: readonly string[], present: readonly Seat[], moves: Moves): readonly string[] {
  const object = places.find(({ name }) => name === place)?.object;
  if (object === undefined) return [];
  const users = present.filter((seat) => moves[seat]?.uses === true).toSorted();
  return [...users.map((seat) => `${seat} ${object.use}.`), `The ${object.name} is ${object.states[used.includes(place) ? 1 : 0]}.`];
}

/** Records the hour, and starts the next. */
function hourClosed(state: TownState, messages: readonly Message[]): Step<TownState> {
  const { task, day, hour, at, knows, began, ...rest } = state;
  const { fresh, knows: before } = began ?? { fresh: [], knows };
  const learned = Object.entries(knows).filter(([seat]) => before[seat] === undefined);
  const curve = [...state.curve, Object.keys(knows).length];
  const note: Message = {
    to: [],
    text: `day ${day}, ${timeOf(clockOf(state))}`,
    data: { hour: hour + 1, day, at, met: fresh, learned: Object.fromEntries(learned), know: curve.at(-1) as number },
  };
  const next: TownState = {
    ...rest,
    ...{ task, day, at, knows, curve, met: [...state.met, ...fresh], hour: hour + 1 },
    ...rememberHour(state),
    ...keptPlans(state, seatsOf(task)),
  };
  const all = [...messages, note];
  if (next.hour < task.hours) return askAll(next, all);
  return task.reflection === true ? evening(next, all) : eveningOver(next, all);
}

/** Asks everyone the same question in words. */
function askedAll(state: TownState, before: readonly Message[], textOf: (seat: Seat) => string): Step<TownState> {
  const messages = [...before, ...seatsOf(state.task).map((seat): Message => ({ to: [seat], text: textOf(seat) }))];
  const next = countMessages(state, messages);
  return { state: next, messages, asks: asksOf(next) };
}

function evening(state: TownState, before: readonly Message[]): Step<TownState> {
  const text = `Day ${state.day} is over. What of it do you want to keep in mind? Write a sentence or two.`;
  return askedAll({ ...state, phase: 'reflect' }, before, () => text);
}

export function eveningOver(state: TownState, before: readonly Message[]): Step<TownState> {
  if (state.day < state.task.days) return nextDay(state, before);
  return state.task.interviews === true ? beginInterviews(state, before) : finish(state, before);
}

/** Asks the next interview question, or ends the episode. */
export function beginInterviews(state: TownState, before: readonly Message[]): Step<TownState> {
  const kind = interviewKinds[state.interview?.asked ?? 0];
  if (kind === undefined) return finish(state, before);
  return askedAll({ ...state, phase: 'interview' }, before, (seat) => questionFor(kind, seat, state).text);
}

function nextDay(state: TownState, messages: readonly Message[]): Step<TownState> {
  const seats = seatsOf(state.task);
  const [first] = seats as [Seat];
  const knows = state.task.memory ? state.knows : { [first]: first };
  const morning = `Day ${state.day + 1} begins.`;
  const fresh: TownState = {
    ...state,
    day: state.day + 1,
    hour: state.task.plan ? -1 : 0,
    knows,
    at: Object.fromEntries(seats.map((seat) => [seat, 'home'])),
    seen: Object.fromEntries(seats.map((seat) => [seat, 0])),
  };
  const reminded = (seat: Seat) => (!state.task.memory && seat === first ? ` ${newsText(state.task)}` : '');
  // The evening belongs to the previous day; only the morning counts toward the new one.
  const step = askAll(
    fresh,
    seats.map((seat) => ({ to: [seat], text: `${morning}${reminded(seat)}${thoughtsText(state, seat)}` })),
  );
  return { ...step, messages: [...messages, ...step.messages] };
}

function finish(state: TownState, messages: readonly Message[]): Step<TownState> {
  const { task, met, curve, knows, invented, kept } = state;
  const possible = (task.people * (task.people - 1)) / 2;
  const measures = {
    ...{ curve, know: Object.keys(knows).length, people: task.people, from: knows, density: met.length / possible, invented },
    ...(kept === undefined ? {} : { plansKept: kept.planned === 0 ? 0 : kept.hours / kept.planned }),
    ...(state.together === undefined ? {} : { together: state.together }),
    ...interviewMeasures(state),
  };
  return { state: { ...state, over: true }, messages: [...messages, { to: [], text: 'measures', data: { measures } }], asks: [] };
}

/** Triggers interventions before people are asked where they go. */
function intervene(state: TownState): { readonly state: TownState; readonly messages: readonly Message[] } {
  const { task, day, hour, knows } = state;
  if (task.interventions === undefined || hour < 0) return { state, messages: [] };
  const step = (day - 1) * task.hours + hour + 1;
  const { due, history } = dueInterventions(task.interventions as readonly Intervention[], state.happened ?? {}, {
    step,
    said: state.heard ?? [],
    measures: { know: Object.keys(knows).length, day, hour: clockOf(state) },
  });
  const observation: Record<Seat, Seat> = { ...knows };
  // The recipient of the news has no source in town.
  for (const { tell, to } of due)
    if (task.news !== '' && tell.toLowerCase().includes(task.news.toLowerCase()))
      for (const seat of to.length === 0 ? seatsOf(task) : to) observation[seat] ??= 'announcement';
  return { state: { ...state, knows: observation, happened: history }, messages: interventionMessages(due, seatsOf(task), step) };
}

/** Returns the step that asks everyone the next question. */
export function askAll(before: TownState, messages: readonly Message[]): Step<TownState> {
  const { state, messages: observedMessages } = intervene(before);
  const hour = clockOf(state);
  const plain =
    state.hour < 0
      ? state.task.hourly === true
        ? planQuestion(state.task)
        : 'What is your plan for today, hour by hour? Answer in a few words.'
      : `It is ${timeOf(hour)}. Where do you go? Open now: ${openPlaces(hour)
          .map(({ name }) => name)
          .join(', ')}. Answer with one move in square brackets, like [go square]; what you write besides is said aloud there.`;
  const plannedText = (seat: Seat) => {
    const place = state.hour < 0 ? '' : (state.plans?.[seat]?.[state.hour] ?? '');
    return place === '' ? '' : ` Your plan for this hour: ${place}.`;
  };
  return askedAll(state, [...messages, ...observedMessages], (seat) => `${plain}${plannedText(seat)}`);
}

export function newsText({ news }: TownTask): string {
  return `You have some news: ${news}.`;
}
