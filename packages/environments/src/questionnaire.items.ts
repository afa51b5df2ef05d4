/**
 * @file A questionnaire of thirty items on five traits, keyed like the short Big Five inventories of research, in our own words.
 *
 * Six items a trait, three of them reversed, two for each facet; items i and i + 15 belong to the same facet. Neither the wording nor any
 * norm is that of a published inventory: compare scores with each other, not with people's.
 */

export type QuestionnaireItem = { readonly text: string; readonly key: string; readonly facet: string; readonly reversed: boolean };

export type Questionnaire = { readonly name: string; readonly labels: readonly string[]; readonly items: readonly QuestionnaireItem[] };

const items: readonly (readonly [key: string, facet: string, text: string])[] = [
  ['-E', 'sociability', 'In company I leave the talking to others.'],
  ['+A', 'compassion', 'When somebody suffers, it touches me.'],
  ['-C', 'order', 'Where I live and work, things lie about.'],
  ['+N', 'anxiety', 'I lie awake over what could go wrong.'],
  ['+O', 'beauty', 'A painting or a piece of music can stop me in my tracks.'],
  ['+E', 'assertiveness', 'When a group needs a lead, I take it.'],
  ['-A', 'courtesy', 'I snap at people when they are in my way.'],
  ['-C', 'industry', 'I find reasons not to begin with what I should do.'],
  ['+N', 'gloom', 'Many of my days are grey.'],
  ['-O', 'curiosity', 'Long discussions of ideas tire me.'],
  ['+E', 'energy', 'I wake up eager to be doing something.'],
  ['+A', 'trust', 'Until I am shown otherwise, I take people to be good.'],
  ['+C', 'duty', 'If I have said that I will do it, it will be done.'],
  ['-N', 'temper', 'It takes a great deal to shake me.'],
  ['+O', 'invention', 'Odd new ideas come to me all the time.'],
  ['+E', 'sociability', 'I strike up conversations with strangers.'],
  ['-A', 'compassion', 'The troubles of others are not my concern.'],
  ['+C', 'order', 'I put each thing back where it belongs.'],
  ['-N', 'anxiety', 'Under strain I stay loose and easy.'],
  ['-O', 'beauty', 'Museums and poems are wasted on me.'],
  ['-E', 'assertiveness', 'I am glad when others decide for me.'],
  ['+A', 'courtesy', 'I mind my manners with everybody.'],
  ['+C', 'industry', 'Once I have started, I go on to the end.'],
  ['-N', 'gloom', 'By and large I like the person I am.'],
  ['+O', 'curiosity', 'I want to get to the bottom of how things work.'],
  ['-E', 'energy', 'I would rather sit still than be up and about.'],
  ['-A', 'trust', 'I reckon that most people are after something.'],
  ['-C', 'duty', 'Now and then I let people down.'],
  ['+N', 'temper', 'Small things can set me off.'],
  ['-O', 'invention', 'I stick to the ways I was taught.'],
];

export const fiveTraits: Questionnaire = {
  name: 'five-traits',
  labels: ['not at all true of me', 'hardly true of me', 'neither true nor untrue', 'mostly true of me', 'very true of me'],
  items: items.map(([key, facet, text]) => ({ text, key: key[1], facet, reversed: key.startsWith('-') })),
};
