/** @file The built-in tastes: a household. */

import type { Tastes } from './topics.ts';

export const household: Tastes = {
  topics: [
    {
      id: 'drink',
      ask: 'What should I order for breakfast?',
      options: [
        { text: 'coffee', shown: ['The grinder woke the whole house again this morning.', 'I am out of filters, what a day.'] },
        { text: 'tea', shown: ['My kettle whistles before anything else happens.', 'I found a tin of Darjeeling from my aunt, a feast.'] },
      ],
    },
    {
      id: 'trip',
      ask: 'Where should I go for the weekend?',
      options: [
        { text: 'the mountains', shown: ['My boots are still muddy from Sunday.', 'I slept best in that hut above the clouds.'] },
        { text: 'the sea', shown: ['There is sand in every bag I own.', 'I check the tides like others check the mail.'] },
      ],
    },
    {
      id: 'evening',
      ask: 'What should I do tonight?',
      options: [
        {
          text: 'read at home',
          shown: ['Third novel this week, and the lamp is still on.', 'I left the party early for the last chapter.'],
        },
        { text: 'go dancing', shown: ['My feet hurt in the nicest way.', 'The band knows my name by now.'] },
      ],
    },
    {
      id: 'pet',
      ask: 'Which animal should I adopt?',
      options: [
        { text: 'a dog', shown: ['I stop at every leash on the street.', 'Fetching sticks is my idea of sport.'] },
        { text: 'a cat', shown: ['Purring beats any podcast.', 'Somebody small sleeps on my neighbor’s sill; I wave.'] },
      ],
    },
  ],
  chatter: [
    'My brother swears by his espresso machine.',
    'Everyone at work is going to the beach.',
    'It rained all day.',
    'My neighbor walks three dogs.',
    'The tram was late.',
    'A friend sent me her concert tickets to sell.',
  ],
};
