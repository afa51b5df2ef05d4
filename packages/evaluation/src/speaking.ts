/**
 * @file Compares when a simulated user speaks or stays silent with human decisions at the same points of the same conversations. Usually
 * nothing is said, so accuracy is uninformative: the F score of speaking counts. If both speak, their acts are compared.
 */

import { isSilent, type NextLineSpeech } from '@ludus-agents/environments/internal/next-line/next-line';
import { canonical, type EpisodeRecord, type Json, type Store } from '@ludus-agents/kernel/internal/core/index';
import { isObject } from '@ludus-agents/kernel/internal/core/json';
import { linear } from '@ludus-agents/kernel/internal/core/linear';
import type { HumanConversation } from './conversations.ts';
import type { Interval } from './scoring/statistics/mean.ts';
import { clusteredRate, type RatedTry } from './scoring/statistics/rates.ts';

/** A point in a conversation: the preceding messages, and the person's message; empty if the person was silent. */
export type SpeakingTask = {
  readonly character: string;
  readonly history: readonly NextLineSpeech[];
  readonly source: string;
  readonly watch: true;
};

/** All points after messages of others, except the last, whose continuation is unknown. */
export function speakingTasks({ user, turns }: HumanConversation): readonly SpeakingTask[] {
  return turns.slice(0, -1).flatMap(({ speaker }, i) => {
    const next = turns[i + 1];
    if (speaker === user || (next.speaker === user && isSilent(next.text))) return [];
    return [{ character: user, history: turns.slice(0, i + 1), source: next.speaker === user ? next.text : '', watch: true }];
  });
}

const acts: readonly (readonly [string, RegExp])[] = [
  ['denies', /^\s*(?:no\b|nope|nah|not )/i],
  [
    'agrees',
    linear(
      /^\s*(?:yes|yeah|yep|yup|ok(?:ay)?\b|sure|sounds (?:good|great)|perfect|correct|right\b|that(?:'s| is) (?:right|correct|fine|it))/i,
    ),
  ],
  ['leaves', /\b(?:bye|goodbye|that(?:'s| is| will be|'ll be) all|nothing else|have a (?:nice|good|great) )/i],
  ['asks', linear(/\?|^\s*(?:what|when|where|which|who|how|does|do|is|are|tell me)\b/i)],
  ['wants', /\b(?:i (?:want|need|would like|wish)|i'd like|i'm looking|looking for|please|can you|could you|find me|get me|book)\b/i],
  ['thanks', /\b(?:thanks?|thank you|thx)\b/i],
];

/** The main act of a line, by rule. */
export function dialogueActOf(text: string): string {
  return acts.find(([, test]) => test.test(text))?.[0] ?? 'informs';
}

export interface SpeakingAgreement {
  readonly agent: string;
  readonly places: number;
  /** Points where the person spoke, where the agent did, and where both did. */
  readonly people: number;
  readonly spoke: number;
  readonly both: number;
  readonly precision: number;
  readonly recall: number;
  readonly f: number;
  /** Among points where both spoke, those with the same act. */
  readonly sameAct: number;
  readonly actInterval: Interval;
}

/** Each agent's decisions in a run of such points; empty if the run has none. */
export async function readSpeaking(
  store: Pick<Store, 'events'>,
  records: Iterable<EpisodeRecord>,
  agents: readonly string[],
): Promise<readonly SpeakingAgreement[]> {
  const counts = new Map(agents.map((agent) => [agent, { places: 0, people: 0, spoke: 0, acts: [] as RatedTry[] }]));
  for (const { id, cast, task, seed, environment } of records) {
    const count = counts.get(cast['character'] ?? '');
    const source = environment.startsWith('next-line@') ? sourceIn(task) : null;
    if (count === undefined || source === null) continue;
    const action = (await store.events(id)).find((event) => event.kind === 'action');
    const spokenText = action?.kind === 'action' ? action.action.text : '';
    const [person, agent] = [!isSilent(source), !isSilent(spokenText)];
    count.places++;
    if (person) count.people++;
    if (agent) count.spoke++;
    if (person && agent)
      count.acts.push({ task: canonical(task), seed, episode: id, hit: dialogueActOf(source) === dialogueActOf(spokenText) });
  }
  return [...counts].flatMap(([agent, { places, people, spoke, acts }]): readonly SpeakingAgreement[] => {
    if (places === 0) return [];
    const { n: both, hits: sameAct, interval: actInterval } = clusteredRate(acts);
    const [precision, recall] = [spoke === 0 ? 0 : both / spoke, people === 0 ? 0 : both / people];
    const f = both === 0 ? 0 : (2 * precision * recall) / (precision + recall);
    return [{ agent, places, people, spoke, both, precision, recall, f, sameAct, actInterval }];
  });
}

function sourceIn(task: Json): string | null {
  return isObject(task) && task['watch'] === true && typeof task['source'] === 'string' ? task['source'] : null;
}

export function speakingText({
  agent,
  places,
  people,
  spoke,
  precision,
  recall,
  f,
  sameAct,
  both,
  actInterval,
}: SpeakingAgreement): string {
  const acts =
    both === 0
      ? ''
      : ` Where both spoke, ${sameAct} of ${both} lines do the same (${actInterval.map((value) => value.toFixed(2)).join(' to ')}).`;
  return `${agent} compared with people at ${places} turns: people spoke at ${people} and it at ${spoke}; F-score of speaking ${f.toFixed(2)} (precision ${precision.toFixed(2)}, recall ${recall.toFixed(2)}).${acts}`;
}
