/** @file The first messages to the two seats of a consultation. */

import { pays } from './bayes.ts';
import { grammar } from './orders.ts';
import type { ClinicKind, ClinicTable } from './table.ts';
import type { ClinicCard } from './talk.ts';

const briefings = new Map<string, string>();

/** Long and constant, so it is cached for each table and setting. */
export function briefing(table: ClinicTable, task: { readonly turns: number; readonly handbook: boolean }): string {
  const key = `${table.name} ${task.turns} ${task.handbook}`;
  const briefing = briefings.get(key);
  if (briefing !== undefined) return briefing;
  const text = briefingText(table, task);
  briefings.set(key, text);
  return text;
}

function briefingText(table: ClinicTable, task: { readonly turns: number; readonly handbook: boolean }): string {
  const { turn, refer, missed } = table.charges;
  const line = (kind: ClinicKind) =>
    table.findings
      .filter((finding) => finding.kind === kind)
      .map(({ id, cost = 0, delay = 0 }) =>
        cost === 0 && delay === 0 ? id : `${id} (${[`costs ${cost}`, ...(delay > 0 ? [later(delay)] : [])].join(', ')})`,
      )
      .join(', ') || 'nothing';
  const lines = [
    table.scene,
    `It is one of: ${table.conditions.map(({ id, prior }) => `${id} (${prior})`).join(', ')}. The numbers are how common each is.`,
    `You may ask about: ${line('ask')}.`,
    `You may examine: ${line('exam')}.`,
    `You may test: ${line('test')}.`,
    `A right diagnosis pays 1, a list of two or three that holds it pays 0.5. Each turn costs ${turn}, and you have ${task.turns}. A referral costs ${refer}; a case with a red flag (${
      table.findings
        .filter(({ flag }) => flag)
        .map(({ id }) => id)
        .join(', ') || 'none here'
    }) that was not referred costs ${missed}.${
      table.must.length === 0 ? '' : ` Always cover: ${table.must.join(', ')}; all of them together pay ${pays.careful}.`
    }`,
    `${grammar} Answer with exactly one order in square brackets; words without brackets are said to the other.`,
  ];
  if (task.handbook) {
    lines.push('How often each finding is present, condition by condition in the order above:');
    for (const { id, chances } of table.findings) lines.push(`${id}: ${chances.join(' ')}`);
  }
  return lines.join('\n');
}

export function cardText(table: ClinicTable, { facts, talkative, learned, concern, mentions }: ClinicCard): string {
  const lines = table.findings.flatMap((finding) => {
    const present = facts[finding.id];
    return present === undefined
      ? []
      : [`- ${finding.id}: ${present ? 'yes' : 'no'} ("${(learned ? finding.learned : finding.plain)?.[present ? 0 : 1]}")`];
  });
  return [
    `You are the ${table.seats[1]}. Answer what you are asked truthfully, in your own words, and say no more than you know.`,
    `You are ${talkative ? 'talkative' : 'a person of few words'}, and speak ${learned ? 'like someone who has read about it' : 'plainly'}. What is on your mind: ${concern}.`,
    `Mention ${mentions} without being asked. This is how it is with you:`,
    ...lines,
  ].join('\n');
}

export function later(delay: number): string {
  return delay === 1 ? 'one turn later' : `${delay} turns later`;
}
