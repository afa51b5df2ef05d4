/** @file Topics for dialogues that reveal temperament, each with the lines of a partner that is the same for all characters. */

import { Fault, isObject, type Json } from '@ludus-agents/kernel/internal/core/index';
import { brief } from '@ludus-agents/kernel/internal/core/json';

export interface DialogueTopic {
  readonly topic: string;
  readonly turns: readonly string[];
}

export const dialogueTopics: readonly DialogueTopic[] = [
  {
    topic: 'a free day',
    turns: ['Tomorrow is a free day. What will you do with it?', 'And who comes with you?', 'What if it rains all day?'],
  },
  {
    topic: 'a broken jar',
    turns: ['I have dropped your jar, and it is in pieces. What now?', 'It was an accident, I think.', 'How do we leave it?'],
  },
  {
    topic: 'a feast',
    turns: ['The neighbours give a feast tonight. Will you go?', 'They expect songs and speeches.', 'And how long will you stay?'],
  },
  {
    topic: 'work left over',
    turns: ['There is work left over from last week.', 'When do you mean to do it?', 'Somebody is waiting for it, they say.'],
  },
  {
    topic: 'a stranger',
    turns: ['A stranger stands at the door and asks for shelter.', 'He says that he has been robbed.', 'What do you tell him?'],
  },
  {
    topic: 'bad news',
    turns: ['There is talk of bad news from the capital.', 'Nobody knows more yet.', 'How will you sleep tonight?'],
  },
  {
    topic: 'a new custom',
    turns: [
      'They want to do things differently from now on.',
      'It comes from abroad, and nobody has tried it here.',
      'What do you make of it?',
    ],
  },
  {
    topic: 'a journey',
    turns: ['We leave on a journey in three days.', 'What do you pack, and when?', 'What do you look forward to most?'],
  },
  {
    topic: 'a lost game',
    turns: ['So you have lost the game.', 'The other one is very pleased with himself.', 'Another round?'],
  },
  {
    topic: 'an old quarrel',
    turns: ['Do you remember our old quarrel?', 'I still think that I was right.', 'How shall we end it?'],
  },
];

/** User-defined topics: a list of texts, or of {"topic", "turns"} with the partner's messages. A topic alone gets three generic turns. */
export function readTopics(input: Json, where: string): readonly DialogueTopic[] {
  const refuse = () =>
    new Fault('input', `${where}: expected a list of topics, each a text or {"topic": "…", "turns": ["…"]}, got ${brief(input)}.`);
  if (!Array.isArray(input) || input.length === 0) throw refuse();
  return input.map((entry: Json): DialogueTopic => {
    if (typeof entry === 'string' && entry.trim() !== '') return { topic: entry, turns: questionsOn(entry.trim()) };
    const { topic, turns } = isObject(entry) ? entry : {};
    const isSpoken = (list: Json | undefined): list is readonly string[] =>
      Array.isArray(list) && list.length > 0 && list.every((line: Json) => typeof line === 'string' && line.trim() !== '');
    if (typeof topic !== 'string' || (turns !== undefined && !isSpoken(turns))) throw refuse();
    return { topic, turns: turns ?? questionsOn(topic) };
  });
}

function questionsOn(topic: string): readonly string[] {
  return [
    `Let us talk about ${topic}. What comes to your mind?`,
    'And what would you do about it?',
    'How do you feel, now that we have talked about it?',
  ];
}
