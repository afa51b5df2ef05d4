/**
 * @file Forty conversations of six lines. A guest's mood shows in one or two of the first four lines, and in three of four
 * conversations the last line does not name it. The host then speaks with a tag of style and emotion. A script replaces the model: it
 * knows three of four cues by their words and uses the latest one in its prompt, or neutral if there is none.
 *
 * Options: arm ("history": all lines are in view; "last": only the last line; "random": a random tag; "neutral": no tags are
 * requested), seed. Prints the share of conversations with the guest's emotion, the tags that reached the action, and the tags that
 * rest on an earlier line than the last.
 */

import { llmAgent } from '@ludus-agents/agents/internal/llm/agent';
import { type Json, rng, type Seen } from '@ludus-agents/kernel/internal/core/index';
import { voiceIn } from '@ludus-agents/kernel/internal/core/voice';
import type { ProgramOptions } from '../arms.ts';
import { scripts } from './_stages.ts';

const talks = 40;
const cues = {
  joy: ['We won the cup.', 'She said yes.', 'I passed at last.', 'My son is back home.'],
  sadness: ['My dog died.', 'She has left for good.', 'I sold the old house.', 'Nobody came to see me.'],
  anger: ['He broke it on purpose.', 'They lied to me.', 'It was stolen from my desk.', 'He let me wait for hours.'],
  fear: ['Somebody is at the window.', 'I hear steps above.', 'The doctor wants to see me again.', 'The ice is cracking.'],
} as const;
type Mood = keyof typeof cues;
const moods = Object.keys(cues) as readonly Mood[];
const small = [
  'Good evening.',
  'I came by train.',
  'Is there any tea left?',
  'It is seven already.',
  'The door was open.',
  'I brought the papers.',
];
/** The reader does not know the last of the four ways in which a mood shows. */
const knownCues = moods.flatMap((mood) => cues[mood].slice(0, 3).map((text) => ({ mood, text: text as string })));

export default async function run({ arm = 'history', seed = 1 }: ProgramOptions, stage = scripts): Promise<Json> {
  const random = rng(Number(seed), 'talks');
  const dice = rng(Number(seed), 'reader');
  let [agreed, tags, earlier] = [0, 0, 0];
  const model = stage.writer(({ messages }) => {
    const text = messages.map(({ content }) => String(content)).join('\n');
    const match = knownCues
      .map(({ mood, text: cue }) => ({ mood, at: text.lastIndexOf(cue) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => b.at - a.at)[0]?.mood;
    const emotion = arm === 'random' ? dice.pick(moods) : (match ?? 'neutral');
    return arm === 'neutral' ? 'Speech: I see.' : `Speech: I see.\nData: ${JSON.stringify({ voice: { style: 'neutral', emotion } })}`;
  });
  const settings = { spoken: arm !== 'neutral' };
  const agent = await llmAgent({ spec: { name: 'host', kind: 'llm', settings }, seat: 'host', model });
  for (let i = 0; i < talks; i++) {
    const mood = random.pick(moods);
    const lines = Array.from({ length: 6 }, () => random.pick(small));
    for (const at of random.shuffle([0, 1, 2, 3]).slice(0, 1 + random.int(2))) lines[at] = random.pick(cues[mood]);
    if (random.next() < 0.25) lines[5] = random.pick(cues[mood]);
    const visibleLines = arm === 'last' ? lines.slice(-1) : lines;
    const items = visibleLines.map((text): Seen => ({ kind: 'message', from: 'guest', to: ['host'], text }));
    const { action } = await agent.act(
      { view: { seat: 'host', seen: items }, ask: { seat: 'host' }, rng: rng(Number(seed), i) },
      new AbortController().signal,
    );
    const tag = voiceIn(action.data);
    if (tag !== null) tags++;
    if (arm === 'history' && tag !== null && tag.emotion !== 'neutral' && !cues[tag.emotion as Mood].some((cue) => cue === lines[5]))
      earlier++;
    if ((tag?.emotion ?? 'neutral') === mood) agreed += 1 / talks;
  }
  return { agreed, tags, earlier };
}
