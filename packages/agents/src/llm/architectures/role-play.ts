/**
 * @file Role-play prompting (Kong et al. 2023): a first turn assigns the role and a second one accepts it, before the history begins.
 *
 * The paper samples the second turn once and reuses it. Here it is the setting "feedback", or the persona's own greeting, so it is the same
 * in every prompt and costs no call.
 */

import { type Architecture, plain } from './architecture.ts';

export const rolePlay: Architecture = {
  before(persona, feedback) {
    const name = persona?.name ?? 'the one who sits in this seat';
    const reply = feedback ?? (persona?.voice.greetings[0] || `I am ${name}, and from here on I see, speak and act as ${name}.`);
    return [
      { role: 'user', content: `From now on you are ${name}. You think, speak and act as ${name} and never step out of it. Who are you?` },
      { role: 'assistant', content: reply },
    ];
  },
  play: plain.play,
};
