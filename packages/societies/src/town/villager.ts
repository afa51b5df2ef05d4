/**
 * @file A scripted villager: plans its hours, follows the plan, passes on the news, and answers interviews from what is left in its view.
 */

import type { Script } from '@ludus-agents/kernel/internal/core/index';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import { findMentions, openPlaces, places, townspeople } from './places.ts';

type Turn = Parameters<Script>[0];

type Outlook = {
  readonly knows: boolean;
  readonly news: string;
  readonly open: readonly string[];
  readonly phase?: string;
  readonly planned?: string;
};

const names = places.map(({ name }) => name);

export const villager: Script = (turn) => {
  const { knows, news, open, phase, planned } = turn.ask.data as Outlook;
  const tells = knows ? ` Have you heard? ${news}!` : '';
  if (phase === 'react') return { text: knows ? tells.trim() : '[nothing]' };
  if (phase === 'reflect') return { text: `I spent the day with ${companionsIn(linesOf(turn))[0] ?? 'nobody'}.` };
  if (phase === 'interview') return { text: answerTo(linesOf(turn)) };
  if (turn.ask.choices === undefined) return { text: planIn(turn) };
  const to = planned !== undefined && planned !== '' && open.includes(planned) ? planned : turn.rng.pick(open);
  return { text: `[go ${to}]${tells}` };
};

/** Returns the lines that the seat can see, including its own words. */
function linesOf({ view, ask }: Turn): readonly string[] {
  const observations = view.seen.flatMap((item) =>
    item.kind === 'message' ? [item.text] : item.kind === 'action' ? [`I: ${item.action.text}`] : [],
  );
  return [...observations.slice(0, -1), `You are ${ask.seat}.`, ...observations.slice(-1)];
}

/** Returns a place for each hour that the question names. */
function planIn(turn: Turn): string {
  const question = linesOf(turn).at(-1) ?? '';
  const [from, to] = [...question.matchAll(/(\d{2}):00/g)].map(([, hour]) => Number(hour));
  if (from === undefined || to === undefined) return 'I go out, and see whom I meet.';
  const hours = (to - from + 24) % 24;
  return Array.from({ length: hours + 1 }, (_, i) => {
    const hour = (from + i) % 24;
    const open = openPlaces(hour).map(({ name }) => name);
    return `${String(hour).padStart(2, '0')}:00 ${turn.rng.pick(open)}`;
  }).join(', ');
}

/** Returns people by the hours spent with them, most first. */
function companionsIn(lines: readonly string[]): readonly string[] {
  const hours = new Map<string, number>();
  for (const line of lines) {
    const others = linear(/^Day \d+, \d{2}:00\. You are at .*? with ([a-z, ]+)\./).exec(line)?.[1];
    for (const name of others === undefined ? [] : findMentions(others, townspeople)) hours.set(name, (hours.get(name) ?? 0) + 1);
  }
  return [...hours].sort((a, b) => b[1] - a[1]).map(([name]) => name);
}

function answerTo(lines: readonly string[]): string {
  const question = lines.at(-1) ?? '';
  if (question.includes('your name')) return /^You are (\w+)\.$/.exec(lines.at(-2) ?? '')?.[1] ?? 'somebody';
  const then = /on day (\d+) at (\d{2}:00)/.exec(question);
  if (then !== null) {
    const line = lines.find((line) => line.startsWith(`Day ${then[1]}, ${then[2]}.`));
    return /You are at (?:the )?(\w+)/.exec(line ?? '')?.[1] ?? 'I do not remember.';
  }
  const hour = /would be at (\d{2}:00)/.exec(question)?.[1];
  if (hour !== undefined) {
    const plan = lines.findLast((line) => line.startsWith('I: ') && line.includes(`${hour} `)) ?? '';
    return findMentions(plan.slice(plan.indexOf(hour) + hour.length).split(',')[0] ?? '', names)[0] ?? 'I had no plan.';
  }
  if (question.includes('is open')) return 'the square';
  return companionsIn(lines)[0] ?? 'nobody';
}
