/** @file Topics for dialogues in which a temper can show: each with the lines of a partner who is the same to everybody. */

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
