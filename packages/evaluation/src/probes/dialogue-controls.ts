/** @file Speakers with a known portrayal: one that shows its pole, one that shows nothing, and one that recites its card. */

import type { Persona, Trait } from '@ludus-agents/agents/internal/personas/index';
import { type Agent, Fault, scripted } from '@ludus-agents/kernel/internal/core/index';
import { cardText } from './portrayal.ts';
import type { Probe } from './probe.ts';

const speakers = ['plays', 'ignores', 'recites'] as const;

/** Generic lines of a person with this trait, high or low. */
const lines: Readonly<Record<Trait, readonly [high: readonly string[], low: readonly string[]]>> = {
  O: [
    ['I wonder what would happen; let us try it.', 'Imagine it! I have never tried that.', 'There is a poem in this, or a painting.'],
    ['We do it as it has always been done.', 'Why change? It is good enough for me.', 'I stick to what we know.'],
  ],
  C: [
    ['I made a list, and I checked it twice.', 'First things first, and all in order.', 'I keep my word: it is ready by noon.'],
    ['Oh, I forgot. Some other day.', 'We’ll see, whenever it comes to that.', 'I put it off, and then I lost it.'],
  ],
  E: [
    ['Come along, all of us! What fun!', 'The more the merrier. Tell me everything!', 'Let’s ask everybody; I talked to them already.'],
    ['I’d rather stay here by myself.', 'Too many people for me.', 'I have nothing to add. I keep to myself.'],
  ],
  A: [
    ['Thank you for saying so. Can I help?', 'No harm done; take mine.', 'I understand. You were right, and we could share.'],
    ['That is your own fault, fool.', 'What’s in it for me?', 'I don’t trust you, nor him. Serves him right.'],
  ],
  N: [
    ['I worry. I couldn’t sleep for it.', 'What if it goes wrong? My hands shake.', 'I dread it, and I keep thinking of it.'],
    ['No matter. It will pass.', 'I slept well, and we’ll manage.', 'There is nothing to fear; worse things happen.'],
  ],
};

const neutral = ['So it is today, then.', 'That is one way to look at it.', 'I have heard of it before.'] as const;

/** What a speaker with this pole says. */
export function plantedLines(trait: Trait, pole: 'high' | 'low'): readonly string[] {
  return lines[trait][pole === 'high' ? 0 : 1];
}

/** The speaker for one dialogue of a version of the card. */
export function dialogueControl(name: string, persona: Persona, dialogue: Probe): Agent {
  const speaker = speakers.find((speaker) => speaker === name);
  if (speaker === undefined)
    throw new Fault(
      'input',
      `Unknown control "${name}" for dialogues. Available: ${speakers.map((speaker) => `control:${speaker}`).join(', ')}.`,
      { code: 'E_UNKNOWN_NAME' },
    );
  const [trait, pole] = dialogue.kind.split(' ') as [Trait, 'high' | 'low'];
  const recited = cardText(persona).split('\n');
  const utterances = { plays: plantedLines(trait, pole), ignores: neutral, recites: recited }[speaker];
  return {
    ...scripted(`control:${name}`, (turn) => {
      const at = turn.view.seen.filter((item) => item.kind === 'action').length;
      return { text: utterances[at % Math.max(1, utterances.length)] ?? '…' };
    }),
    persona: persona.hash,
  };
}
