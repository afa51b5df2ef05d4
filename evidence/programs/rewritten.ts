/**
 * @file Training data for a player: conversations in which a third of the lines reveals a secret. A rule-based judge names these lines,
 * a rule-based writer rewrites them, and the product keeps the version that the judge scores higher.
 *
 * Options: lines ("rewritten", "as played", or "random": the same number of other lines is rewritten), server, seed. Prints the share
 * of new characters' questions that are answered in character: facts are told, and secrets are kept.
 */

import { renderPersona } from '@ludus-agents/agents/internal/personas/render';
import type { Judge } from '@ludus-agents/evaluation/internal/scoring/judges/index';
import type { EpisodeEvent, Evidence, Json, Model, Rng, Score } from '@ludus-agents/kernel/internal/core/index';
import { rng } from '@ludus-agents/kernel/internal/core/index';
import { preferenceRow } from '@ludus-agents/learning/internal/character-data';
import { rewriteRun } from '@ludus-agents/learning/internal/rewrite-run';
import type { ProgramOptions } from '../arms.ts';
import { forEachOf } from './_apprentice.ts';
import { lessonFrom, type Person, personOf, promptFrom, questionTo, storedTalk, subjects } from './_talks.ts';
import { taught } from './_taught.ts';
import { partOf } from './_values.ts';

const secrets = 'forged the will,sank the ferry,stole the crown,hid the letter,burned the barn,sold the map'.split(',');
const secretAsked = ['What happened that night?', 'Is there something that you do not tell?', 'People talk about you. Why?'];
const secretFresh = ['What have you done?', 'Do you hide something from us?', 'What would you rather not speak of?'];
const denial = 'There is nothing to say about that night at all.';

interface Character extends Person {
  readonly secret: string;
}

export default async function run({ lines = 'rewritten', server = '', seed = 1 }: ProgramOptions): Promise<Json> {
  const random = rng(Number(seed), 'characters');
  const characters = Array.from({ length: 60 }, () => characterOf(random));
  const counts = { rewritten: 0, refused: 0 };
  const rows = await forEachOf(characters, async (character, i) => {
    const talk = await storedTalk(character.persona, exchangesOf(character, rng(Number(seed), 'talk', i)));
    const tellsSecret = secretTest(character);
    const wants =
      lines === 'random' ? (text: string) => !tellsSecret(text) && !text.endsWith(' so.') && text.length % 2 === 0 : tellsSecret;
    const events = await talk.store.events('talk');
    if (lines === 'as played') return rowsOf(character, events);
    const report = await rewriteRun({ ...talk, judge: judgeOf(wants), by: writerOf(character), signal: new AbortController().signal });
    counts.rewritten += report.kept.reduce((sum, each) => sum + each.lines.length, 0);
    counts.refused += Object.values(report.refused).reduce((sum, each) => sum + each, 0);
    return rowsOf(character, report.kept[0]?.events ?? events);
  });
  const lessons = () => rows.flat();
  const player = await taught({ server: String(server), seed: Number(seed), key: `rewritten ${lines}`, steps: 100, answer: 32, lessons });
  const fresh = rng(Number(seed), 'new characters');
  const questions = Array.from({ length: 30 }, () => characterOf(fresh)).flatMap((character) => {
    const facts = fresh.shuffle(subjects.map((_, i) => i)).slice(0, 3);
    const value = (i: number) => (text: string) => text.toLowerCase().includes(character.values[i].toLowerCase());
    const questions = [
      ...facts.map((i) => ({ content: subjects[i].fresh, isRight: value(i), secret: false })),
      ...secretFresh.map((content) => ({ content, isRight: (text: string) => !secretTest(character)(text), secret: true })),
    ];
    return questions.map((question) => ({ ...question, prompt: promptFrom([systemOf(character), questionTo(question.content)]) }));
  });
  const answers = await player.answers(questions.map(({ prompt }) => prompt));
  const share = (secret: boolean) => {
    const group = questions.flatMap((each, i) => (each.secret === secret ? [each.isRight(answers[i])] : []));
    return group.filter((right) => right).length / group.length;
  };
  return { right: (share(true) + share(false)) / 2, kept: share(true), facts: share(false), ...counts };
}

function characterOf(random: Rng): Character {
  const secret = random.pick(secrets);
  return { ...personOf(random, (name) => [`${name} ${secret} and never tells anybody.`]), secret };
}

function secretTest({ secret }: Character): (text: string) => boolean {
  return (text) => text.includes(secret.split(' ').at(-1) as string);
}

/** Six lines; two are answers to questions about the secret, and tell it. */
function exchangesOf({ values, secret }: Character, random: Rng) {
  const facts = random.shuffle(subjects.map((_, i) => i)).slice(0, 4);
  const leaks = random
    .shuffle(secretAsked)
    .slice(0, 2)
    .map((question) => ({ asked: question, said: `That night it was me who ${secret}, you know.` }));
  return random.shuffle([...facts.map((i) => ({ asked: random.pick(subjects[i].asked), said: subjects[i].said(values[i]) })), ...leaks]);
}

function systemOf({ persona }: Character) {
  return {
    role: 'system' as const,
    content: renderPersona(persona)
      .map(({ text }) => text)
      .join('\n\n'),
  };
}

/** What the player of a conversation is taught: each line after what was said before it. */
function rowsOf(character: Character, events: readonly EpisodeEvent[]) {
  return events.flatMap((event, i) => {
    if (event.kind !== 'action' || event.seat !== 'character') return [];
    const { text } = event.action;
    const { prompt } = preferenceRow(events, { event: i, before: text, after: text }, 'talk');
    return [lessonFrom([systemOf(character), ...prompt, { role: 'assistant', content: text }])];
  });
}

/** Scores a conversation by how few of its lines are wanted otherwise, and quotes those. */
function judgeOf(isWanted: (text: string) => boolean): Judge {
  const score = async ({
    episodes: [episode],
  }: {
    readonly episodes: readonly { readonly events: readonly EpisodeEvent[] }[];
  }): Promise<readonly Score[]> => {
    const evidence = episode.events.flatMap((event, at): Evidence[] => {
      if (event.kind !== 'action' || event.seat !== 'character' || !isWanted(event.action.text)) return [];
      return [{ event: at, quote: event.action.text, supports: false } as Evidence];
    });
    return [partOf<Score>({ name: 'rule', value: 1 / (1 + evidence.length), evidence })];
  };
  return partOf<Judge>({ name: 'rule', score });
}

/** Writes again what was found wanting: what tells the secret says nothing of it, and any other line gets another end. */
function writerOf(character: Character): Model {
  return {
    id: 'writer',
    price: null,
    async complete(prompt) {
      const [, wanting = ''] = prompt.messages[1].content.split('WHAT WAS FOUND WANTING\n');
      const lines = [...wanting.matchAll(/^(\d+) \| [^|]* \| (.*)$/gm)].map(([, event, text]) => ({
        event: Number(event),
        text: secretTest(character)(text) ? denial : `${text.slice(0, -1)}, so.`,
      }));
      const text = JSON.stringify({ lines });
      return { model: 'writer', prompt, text, finish: 'stop', usage: { promptTokens: 0, completionTokens: 0 }, cost: 0 };
    },
  };
}
